/** The channel without a platform as its people use it, as strict as a platform: what breaks its rules fails the test. */
import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { Button, QuotedText, RemoteFile } from '../../src/channels/channel.ts';
import { addKind } from '../../src/channels/index.ts';
import { addSource } from '../emulators/base/activity.ts';
import {
  ask,
  bytesOf,
  type GivenFile,
  type Person,
  type Place,
  type Platform,
  type Seen,
  type SendFault,
} from '../platforms/platform.ts';
import {
  ACCOUNT,
  type Answer,
  CHANNEL,
  type Deed,
  LIMITS,
  loopback,
  type Post,
  type Wire,
  wires,
} from './loopback-channel.ts';

const ROOM: Place = { chat: 'room' };
const NAMES: Readonly<Record<Person | 'other', string>> = { alex: 'Alex', sam: 'Sam', kim: 'Kim', other: 'Other' };
const CHATS = [ROOM.chat, 'dm-alex', 'dm-sam', 'dm-kim'];

interface Shown extends Place {
  key: string;
  seen: Seen;
  buttons: readonly Button[];
  /** Those that edits have taken away. */
  before: Button[];
}

const isIn = (place: Place) => (at: Place) => at.chat === place.chat && at.thread === place.thread;
const labelsOf = (buttons: readonly Button[]): string[] => buttons.map(({ label }) => label);

/** What a message breaks of the channel's rules. */
function wrongIn({ key, text, files, buttons }: Post): string[] {
  return [
    ...(key === '' ? ['a message without a key'] : []),
    ...(text === '' && files.length === 0 ? ['an empty message'] : []),
    ...(text.length > LIMITS.text ? [`a text of ${text.length} characters`] : []),
    ...(text.isWellFormed() ? [] : ['half a character']),
    ...files.filter(({ bytes }) => bytes.length > LIMITS.uploadBytes).map(({ name }) => `${name} is too large`),
    ...buttons.filter(({ id, label }) => id === '' || id.length > 32 || label === '').map(() => 'a wrong button'),
  ];
}

function kindOf({ type = '', voice }: GivenFile): RemoteFile['kind'] {
  if (voice) return 'voice';
  const kind = /^(image|audio|video)\//.exec(type)?.[1];
  return kind === 'image' ? 'photo' : kind === 'audio' || kind === 'video' ? kind : 'document';
}

let servers = 0;

