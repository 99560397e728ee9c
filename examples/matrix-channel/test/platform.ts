/** Matrix as its people use it: what they say with an ordinary app, and what they see in it. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import {
  ask,
  bytesOf,
  type Person,
  type Place,
  type Platform,
  type Seen,
  type SeenFile,
} from 'openviber-gateway/testing';
import { FILES } from './checks.ts';
import { type Homeserver, startHomeserver } from './homeserver.ts';
import { contentIn, type Json, type MatrixEvent, relationOf, SERVER } from './store.ts';

const MODULE = path.join(import.meta.dirname, '../index.ts');
const SIGNS = ['1️⃣', '2️⃣', '3️⃣', '4️⃣', '5️⃣', '6️⃣', '7️⃣', '8️⃣', '9️⃣', '🔟'];
const BUTTON = new RegExp(`^(${SIGNS.join('|')}) (.+)$`);
const PEOPLE: readonly Person[] = ['alex', 'sam', 'kim'];
const ROOM = `!team:${SERVER}`;
/** Rooms of older versions have a server in their ID, those of newer ones none. */
const DM: Readonly<Record<Person, string>> = {
  alex: `!dmalex:${SERVER}`,
  sam: `!${createHash('sha256').update('sam').digest('base64url')}`,
  kim: `!dmkim:${SERVER}`,
};
const userOf = (person: Person | 'other_bot'): string => `@${person}:${SERVER}`;

export interface MatrixPlatform extends Platform {
  homeserver: Homeserver;
}

