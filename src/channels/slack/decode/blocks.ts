/**
 * Reads the text in blocks, in the markup that Slack uses in texts. Total and bounded, whatever the nesting.
 * https://docs.slack.dev/reference/block-kit/blocks/
 */
import { type Fields, fields, fieldsList, integer, isFields, string } from '../../shared/read.ts';
import { readId, type Self } from './base.ts';
import { readInside } from './text.ts';

/** Above Slack's own limits of 50 blocks, tables of 100 rows and 20 columns, and 40,000 characters. */
const MAX_BLOCKS = 200;
const MAX_PARTS = 20_000;
const MAX_CHARACTERS = 40_000;
const MAX_DEPTH = 12;
const MAX_COLUMNS = 100;

/** Keys that hold text in blocks, and in kinds that Slack may add, in display order. */
const PLACES = [
  ...['title', 'subtitle', 'author_name', 'label', 'text', 'body', 'description', 'details', 'fields', 'elements'],
  ...['element', 'tasks', 'output', 'sources', 'cards', 'blocks', 'accessory', 'hint', 'placeholder'],
];

/** The remaining limits for one message, shared by all of its texts, blocks and attachments. */
export interface Reading {
  self: Self;
  blocks: number;
  parts: number;
  characters: number;
  /** Characters of its texts outside the blocks, which mostly repeat the blocks. */
  texts: number;
  /** True if a table mentions this bot; its cells are plain text by then. */
  mentioned: boolean;
}

export const createReading = (self: Self): Reading => ({
  self,
  blocks: MAX_BLOCKS,
  parts: MAX_PARTS,
  characters: MAX_CHARACTERS,
  texts: MAX_CHARACTERS,
  mentioned: false,
});

/** Returns one source for each block with text, in Slack's markup. */
export function readBlocks(blocks: readonly Fields[], reading: Reading): string[] {
  const sources: string[] = [];
  for (const block of blocks) {
    if (reading.blocks-- <= 0 || reading.parts <= 0 || reading.characters <= 0) break;
    const source = readPart(block, reading, 0).trim();
    if (source !== '') sources.push(source);
  }
  return sources;
}

function readPart(part: Fields, reading: Reading, depth: number): string {
  if (--reading.parts < 0 || depth > MAX_DEPTH) return '';
  const all = (key: string) => fieldsList(part, key).map((each) => readPart(each, reading, depth + 1));
  switch (part.type) {
    case 'rich_text_section':
      return all('elements').join('');
    case 'rich_text_list':
      return readListItems(part, all('elements'));
    case 'rich_text_quote':
      return indented(all('elements').join(''), '> ');
    case 'rich_text_preformatted':
      return fenced(all('elements').join(''), string(part, 'language') ?? '');
    case 'context':
      return joinFilled(all('elements'), ' ');
    case 'actions':
    case 'context_actions':
      return joinFilled(all('elements'), ' ');
    case 'table':
    case 'data_table':
      return table(part.rows, reading, depth);
    case 'mrkdwn':
    case 'markdown':
      return taken(string(part, 'text') ?? '', reading);
    default:
      return leaf(part, reading) ?? elsewhere(part, reading, depth);
  }
}

/** Reads the smallest pieces; returns undefined for a part that holds others. */
function leaf(part: Fields, reading: Reading): string | undefined {
  const said = string(part, 'text') ?? '';
  switch (part.type) {
    case 'text':
      return styled(taken(escapeControl(said), reading), fields(part, 'style') ?? {});
    case 'plain_text':
    case 'raw_text':
      return taken(escapeControl(said), reading);
    case 'raw_number':
      return taken(escapeControl(said || String(part.value ?? '')), reading);
    case 'link':
      return taken(linkMark(string(part, 'url') ?? '', said), reading);
    case 'user':
      return idMention(part, 'user_id', '@');
    case 'usergroup':
      return idMention(part, 'usergroup_id', '!subteam^');
    case 'channel':
      return idMention(part, 'channel_id', '#');
    case 'broadcast':
      return `<!${stripBrackets(string(part, 'range') ?? 'here')}>`;
    case 'emoji':
      return emoji(part);
    case 'date':
      return date(part);
    case 'color':
      return escapeControl(string(part, 'value') ?? '');
    case 'image':
      return bracketed('image', [title(part), string(part, 'alt_text')]);
    case 'video':
      return video(part);
    case 'call':
      return call(fields(fields(part, 'call') ?? {}, 'v1') ?? {});
    case 'button':
    case 'workflow_button':
      return readButton(part);
    default:
      return undefined;
  }
}

function elsewhere(part: Fields, reading: Reading, depth: number): string {
  const lines = PLACES.map((place) => {
    const value = part[place];
    if (typeof value === 'string') return taken(escapeControl(value), reading);
    const parts = isFields(value) ? [value] : fieldsList(part, place);
    return joinFilled(
      parts.map((each) => readPart(each, reading, depth + 1)),
      '\n',
    );
  });
  return joinFilled(lines, '\n');
}

const joinFilled = (parts: readonly string[], by: string): string =>
  parts.filter((part) => part.trim() !== '').join(by);