export async function loopbackPlatform(): Promise<Platform> {
  addKind(loopback);
  const server = `server-${++servers}`;
  const news = new EventEmitter().setMaxListeners(0);
  const deeds = new Map<string, Deed>();
  const queue: Deed[] = [];
  const shown: Shown[] = [];
  const stored = new Map<string, Buffer>();
  const faults: SendFault[] = [];
  const problems: string[] = [];
  let count = 0;
  let lost = 0;
  let isAway = false;
  let hasNoFiles = false;
  let tellAway = (): void => undefined;

  function keep(bytes: Buffer): string {
    const id = `f${++count}`;
    stored.set(id, bytes);
    return id;
  }

  const has = (id: string, chat: string): boolean =>
    deeds.get(id)?.chat === chat || shown.some((each) => each.seen.id === id && each.chat === chat);

  function fileOf(file: GivenFile): RemoteFile {
    const bytes = bytesOf(file);
    const { voice, type = 'application/octet-stream' } = file;
    const id = keep(bytes);
    return {
      ...{ id, key: id, kind: kindOf(file), size: bytes.length },
      ...(voice
        ? { name: 'voice.ogg', mimeType: 'audio/ogg', seconds: voice.seconds }
        : { name: file.name, mimeType: type }),
      ...(voice?.transcript !== undefined && { transcript: voice.transcript }),
    };
  }

  function quoteOf(id: string): QuotedText {
    const own = shown.find(({ seen }) => seen.id === id);
    if (own) return { kind: 'reply', from: 'Viber', text: own.seen.text, fromSelf: true };
    const deed = deeds.get(id);
    if (!deed) throw new Error(`there is no message ${id}`);
    return { kind: 'reply', from: deed.by.name, text: deed.text, files: deed.files, fromSelf: false };
  }

  function happen({ chat, thread }: Place, by: keyof typeof NAMES, text: string, more: Partial<Deed> = {}): string {
    const deed: Deed = {
      ...{ id: `m${++count}`, at: Date.now(), chat, ...(thread !== undefined && { thread }), text },
      ...{ by: { id: by, name: NAMES[by], isBot: by === 'other' }, isMention: true, files: [], quotes: [], ...more },
    };
    deeds.set(deed.id, deed);
    queue.push(deed);
    news.emit('change');
    return deed.id;
  }

  function take({ key, chat, thread, text, files, buttons, replyTo }: Post): string {
    const known = shown.find((each) => each.key === key);
    if (known) return known.seen.id;
    if (replyTo !== undefined && !has(replyTo, chat)) problems.push(`a reply to ${replyTo}, which nobody wrote`);
    const kept = files.map(({ name, bytes }) => {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      return { id: keep(bytes), name, size: bytes.length, sha256 };
    });
    const seen = {
      id: `m${++count}`,
      text,
      files: kept,
      buttons: labelsOf(buttons),
      ...(replyTo !== undefined && { replyTo }),
    };
    shown.push({ key, chat, ...(thread !== undefined && { thread }), seen, buttons, before: [] });
    return seen.id;
  }

  function rewrite(id: string, { chat, text, buttons }: Post): Answer {
    const old = shown.find((each) => each.seen.id === id && each.chat === chat);
    if (!old) return { status: 404 };
    old.before.push(...old.buttons);
    Object.assign(old, { buttons, seen: { ...old.seen, text, buttons: labelsOf(buttons) } });
    return { status: 200, id };
  }

  const wire: Wire = {
    async next(over) {
      while (isAway || queue.length === 0) await once(news, 'change', { signal: over });
      return [...queue];
    },
    confirm(durable) {
      if (lost > 0) lost--;
      else queue.splice(0, durable);
      news.emit('change');
    },
    post(given) {
      if (isAway) return { status: 0 };
      if (!wire.knows(given.chat, given.thread)) return { status: 404 };
      problems.push(...wrongIn(given));
      if (given.edits !== undefined) return rewrite(given.edits, given);
      const fault = faults[0];
      if (fault && --fault.times <= 0) faults.shift();
      if (fault?.kind === 'rate-limit') return { status: 429, seconds: fault.seconds };
      if (fault?.kind === 'server-error') return { status: 502 };
      if (hasNoFiles && given.chat === ROOM.chat && given.files.length > 0) return { status: 403 };
      const id = take(given);
      return fault ? { status: 0 } : { status: 200, id };
    },
    bytes: (id) => stored.get(id),
    knows: (chat, thread) => CHATS.includes(chat) && (thread === undefined || has(thread, chat)),
    isAway: () => isAway,
    onAway(tell) {
      tellAway = tell;
    },
  };
  wires.set(server, wire);
  const removeSource = addSource({
    open: () => queue.map(({ id }) => `${id} on the channel`),
    count: () => count,
  });

  const platform: Platform = {
    ...{ name: CHANNEL, section: { server }, account: ACCOUNT, room: ROOM, hasThreads: true },
    identity: (person) => `${CHANNEL}:${person}`,
    dm: (person) => ({ chat: `dm-${person}` }),
    say(place, text, { by = 'alex', mention = false, files = [], replyTo } = {}) {
      const reply = replyTo === undefined ? {} : { repliesTo: replyTo, quotes: [quoteOf(replyTo)] };
      return happen(place, by, text, { isMention: mention, files: files.map(fileOf), ...reply });
    },
    edit(_place, id, text) {
      const said = deeds.get(id);
      if (!said) throw new Error(`there is no message ${id}`);
      const { id: _id, at: _at, ...same } = said;
      deeds.set(id, { ...said, text });
      happen(said, 'alex', text, { ...same, text, editOf: id });
    },
    botSays: (place, text) => void happen(place, 'other', text),
    answerPlace: (said) => ({ ...ROOM, thread: said }),
    command: (place, name, args = '', by = 'alex') =>
      ask(platform, place, `/${name} ${args}`.trim(), { by, mention: true }),
    async begin(goal, by = 'alex') {
      const thread = happen(ROOM, by, `/task ${goal}`);
      while (queue.some(({ id }) => id === thread)) await once(news, 'change');
      return { ...ROOM, thread };
    },
    threads() {
      const found = shown.flatMap(({ chat, thread }) => (chat === ROOM.chat && thread !== undefined ? [thread] : []));
      return [...new Set(found)].map((thread) => ({ ...ROOM, thread }));
    },
    async press(place, label, by = 'alex', stale = false) {
      const there = shown.filter(isIn(place)).toReversed();
      const found = there.flatMap(({ seen, buttons, before }) =>
        [...buttons, ...(stale ? before : [])].map((button) => ({ ...button, under: seen.id })),
      );
      const button = found.find((each) => each.label === label);
      if (!button) throw new Error(`there is no button ${label}`);
      happen(place, by, '', { button: { id: button.id, under: button.under } });
    },
    answers: (place) => shown.filter(isIn(place)).map(({ seen }) => seen),
    bytes: (file) => stored.get(file.id) ?? Buffer.alloc(0),
    // It shows words as they are: nobody is notified, and nothing is fetched.
    ...{ pings: () => [], fetched: () => [] },
    fault: (fault) => void faults.push({ ...fault }),
    withholdFiles() {
      hasNoFiles = true;
    },
    async outage(away) {
      isAway = away;
      tellAway();
      news.emit('change');
    },
    // The confirmation of what comes next is lost, so it comes twice.
    drop: () => void lost++,
    redeliver(id) {
      const deed = deeds.get(id);
      if (!deed) throw new Error(`there is no message ${id}`);
      queue.push(deed);
      news.emit('change');
    },
    async close() {
      removeSource();
      wires.delete(server);
      if (problems.length > 0) throw new Error(`the channel was misused: ${problems.join('; ')}`);
    },
  };
  return platform;
}
