/**
 * Turns a Telegram text and its entities into a person's text. Entities become Markdown only where meaning would be
 * lost (links, code); everything else stays as typed. Offsets are UTF-16 units, like JavaScript's own.
 * https://core.telegram.org/bots/api#messageentity
 */
import type { Address, EntryKind, InboundMessage, NameOf, Sender } from '../../channel.ts';
import { pollVotes } from '../../shared/poll.ts';
import { decimal, type Fields, fields, fieldsList, integer, language, string, tidyLine } from '../../shared/read.ts';

/** Twice Telegram's own limit of 100 entities per message. */
const MAX_ENTITIES = 200;

/** Matches what Telegram marks as a command; an entity that marks anything else as one is wrong. */
const COMMAND = /^\/\w{1,32}(@\w{1,32})?$/;

export interface Bot {
  id: number;
  /** The username without `@`. */
  username: string;
  account: string;
  /** Returns the names of people in the configuration. */
  nameOf?: NameOf;
  /** Returns the name of somebody who has written before, by their lower-case username. */
  knownAs?: (username: string) => string | undefined;
}

/** The sources of names for people who are mentioned. */
export type Names = Pick<Bot, 'nameOf' | 'knownAs'>;

export interface Words {
  text: string;
  /** A command at the start. `to` is the lower-case username that it names, if any. */
  command?: { name: string; args: string; to?: string };
  /** True if the text mentioned the bot. The mention is removed from the text. */
  mentioned: boolean;
}

interface Mark {
  type: string;
  start: number;
  end: number;
  entity: Fields;
}

/** Reads a message's `text` or `caption`. Without `bot`, nothing counts as a command or a mention of the bot. */
export function readWords(message: Fields, bot?: Bot, names: Names = bot ?? {}): Words {
  const key = message.text === undefined ? 'caption' : 'text';
  const raw = string(message, key) ?? '';
  const entitiesKey = key === 'text' ? 'entities' : 'caption_entities';
  if (raw === '') return { text: '', mentioned: false };
  const marks =
    message[entitiesKey] === undefined ? inferred(raw, bot) : readMarks(raw, fieldsList(message, entitiesKey));
  return assemble(raw, marks, bot, names);
}

function assemble(raw: string, marks: Mark[], bot: Bot | undefined, names: Names): Words {
  let out = '';
  let cursor = 0;
  let mentioned = false;
  let command: { token: string; name: string; to?: string } | undefined;
  for (const mark of marks) {
    if (mark.start < cursor) continue;
    const inner = raw.slice(mark.start, mark.end);
    const before = out + raw.slice(cursor, mark.start);
    if (bot && isMention(mark, inner, bot)) {
      mentioned = true;
      const isFirst = before.slice(before.lastIndexOf('\n') + 1).trim() === '';
      cursor = skipAfterMention(raw, mark.end, isFirst ? '' : before);
      out = !isFirst && /[,.;:!?]/.test(raw[cursor] ?? '') ? before.trimEnd() : before;
    } else if (bot && mark.type === 'bot_command' && COMMAND.test(inner) && !command && before.trim() === '') {
      command = { token: inner, ...splitCommand(inner) };
      out = '';
      cursor = mark.end;
    } else {
      const markdown = toMarkdown(mark, inner) ?? namedMention(mark, inner, names);
      if (markdown === undefined) continue;
      const isFence = mark.type === 'pre';
      // A fence counts only on a line of its own, and a command in front of it is added at the end.
      const isLineStart = before === '' ? command === undefined : before.endsWith('\n');
      out = before + (isFence && !isLineStart ? '\n' : '') + markdown;
      cursor = mark.end;
      if (isFence && cursor < raw.length && raw[cursor] !== '\n') out += '\n';
    }
  }
  const rest = (out + raw.slice(cursor)).replaceAll('\0', '');
  if (!command) return { text: mentioned ? rest.trim() : rest, mentioned };
  const { token, name, to } = command;
  return { text: token + rest, command: { name, args: rest.trim(), ...(to !== undefined && { to }) }, mentioned };
}

