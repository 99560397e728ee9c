/**
 * The words in blocks, as Slack writes words in a text: what an app says often stands there alone. Bounded, whatever is nested in
 * what. https://docs.slack.dev/reference/block-kit/blocks/
 */
import { type Fields, fields, isFields, list, string } from '../../shared/read.ts';
import { readId } from './base.ts';

const MAX_PARTS = 500;
const MAX_CHARACTERS = 8000;

/** Pieces of one line; everything else begins a line of its own. */
const INLINE: ReadonlySet<string> = new Set(['text', 'link', 'user', 'channel', 'emoji', 'broadcast', 'usergroup']);

export function blockText(blocks: readonly Fields[]): string {
  const waiting = blocks.slice(0, MAX_PARTS);
  let text = '';
  for (let seen = 0; seen < MAX_PARTS && text.length < MAX_CHARACTERS; seen++) {
    const part = waiting.shift();
    if (!part) break;
    const words = wordsOf(part);
    const isInline = INLINE.has(string(part, 'type') ?? '');
    text += isInline || text === '' || text.endsWith('\n') ? words : `\n${words}`;
    waiting.unshift(...inside(part));
  }
  return text
    .replace(/\n{2,}/g, '\n')
    .trim()
    .slice(0, MAX_CHARACTERS);
}

function inside(part: Fields): Fields[] {
  const text = fields(part, 'text');
  const parts = [...(text ? [text] : []), ...list(part, 'fields'), ...list(part, 'elements'), ...cells(part.rows)];
  return parts.slice(0, MAX_PARTS);
}

/** Rows are lists of lists. */
function cells(rows: unknown): Fields[] {
  return Array.isArray(rows) ? rows.slice(0, MAX_PARTS).flat().filter(isFields) : [];
}

function wordsOf(part: Fields): string {
  const id = readId(part, 'user_id') ?? readId(part, 'channel_id');
  const said = string(part, 'text') ?? '';
  switch (part.type) {
    case 'mrkdwn':
    case 'markdown':
      return said;
    case 'link':
      return `<${string(part, 'url') ?? ''}|${escaped(said)}>`;
    case 'user':
      return id === undefined ? '' : `<@${id}>`;
    case 'channel':
      return id === undefined ? '' : `<#${id}>`;
    case 'emoji':
      return `:${string(part, 'name') ?? ''}:`;
    case 'broadcast':
      return `@${string(part, 'range') ?? ''}`;
    case 'image':
      return escaped(string(part, 'alt_text') ?? '');
    default:
      return escaped(said);
  }
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