/** Counts the text against the limit, and cuts it there. */
function taken(words: string, reading: Reading): string {
  const rest = Math.max(0, reading.characters);
  reading.characters -= words.length;
  return words.length <= rest ? words : words.slice(0, rest);
}

/** Adds marks such as `*bold*` as Slack writes them: next to words, not next to the spaces around them. */
function styled(words: string, style: Fields): string {
  const marks = [style.code === true && '`', style.bold === true && '*', style.italic === true && '_'];
  const mark = [...marks, style.strike === true && '~'].filter((each) => each !== false).join('');
  const [, before = '', inner = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(words) ?? [];
  return mark === '' || inner === '' ? words : `${before}${mark}${inner}${[...mark].reverse().join('')}${after}`;
}

function readListItems(part: Fields, items: readonly string[]): string {
  const indent = '    '.repeat(Math.min(Math.max(integer(part, 'indent') ?? 0, 0), 8));
  const first = 1 + Math.max(integer(part, 'offset') ?? 0, 0);
  const isOrdered = part.style === 'ordered';
  return items
    .map((item, n) => `${indent}${isOrdered ? `${first + n}.` : '-'} ${indented(item, `${indent}  `).trimStart()}`)
    .join('\n');
}

const indented = (text: string, by: string): string =>
  text
    .split('\n')
    .map((line) => by + line)
    .join('\n');

/** Fences code with a fence longer than any in it. */
function fenced(code: string, language: string): string {
  const longest = Math.max(0, ...[...code.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}${/^[\w+#.-]{1,30}$/.test(language) ? language : ''}\n${code}\n${fence}`;
}

/** Removes the characters that would end a name or URL inside `<...>`. */
const stripBrackets = (text: string): string => text.replace(/[<>|]/g, '');

function linkMark(url: string, label: string): string {
  const target = url.replace(/[<>|]/g, encodeURIComponent).replaceAll('&', '&amp;');
  if (target === '') return escapeControl(label);
  return label === '' ? `<${target}>` : `<${target}|${escapeControl(label)}>`;
}

function idMention(part: Fields, key: string, sign: string): string {
  const id = readId(part, key);
  return id === undefined ? '' : `<${sign}${id}>`;
}

function emoji(part: Fields): string {
  const name = (string(part, 'name') ?? '').slice(0, 100);
  const tone = integer(part, 'skin_tone');
  return name === '' ? '' : escapeControl(`:${name}:${tone === undefined ? '' : `:skin-tone-${tone}:`}`);
}

function date(part: Fields): string {
  const fallback = string(part, 'fallback') ?? '';
  const timestamp = integer(part, 'timestamp') ?? Number.NaN;
  const at = new Date(timestamp * 1000);
  return escapeControl(fallback || (Number.isNaN(at.getTime()) ? '' : at.toISOString()));
}

function title(part: Fields): string {
  const given = fields(part, 'title');
  return (given ? string(given, 'text') : string(part, 'title')) ?? '';
}

function bracketed(kind: string, words: readonly (string | undefined)[]): string {
  const said = [...new Set(words.map((word) => word?.trim() ?? ''))].filter((word) => word !== '');
  return said.length === 0 ? '' : escapeControl(`[${kind}: ${said.join(', ')}]`);
}

function video(part: Fields): string {
  const about = fields(part, 'description') ?? {};
  const url = string(part, 'title_url');
  const words = bracketed('video', [title(part), string(about, 'text'), string(part, 'alt_text')]);
  return joinFilled([words, url === undefined ? '' : linkMark(url, '')], ' ');
}

function call(part: Fields): string {
  const url = string(part, 'join_url');
  return joinFilled([bracketed('call', [string(part, 'name')]), url === undefined ? '' : linkMark(url, '')], ' ');
}

function readButton(part: Fields): string {
  const label = string(fields(part, 'text') ?? {}, 'text') ?? '';
  const url = string(part, 'url');
  if (label === '') return '';
  return url === undefined ? escapeControl(`[${label}]`) : linkMark(url, label);
}

/** Writes a table as Markdown; the first row is its header. Cells are plain text, escaped so that none ends early. */
function table(rows: unknown, reading: Reading, depth: number): string {
  const cells = (Array.isArray(rows) ? rows : []).map((row) =>
    (Array.isArray(row) ? row : []).slice(0, MAX_COLUMNS).map((cell) => readCell(cell, reading, depth + 1)),
  );
  const filled = cells.filter((row) => row.some((cell) => cell !== ''));
  const [head, ...body] = filled;
  if (!head) return '';
  const width = Math.max(...filled.map((row) => row.length));
  const line = (row: readonly string[]) => `| ${Array.from({ length: width }, (_, n) => row[n] ?? '').join(' | ')} |`;
  return escapeControl([line(head), line(Array<string>(width).fill('---')), ...body.map(line)].join('\n'));
}

function readCell(cell: unknown, reading: Reading, depth: number): string {
  if (!isFields(cell) || reading.parts <= 0) return '';
  const { text, mentioned } = readInside(readPart(cell, reading, depth), reading.self);
  if (mentioned) reading.mentioned = true;
  return text
    .trim()
    .replaceAll('|', '\\|')
    .replace(/\s*\n\s*/g, ' ');
}

const escapeControl = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
