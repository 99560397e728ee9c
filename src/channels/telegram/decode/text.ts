/**
 * Turns a Telegram text and its entities into a person's text. Entities become Markdown only where meaning would be
 * lost (links, code); everything else stays as typed. Offsets are UTF-16 units, like JavaScript's own.
 * https://core.telegram.org/bots/api#messageentity
 */
import type { NameOf } from '../../channel.ts';
import { type Fields, fields, integer, list, string } from '../../shared/read.ts';
import { personName } from './facts.ts';

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
  const marks = message[entitiesKey] === undefined ? inferred(raw, bot) : readMarks(raw, list(message, entitiesKey));
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
      cursor = skipAfterMention(raw, mark.end, before);
      out = /[,.;:!?]/.test(raw[cursor] ?? '') ? before.trimEnd() : before;
    } else if (bot && mark.type === 'bot_command' && COMMAND.test(inner) && !command && before.trim() === '') {
      command = { token: inner, ...splitCommand(inner) };
      out = '';
      cursor = mark.end;
    } else {
      const markdown = toMarkdown(mark, inner) ?? namedMention(mark, inner, names);
      if (markdown === undefined) continue;
      out = before + markdown;
      cursor = mark.end;
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
