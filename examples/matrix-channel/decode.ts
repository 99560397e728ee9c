/**
 * Converts an event of a room's timeline into an InboundMessage. Pure: never throws, whatever JSON it gets. What needs a
 * look at another event (an edit, a reaction) is described, and completed by `complete.ts`.
 */
import {
  type Address,
  emptyMessage,
  type Fields,
  fields,
  type InboundMessage,
  integer,
  isFields,
  oneLine,
  type RemoteFile,
  string,
} from 'openviber-gateway/plugin';
import { contentOf } from './api.ts';
import { mentions, ownWords } from './words.ts';

export const CHANNEL = 'matrix';

/** What the decoder must know beside the event. */
export interface Around {
  /** The bot's own ID, `@viber:example.org`. */
  self: string;
  /** Its name in the room, as people may write it. */
  selfName?: string | undefined;
  room: string;
  isDirect: boolean;
  nameOf(user: string): string | undefined;
}

export type Decoded =
  | { kind: 'message'; message: InboundMessage }
  /** New words for an earlier event, whose thread the edit doesn't say. */
  | { kind: 'edit'; of: string; message: InboundMessage }
  /** A number under a message: the button that it has there, if it is ours. */
  | { kind: 'number'; under: string; number: number; message: InboundMessage }
  | { kind: 'encrypted' }
  | { kind: 'dropped'; reason: string };

const MAX_TEXT = 20_000;
const MXC = /^mxc:\/\/[\w.:[\]-]{1,255}\/[\w-]{1,255}$/;
const NUMBERS = ['1️⃣', '2️⃣', '3️⃣', '4️⃣', '5️⃣', '6️⃣', '7️⃣', '8️⃣', '9️⃣', '🔟'];
const KINDS: Readonly<Record<string, RemoteFile['kind']>> = {
  'm.image': 'photo',
  'm.file': 'document',
  'm.audio': 'audio',
  'm.video': 'video',
};

export const numberSign = (index: number): string => NUMBERS[index] ?? `${index + 1}.`;
/** The most buttons that have a number. */
export const MAX_NUMBERS = NUMBERS.length;

const dropped = (reason: string): Decoded => ({ kind: 'dropped', reason });

export function decode(event: unknown, around: Around): Decoded {
  if (!isFields(event)) return dropped('malformed');
  const type = string(event, 'type') ?? 'unknown';
  const id = string(event, 'event_id');
  const user = string(event, 'sender');
  if (
    id === undefined ||
    user === undefined ||
    !/^\$[^\s\p{Cc}]{1,254}$/u.test(id) ||
    !/^@[^\s\p{Cc}]{1,254}$/u.test(user)
  )
    return dropped('malformed');
  if (user === around.self) return dropped('own');
  const content = contentOf(event);
  const base = baseOf(event, { id, user, around });
  switch (type) {
    case 'm.room.message':
      return decodeMessage(content, base, around);
    case 'm.sticker':
      return decodeMessage({ ...content, msgtype: 'm.image' }, base, around);
    case 'm.reaction':
      return decodeReaction(content, base);
    case 'm.room.encrypted':
      return { kind: 'encrypted' };
    case 'm.room.tombstone':
      return event.state_key === '' ? decodeMove(content, base, around) : dropped(type);
    default:
      return dropped(type);
  }
}

function baseOf(event: Fields, { id, user, around }: { id: string; user: string; around: Around }): InboundMessage {
  const { self, room, isDirect } = around;
  const name = oneLine(around.nameOf(user) ?? user.slice(1).split(':', 1)[0] ?? user, 80) || user;
  return {
    ...emptyMessage(),
    id,
    kind: 'message',
    address: { channel: CHANNEL, account: self, chat: room },
    sender: { user, name, username: user, isBot: false },
    messageId: id,
    isDirect,
    isMention: isDirect,
    sentAt: Math.min(integer(event, 'origin_server_ts') ?? Date.now(), Date.now()),
  };
}

function decodeMessage(content: Fields, base: InboundMessage, around: Around): Decoded {
  const relation = fields(content, 'm.relates_to') ?? {};
  const isEdit = string(relation, 'rel_type') === 'm.replace';
  // https://spec.matrix.org/latest/client-server-api/#applying-mnew_content
  const own = isEdit ? fields(content, 'm.new_content') : content;
  const of = string(relation, 'event_id');
  if (!own || (isEdit && of === undefined)) return dropped('malformed');
  const said = decodeWords(own, relation, { base, around });
  if (!said) return dropped(Object.keys(content).length === 0 ? 'redacted' : 'empty');
  if (isEdit && of !== undefined) {
    const { command, ...rest } = said;
    return { kind: 'edit', of, message: { ...rest, kind: 'edit', editOf: of, messageId: of } };
  }
  const message = placed(said, relation, around);
  const number = message.original && /^\s*(\d{1,2})\s*$/.exec(message.text)?.[1];
  if (number && message.original)
    return { kind: 'number', under: message.original.message, number: Number(number), message };
  return { kind: 'message', message };
}