/** @param module what the configuration names: a path, or the package where it is installed */
export async function matrixPlatform(module = MODULE): Promise<MatrixPlatform> {
  const homeserver = await startHomeserver();
  const { store, bot } = homeserver;
  for (const person of PEOPLE) store.addUser(person, person[0]?.toUpperCase() + person.slice(1));
  store.addUser('other_bot', 'Other');
  store.createRoom(ROOM, userOf('alex'));
  for (const user of [...PEOPLE.slice(1).map(userOf), userOf('other_bot'), bot]) store.setMember(ROOM, user, 'join');
  for (const person of PEOPLE) {
    store.createRoom(DM[person], userOf(person));
    store.setMember(DM[person], bot, 'invite', { by: userOf(person), more: { is_direct: true } });
    store.setMember(DM[person], bot, 'join');
  }
  store.setAccountData(bot, 'm.direct', Object.fromEntries(PEOPLE.map((person) => [userOf(person), [DM[person]]])));

  /** What an app adds to say that the bot is called. */
  const called = (text: string): Json => ({
    body: `Viber: ${text}`,
    ...{ format: 'org.matrix.custom.html', formatted_body: `<a href="https://matrix.to/#/${bot}">Viber</a>: ${text}` },
    'm.mentions': { user_ids: [bot] },
  });
  const words = (text: string, isCalled: boolean): Json => (isCalled ? called(text) : { body: text, 'm.mentions': {} });

  function relationFor(place: Place, replyTo: string | undefined): Json {
    const reply = replyTo === undefined ? {} : { 'm.in_reply_to': { event_id: replyTo } };
    if (place.thread === undefined) return replyTo === undefined ? {} : { 'm.relates_to': reply };
    const behind =
      replyTo === undefined ? { is_falling_back: true, 'm.in_reply_to': { event_id: place.thread } } : reply;
    return { 'm.relates_to': { rel_type: 'm.thread', event_id: place.thread, ...behind } };
  }

  const say = (place: Place, user: string, content: Json): string =>
    store.add(place.chat, user, { type: 'm.room.message', content }).event_id;

  /** Uploads a file, and returns what the event says about it. */
  function attach(file: Parameters<typeof bytesOf>[0] & { name: string; type?: string }): Json {
    const uri = `mxc://${SERVER}/person${store.media.size + 1}`;
    const bytes = bytesOf(file);
    const type = file.type ?? 'text/plain';
    store.media.set(uri, { bytes, type, name: file.name });
    const kind = /^(image|audio|video)\//.exec(type)?.[1] ?? 'file';
    return { msgtype: `m.${kind}`, filename: file.name, url: uri, info: { mimetype: type, size: bytes.length } };
  }

  /** The bot's messages in a place, as they are now. */
  function shownIn({ chat, thread }: Place): { event: MatrixEvent; seen: Seen }[] {
    const events = store.rooms.get(chat)?.arrivals.map(({ event }) => event) ?? [];
    const said = events.filter((event) => event.type === 'm.room.message' && event.sender === bot);
    return said.flatMap((event) => {
      const relation = relationOf(event);
      const own = relation.rel_type === 'm.thread' ? relation.event_id : undefined;
      const isEdit = relation.rel_type === 'm.replace';
      const isGone = Object.keys(event.content).length === 0;
      if (isEdit || isGone || own !== thread) return [];
      const newest = said.findLast((other) => {
        const edit = relationOf(other);
        return edit.rel_type === 'm.replace' && edit.event_id === event.event_id;
      });
      const content = newest ? contentIn(newest.content['m.new_content']) : event.content;
      return [{ event, seen: seenOf(event.event_id, content, relation) }];
    });
  }

  function seenOf(id: string, content: Json, relation: Json): Seen {
    const html = content.formatted_body;
    const isFile = FILES.has(String(content.msgtype));
    const lines = isFile ? [] : (typeof html === 'string' ? textOf(html) : String(content.body)).split('\n');
    const buttons = lines.flatMap((line) => BUTTON.exec(line)?.[2] ?? []);
    const text = lines
      .filter((line) => !BUTTON.test(line))
      .join('\n')
      .replace(/\n+$/, '');
    const reply = contentIn(relation['m.in_reply_to']).event_id;
    const replyTo = typeof reply === 'string' && relation.is_falling_back !== true ? { replyTo: reply } : {};
    return { ...{ id, text, buttons, files: isFile ? [fileOf(content)] : [] }, ...replyTo };
  }

  function fileOf({ url, filename }: Json): SeenFile {
    const bytes = store.media.get(String(url))?.bytes ?? Buffer.alloc(0);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { id: String(url), name: String(filename), size: bytes.length, sha256 };
  }

  const platform: MatrixPlatform = {
    homeserver,
    ...{ name: 'matrix', account: bot, room: { chat: ROOM }, hasThreads: true },
    section: { module, homeserver: homeserver.url, token: homeserver.token, injection: 'followup' },
    identity: (person) => `matrix:${userOf(person)}`,
    dm: (person) => ({ chat: DM[person] }),
    say(place, text, { by = 'alex', mention = false, files = [], replyTo } = {}) {
      const [first, ...others] = files.map(attach);
      const relation = relationFor(place, replyTo);
      const said = { ...words(text, mention), ...(first ?? { msgtype: 'm.text' }), ...relation };
      const id = say(place, userOf(by), said);
      for (const other of others) say(place, userOf(by), { ...other, body: other.filename, ...relation });
      return id;
    },
    edit(place, id, text) {
      const before = store.events.get(id);
      const isCalled = Array.isArray(contentIn(before?.content['m.mentions']).user_ids);
      const next = { ...words(text, isCalled), msgtype: 'm.text' };
      const relation = { rel_type: 'm.replace', event_id: id };
      say(place, before?.sender ?? '', { ...next, body: `* ${text}`, 'm.new_content': next, 'm.relates_to': relation });
    },
    botSays: (place, text) => void say(place, userOf('other_bot'), { ...called(text), msgtype: 'm.notice' }),
    answerPlace: (said) => ({ chat: ROOM, thread: said }),
    command: (place, name, args = '', by = 'alex') => ask(platform, place, `!${name} ${args}`.trim(), { by }),
    async begin(goal, by = 'alex') {
      const place = { chat: ROOM, thread: platform.say(platform.room, `!task ${goal}`, { by, mention: true }) };
      await ask(platform, place, 'go on', { by });
      return place;
    },
    threads() {
      const roots = store.rooms.get(ROOM)?.arrivals.flatMap(({ event }) => {
        const { rel_type, event_id } = relationOf(event);
        return rel_type === 'm.thread' ? [String(event_id)] : [];
      });
      return [...new Set(roots)].map((thread) => ({ chat: ROOM, thread }));
    },
    async press(place, label, by = 'alex') {
      const found = shownIn(place).findLast(({ seen }) => seen.buttons.includes(label));
      if (!found) throw new Error(`there is no button ${label}`);
      const key = SIGNS[found.seen.buttons.indexOf(label)];
      const relation = { rel_type: 'm.annotation', event_id: found.event.event_id, key };
      store.add(place.chat, userOf(by), { type: 'm.reaction', content: { 'm.relates_to': relation } });
    },
    answers: (place) => shownIn(place).map(({ seen }) => seen),
    bytes: (file) => store.media.get(file.id)?.bytes ?? Buffer.alloc(0),
    pings: () => [...store.events.values()].filter(({ sender }) => sender === bot).flatMap(notifiedBy),
    // Apps ask for the preview of a link when they show it; nothing is fetched because it was sent.
    fetched: () => [],
    fault: homeserver.fault,
    withholdFiles: () => homeserver.withhold(ROOM),
    outage: homeserver.outage,
    drop: homeserver.drop,
    redeliver: (id) => store.repeat(id),
    close: homeserver.close,
  };
  return platform;
}

/** https://spec.matrix.org/latest/client-server-api/#user-and-room-mentions */
function notifiedBy({ type, content }: MatrixEvent): string[] {
  if (type !== 'm.room.message' || Object.keys(content).length === 0) return [];
  const mentions = content['m.mentions'];
  if (mentions === undefined) return String(content.body).match(/@room|@\w+:\S+/g) ?? [];
  const { user_ids: users, room } = contentIn(mentions);
  return [...(Array.isArray(users) ? users.map(String) : []), ...(room === true ? ['@room'] : [])];
}

/** The words that an app shows. */
function textOf(html: string): string {
  return html
    .replace(/<br>/g, '\n')
    .replace(/(?<!^)<(?:blockquote|h[1-6]|pre|p)(?: [^>]*)?>/g, '\n')
    .replace(/<\/(?:blockquote|h[1-6]|pre|p)>/g, '\n')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .trim();
}