function readMarks(text: string, entities: Fields[]): Mark[] {
  const marks: Mark[] = [];
  for (const entity of entities.slice(0, MAX_ENTITIES)) {
    const start = integer(entity, 'offset') ?? -1;
    const end = start + (integer(entity, 'length') ?? 0);
    const type = string(entity, 'type');
    if (type !== undefined && start >= 0 && end > start && end <= text.length) marks.push({ type, start, end, entity });
  }
  return marks.sort((a, b) => a.start - b.start || b.end - a.end);
}

/**
 * Infers marks for a text without an entities field. Bridges and hand-made updates omit it; Telegram's own servers
 * never do if there is an entity.
 */
function inferred(text: string, bot: Bot | undefined): Mark[] {
  if (!bot) return [];
  const marks: Mark[] = [];
  const add = (type: string, start: number, length: number) =>
    marks.push({ type, start, end: start + length, entity: {} });
  const command = /^(\s*(?:@\w{1,32}\s+)?)(\/[a-z0-9_]{1,32}(?:@\w{1,32})?)(?!\S)/i.exec(text);
  if (command?.[2]) add('bot_command', (command[1] ?? '').length, command[2].length);
  if (text.includes('@'))
    for (const found of text.matchAll(/(?<![\w/@])@\w{1,32}/g)) add('mention', found.index, found[0].length);
  return marks.slice(0, MAX_ENTITIES).sort((a, b) => a.start - b.start);
}

function isMention(mark: Mark, inner: string, bot: Bot): boolean {
  if (mark.type === 'mention') return inner.toLowerCase() === `@${bot.username.toLowerCase()}`;
  if (mark.type !== 'text_mention') return false;
  const user = fields(mark.entity, 'user');
  return user !== undefined && integer(user, 'id') === bot.id;
}

/** Skips what follows a mention: `@bot, plan` becomes `plan`, and `hey @bot plan` keeps one space. */
function skipAfterMention(text: string, from: number, before: string): number {
  const skipped = before.trim() === '' ? ' ,:;' : /\s$/.test(before) ? ' ' : '';
  let at = from;
  while (at < text.length && skipped.includes(text.charAt(at))) at++;
  return at;
}

function splitCommand(token: string): { name: string; to?: string } {
  const [name = '', to] = token.slice(1).toLowerCase().split('@', 2);
  return to === undefined ? { name } : { name, to };
}