/** Returns the message with its words and files; undefined if it has neither. */
function decodeWords(
  content: Fields,
  relation: Fields,
  { base, around }: { base: InboundMessage; around: Around },
): InboundMessage | undefined {
  const msgtype = string(content, 'msgtype');
  const body = (string(content, 'body') ?? '').slice(0, MAX_TEXT).toWellFormed();
  const isReply = fields(relation, 'm.in_reply_to') !== undefined;
  const isMention = mentions(content, around);
  const { files, facts, isCaption } = readFile(content, msgtype, body);
  const isFile = files.length + facts.length > 0;
  const text = isFile && !isCaption ? '' : ownWords(body, { isReply, isMention, around });
  if (text === '' && !isFile && !isMention) return undefined;
  const command = isFile || msgtype === 'm.notice' ? undefined : commandOf(text);
  return {
    ...base,
    ...(command ? { kind: 'command', command } : {}),
    // By convention, what bots say is a notice, and nobody answers one.
    sender: { ...base.sender, isBot: msgtype === 'm.notice' },
    text: msgtype === 'm.emote' ? `* ${text}` : text,
    files,
    facts,
    isMention: base.isDirect || isMention,
  };
}

/**
 * `/status` or `!status`: apps keep what begins with a slash for themselves, unless it is typed twice or behind the
 * bot's name.
 */
export function commandOf(text: string): InboundMessage['command'] {
  const [, name, args = ''] = /^[/!]([a-z][\w-]{0,31})(?:[\s:]+([\s\S]*))?$/i.exec(text) ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), args: args.trim() };
}

/**
 * Puts a message into its thread. In a room, one that calls the bot begins a thread of its own, whose root it is; a
 * command does so only if it begins a task.
 */
function placed(said: InboundMessage, relation: Fields, { room, isDirect }: Around): InboundMessage {
  const isThreaded = string(relation, 'rel_type') === 'm.thread';
  const begins = !isDirect && said.isMention && !said.command;
  const thread = isThreaded ? string(relation, 'event_id') : begins ? said.messageId : undefined;
  // In a thread, apps name its newest message for those that don't know threads.
  const reply =
    relation.is_falling_back === true ? undefined : string(fields(relation, 'm.in_reply_to') ?? {}, 'event_id');
  const { command } = said;
  // The words behind `task` are a goal, however they begin.
  const isGoal = command?.name === 'task' && command.args !== '';
  return {
    ...said,
    ...(thread !== undefined && { address: { ...said.address, thread }, isThread: true }),
    ...(thread === undefined && !isDirect && command && { opensThread: true }),
    ...(isGoal && isDirect && { command: { name: 'new', args: command.args } }),
    ...(isGoal && !isDirect && { text: command.args }),
    ...(reply !== undefined && { repliesTo: reply, original: { chat: room, message: reply } }),
  };
}

function decodeReaction(content: Fields, base: InboundMessage): Decoded {
  const relation = fields(content, 'm.relates_to') ?? {};
  const under = string(relation, 'event_id');
  const plain = (sign: string) => sign.replaceAll('\ufe0f', '');
  const number = NUMBERS.findIndex((sign) => plain(sign) === plain(string(relation, 'key') ?? '')) + 1;
  if (under === undefined || number === 0) return dropped('m.reaction');
  return { kind: 'number', under, number, message: { ...base, isMention: true } };
}

/** https://spec.matrix.org/latest/client-server-api/#room-upgrades */
function decodeMove(content: Fields, base: InboundMessage, { room }: Around): Decoded {
  const next = string(content, 'replacement_room');
  if (next === undefined || !/^![^\s\p{Cc}]{1,254}$/u.test(next)) return dropped('m.room.tombstone');
  const movedTo: Address = { ...base.address, chat: next };
  const facts = [`The room ${room} has become ${next}`];
  return { kind: 'message', message: { ...base, kind: 'migration', isMention: true, movedTo, facts } };
}

interface ReadFile {
  files: RemoteFile[];
  facts: string[];
  /** The body says something, and isn't just the file's name. */
  isCaption: boolean;
}

/** Reads a file's metadata. Its bytes are fetched only once the sender was admitted. */
function readFile(content: Fields, msgtype: string | undefined, body: string): ReadFile {
  if (msgtype === 'm.location') {
    const where = oneLine(string(content, 'geo_uri') ?? '', 120);
    return { files: [], facts: [`A location: ${where} ${oneLine(body, 200)}`.trim()], isCaption: false };
  }
  const kind = msgtype === undefined ? undefined : KINDS[msgtype];
  if (!kind) return { files: [], facts: [], isCaption: false };
  const given = string(content, 'filename');
  const name = oneLine(given ?? body, 120) || 'file';
  const isCaption = given !== undefined && given !== body && body !== '';
  const url = string(content, 'url');
  if (url === undefined || !MXC.test(url))
    return { files: [], facts: [`A file that can't be read, because it is encrypted or damaged: ${name}`], isCaption };
  const info = fields(content, 'info') ?? {};
  const size = integer(info, 'size');
  const duration = integer(info, 'duration');
  const mimeType = string(info, 'mimetype') ?? 'application/octet-stream';
  const isVoice = fields(content, 'org.matrix.msc3245.voice') !== undefined;
  const file: RemoteFile = {
    ...{ id: url, key: url, name, mimeType: oneLine(mimeType, 100), kind: isVoice ? 'voice' : kind },
    ...(size === undefined || size < 0 ? {} : { size }),
    ...(duration === undefined || duration < 0 ? {} : { seconds: Math.ceil(duration / 1000) }),
  };
  return { files: [file], facts: [], isCaption };
}