function toMarkdown(mark: Mark, inner: string): string | undefined {
  if (mark.type === 'text_link') {
    const url = string(mark.entity, 'url');
    if (url === undefined || url === inner) return undefined;
    const target = /[\s()<>]/.test(url) ? `<${url.replace(/[\s<>]/g, encodeURIComponent)}>` : url;
    return `[${inner.replace(/[[\]\\]/g, '\\$&')}](${target})`;
  }
  if (mark.type === 'code') {
    const fence = '`'.repeat(longestRun(inner) + 1);
    return fence.length > 1 ? `${fence} ${inner} ${fence}` : fence + inner + fence;
  }
  if (mark.type === 'pre') {
    const fence = '`'.repeat(Math.max(3, longestRun(inner) + 1));
    const language = /^[\w+#.-]{1,30}$/.exec(string(mark.entity, 'language') ?? '')?.[0] ?? '';
    return `${fence}${language}\n${inner.replace(/\n$/, '')}\n${fence}`;
  }
  return undefined;
}

/** Returns a mention with the person's name; undefined if the mention already shows it. */
function namedMention(mark: Mark, inner: string, { nameOf, knownAs }: Names): string | undefined {
  if (mark.type === 'mention') {
    const name = knownAs?.(inner.slice(1).toLowerCase());
    return name === undefined || name.toLowerCase() === inner.slice(1).toLowerCase() ? undefined : `${inner} (${name})`;
  }
  const user = mark.type === 'text_mention' ? fields(mark.entity, 'user') : undefined;
  if (!user) return undefined;
  const configured = nameOf?.(String(integer(user, 'id') ?? ''));
  if (configured !== undefined) return `@${configured}`;
  const shown = personName(user);
  return shown.toLowerCase().includes(inner.replace(/^@/, '').toLowerCase()) ? undefined : `${inner} (${shown})`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const run of text.matchAll(/`+/g)) longest = Math.max(longest, run[0].length);
  return longest;
}

/** A checklist has up to 30 items of 100 characters, and a poll 12 options of as many. */
const MAX_FACT = 5000;

type Describe = (body: Fields) => string | undefined;

/** Message fields and their descriptions. A venue is also under `location`, hence the order. */
const FACTS = new Map<string, Describe>([
  [
    'venue',
    (body) =>
      `Venue: ${fieldLine(body, 'title')}, ${fieldLine(body, 'address')}${suffix(point(fields(body, 'location')))}`,
  ],
  ['location', location],
  ['contact', (body) => `Contact: ${personName(body)}, ${fieldLine(body, 'phone_number')}`],
  ['poll', poll],
  ['dice', (body) => `Dice ${fieldLine(body, 'emoji')}: ${integer(body, 'value') ?? '?'}`],
  ['sticker', (body) => `Sticker: ${fieldLine(body, 'emoji') || 'no emoji'}`],
  ['checklist', checklist],
  ['story', (body) => `Story of ${chatName(fields(body, 'chat') ?? {})}`],
  ['game', (body) => `Game: ${fieldLine(body, 'title')}`],
  ['invoice', invoice],
  ['giveaway', (body) => `Giveaway: ${prizeOf(body)}, ${integer(body, 'winner_count') ?? '?'} winners`],
  ['giveaway_winners', (body) => `Giveaway: ${prizeOf(body)}, won by ${each(body, 'winners', personName)}`],
  ['paid_media', (body) => `Paid media, ${integer(body, 'star_count') ?? '?'} Stars; bots cannot open it`],
]);

export function readFacts(message: Fields): string[] {
  const facts: string[] = [];
  for (const [key, describe] of FACTS) {
    const body = fields(message, key);
    if (!body || (key === 'location' && message.venue !== undefined)) continue;
    const fact = describe(body);
    if (fact !== undefined) facts.push(tidyLine(fact, MAX_FACT));
  }
  return facts;
}

/** Returns the person's own first and last name; for display only. */
export function personName(user: Fields): string {
  const full = tidyLine(`${string(user, 'first_name') ?? ''} ${string(user, 'last_name') ?? ''}`, 100);
  return full || tidyLine(string(user, 'username') ?? '', 100) || String(integer(user, 'id') ?? 'unknown');
}

export function chatName(chat: Fields): string {
  return tidyLine(string(chat, 'title') ?? '', 100) || personName(chat);
}

function fieldLine(body: Fields, key: string): string {
  return tidyLine(string(body, key) ?? '');
}

function each(body: Fields, key: string, describe: (item: Fields) => string): string {
  return fieldsList(body, key).slice(0, 30).map(describe).join('; ');
}

/** Describes a poll. The counts are as of the update; before the first vote they are omitted. */
function poll(body: Fields): string {
  const total = integer(body, 'total_voter_count') ?? 0;
  const state = [total > 0 ? pollVotes(total) : '', body.is_closed === true ? 'closed' : ''].filter(Boolean);
  const note = state.length > 0 ? ` (${state.join(', ')})` : '';
  const right = Array.isArray(body.correct_option_ids) ? body.correct_option_ids : [body.correct_option_id];
  const options = fieldsList(body, 'options')
    .slice(0, 30)
    .map((one, at) => pollOption(one, total > 0) + (right.includes(at) ? ' (correct)' : ''));
  return `Poll${note}: ${fieldLine(body, 'question')} Options: ${options.join('; ')}`;
}

function pollOption(option: Fields, isCounted: boolean): string {
  const votes = integer(option, 'voter_count');
  return fieldLine(option, 'text') + (isCounted && votes !== undefined ? `: ${pollVotes(votes)}` : '');
}

function checklist(body: Fields): string {
  return `Checklist: ${fieldLine(body, 'title')}: ${each(body, 'tasks', checklistTask)}`;
}

function checklistTask(task: Fields): string {
  return `[${(integer(task, 'completion_date') ?? 0) > 0 ? 'x' : ' '}] ${fieldLine(task, 'text')}`;
}

/** Returns the checklist item or poll option that a message replies to. */
export function answeredItem(message: Fields, answered: Fields): string | undefined {
  const taskId = integer(message, 'reply_to_checklist_task_id');
  const task = fieldsList(fields(answered, 'checklist') ?? {}, 'tasks').find((one) => integer(one, 'id') === taskId);
  if (task) return checklistTask(task);
  const optionId = string(message, 'reply_to_poll_option_id');
  const options = fieldsList(fields(answered, 'poll') ?? {}, 'options');
  const option = options.find((one) => optionId !== undefined && string(one, 'persistent_id') === optionId);
  return option && pollOption(option, true);
}

/** The amount is a whole number of the currency's smallest unit. */
function invoice(body: Fields): string {
  const amount = `${integer(body, 'total_amount') ?? '?'} of the smallest unit of ${fieldLine(body, 'currency')}`;
  return `Invoice: ${fieldLine(body, 'title')}, ${fieldLine(body, 'description')}, ${amount}`;
}

const prizeOf = (body: Fields): string => {
  const stars = integer(body, 'prize_star_count');
  return fieldLine(body, 'prize_description') || (stars === undefined ? 'Telegram Premium' : `${stars} Stars`);
};

function location(body: Fields): string | undefined {
  const at = point(body);
  if (at === undefined) return undefined;
  return `${integer(body, 'live_period') === undefined ? 'Location' : 'Live location'}: ${at}`;
}

function point(body: Fields | undefined): string | undefined {
  const latitude = body && decimal(body, 'latitude');
  const longitude = body && decimal(body, 'longitude');
  return latitude === undefined || longitude === undefined ? undefined : `${latitude}, ${longitude}`;
}

function suffix(at: string | undefined): string {
  return at === undefined ? '' : ` (${at})`;
}

/** The result of decoding. `reason` is an update kind or `message.<field>`: few values, safe to count by. */
export type DecodedUpdate = { kind: 'message'; message: InboundMessage } | { kind: 'dropped'; reason: string };

export interface Context {
  bot: Bot;
  updateId: number;
  /** Milliseconds since the epoch; the date of events without a time of their own. */
  now: number;
}

/** Drops an update. Keys come from outside and end up in counters, so only plain names pass. */
export function dropped(reason: string): DecodedUpdate {
  return { kind: 'dropped', reason: /^[\w.-]{1,60}$/.test(reason) ? reason : 'unknown' };
}

/**
 * Returns a message's address. Only forum topics are threads, except General; replies in plain groups also have a
 * `message_thread_id`.
 */
export function readAddress(message: Fields, chatId: number, bot: Bot): Address {
  const thread = message.is_topic_message === true ? integer(message, 'message_thread_id') : undefined;
  const address = { channel: 'telegram', account: bot.account, chat: String(chatId) };
  return thread === undefined ? address : { ...address, thread: String(thread) };
}

/**
 * Returns the sender. A message on behalf of a chat (an anonymous admin, a channel) is that chat's; its `from` is a
 * placeholder.
 */
export function readSender(message: Fields, kind: EntryKind): Sender | undefined {
  const chat = fields(message, 'sender_chat');
  if (chat) return readChat(chat);
  const user = fields(message, 'from');
  if (user && kind !== 'channel-post') return readUser(user);
  const posted = fields(message, 'chat');
  return posted?.type === 'channel' ? readChat(posted) : undefined;
}

export function readUser(user: Fields): Sender | undefined {
  const id = integer(user, 'id');
  if (id === undefined) return undefined;
  return {
    user: String(id),
    name: personName(user),
    ...username(user),
    isBot: user.is_bot === true,
    ...language(user, 'language_code'),
  };
}

function readChat(chat: Fields): Sender | undefined {
  const id = integer(chat, 'id');
  return id === undefined ? undefined : { user: String(id), name: chatName(chat), ...username(chat), isBot: false };
}

function username(of: Fields): { username?: string } {
  const name = string(of, 'username');
  return name !== undefined && /^\w{1,64}$/.test(name) ? { username: name } : {};
}
