/**
 * Writes standard Markdown for Slack's `markdown` block, which shows headings, lists, tasks, tables and code as a page
 * would. Slack also reads its own `<...>` tokens in it, so every `<` of a text is escaped.
 * https://docs.slack.dev/reference/block-kit/blocks/markdown-block
 */
import { type InlineMarkup, type Place, writeLines } from '../../markdown/inline.ts';
import type { Dialect } from '../../markdown/pack.ts';
import type { ItemMark, Piece } from '../../markdown/pieces.ts';
import type { Inline, Span } from '../../markdown/rich.ts';

const JOINER = '\u2060';
const MENTION = /@(?=channel|here|everyone)/gi;
// Code can't be escaped; only what would be a mention or would hide a link is broken.
const TOKEN = /<(?=!(?:channel|here|everyone|group|subteam|date)|@[A-Z0-9]|#[A-Z0-9]|[a-z][a-z0-9+.-]*:[^\s<>|]*\|)/gi;
// Matches characters that Markdown counts neither as blank nor as punctuation.
const LETTER = /[^\s\p{P}\p{S}]/u;
/** Matches what begins a heading, a list or a task. */
const LINE_START = /^(\s*)(?:(#{1,6}|[-+*])(?=\s|$)|(\[)(?=[ xX]\]\s)|(\d{1,9})(?=[.)](?:\s|$)))/;
const SIGN = /[*~`_[\]<>\\&!]/g;
const PUNCTUATION = /[!-/:-@[-`{-~]/;
/** Matches the beginning of what would become a URL and swallow the mark after the text. */
const OPEN_URL = /(?:www(?=\.)|:(?=\/\/))/gi;
/** A text without any of these needs no escaping. */
const SIGNS = /[!-&(-+\--/:-@[-`{-~\d]/;
/** Matches what would turn the line above into a heading or a table. */
const UNDERLINE = /^\s*[-:|=][-:|=\s]*$/;

const markup: InlineMarkup = { text: escapeMarkdownText, span: spanned };

export const block: Dialect = {
  text(inline, heading) {
    if (heading === undefined) return broken(writeLines(inline, markup));
    const [line = ''] = writeLines({ text: inline.text.replaceAll('\n', ' '), spans: inline.spans }, markup);
    return [`${'#'.repeat(heading)} ${line.trim().replace(/#+$/, (marks) => `\\${marks}`)}`];
  },
  code(text, language) {
    const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length));
    const fence = '`'.repeat(longest + 1);
    return [fence + (language ?? ''), ...inert(text).split('\n'), fence];
  },
  table({ align, rows }) {
    const columns = Array.from({ length: Math.max(1, ...rows.map((row) => row.length)) });
    const dashes = columns.map((_cell, column) => {
      const side = align[column];
      return side === 'center' ? ':-:' : side === 'right' ? '--:' : side === 'left' ? ':--' : '---';
    });
    const lines = rows.map((row) => tableRow(columns.map((_cell, column) => writeCell(row[column]))));
    return [lines[0] ?? '', tableRow(dashes), ...lines.slice(1)];
  },
  rule: '---',
  mark: (mark) => bulletOf(mark) + (mark.checked === undefined ? '' : mark.checked ? '[x] ' : '[ ] '),
  indent: (mark) => ' '.repeat(bulletOf(mark).length),
  // Text continues over a line break, so only what begins something else may follow it directly.
  isApart(before, after) {
    if (after.apart || before.content.type === 'table' || after.content.type === 'table') return true;
    if (after.begins.size === 0 || before.containers.length < after.containers.length) return true;
    return isQuoted(before) !== isQuoted(after);
  },
  nesting: 'nested',
  quotesCode: true,
};

function isQuoted(piece: Piece): boolean {
  return piece.containers.some((container) => container.kind === 'quote');
}

function bulletOf({ number }: ItemMark): string {
  return number === undefined ? '- ' : `${number}. `;
}

function tableRow(cells: string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function writeCell(cell: Inline | undefined): string {
  // A cell is one line. A blank is as long as a line break, so the spans keep their positions.
  const flat = cell && { ...cell, text: cell.text.replaceAll('\n', ' ') };
  const [line = ''] = flat === undefined ? [] : writeLines(flat, markup);
  // A pipe ends a cell even in code, and two backslashes before it would be one and the end of the cell.
  return line.trim().replace(/(\\?)\|/g, (_all, backslash: string) => `${backslash}${backslash && JOINER}\\|`);
}

/** Keeps line breaks. */
function broken(lines: string[]): string[] {
  return lines.map((line, index) => {
    const shown = line.trim();
    const isLast = index === lines.length - 1 || lines[index + 1]?.trim() === '';
    return isLast || shown === '' ? shown : `${shown}  `;
  });
}

function inert(code: string): string {
  return code.replace(TOKEN, `<${JOINER}`);
}

/** Escapes text. A character that can't be a mark in its position gets no backslash, so that copies are clean. */
function escapeMarkdownText(raw: string, { line, start, outer }: Place): string {
  if (!SIGNS.test(raw)) return raw;
  const inLink = outer.some((span) => span.kind === 'link');
  // A single mark means nothing.
  const isRepeated = (mark: string): boolean =>
    line.spans.length > 0 || line.text.indexOf(mark) < line.text.lastIndexOf(mark);
  const sign = (mark: string, index: number): string => {
    const at = start + index;
    const next = line.text.charAt(at + 1);
    switch (mark) {
      case '<':
        return '&lt;';
      case '>':
        return '&gt;';
      case '&':
        return /^&#?\w+;/.test(line.text.slice(at, at + 40)) ? '&amp;' : mark;
      case '\\':
        return next === '' || PUNCTUATION.test(next) ? '\\\\' : mark;
      case '[':
        return inLink || next === '^' ? '\\[' : mark;
      case ']':
        return inLink || (next !== '' && '[(:'.includes(next)) ? '\\]' : mark;
      case '!':
        // Before a link it would make it an image.
        return !inLink && index === raw.length - 1 && next !== '' ? '\\!' : mark;
      case '_':
        return isRepeated(mark) && !/^\w_[A-Za-z0-9]/.test(line.text.slice(Math.max(0, at - 1), at + 2)) ? '\\_' : mark;
      default:
        return isRepeated(mark) ? `\\${mark}` : mark;
    }
  };
  const safe = raw.replace(SIGN, sign).replace(MENTION, (at) => `${at}${JOINER}`);
  const isOpen = !inLink && start + raw.length < line.text.length;
  const from = isOpen ? safe.lastIndexOf(' ') + 1 : safe.length;
  const text = safe.slice(0, from) + safe.slice(from).replace(OPEN_URL, (begin) => `${begin}${JOINER}`);
  if (line.text.slice(0, start).trim() !== '') return text;
  if (UNDERLINE.test(line.text)) return text.replace(/^\s*/, '$&\\');
  return text.replace(LINE_START, (_all, blank: string, mark = '', bracket = '', number = '') =>
    number === '' ? `${blank}\\${mark}${bracket}` : `${blank}${number}\\`,
  );
}

function spanned(span: Span, inner: string, { line, start, end, outer }: Place): string {
  const before = line.text.slice(0, start).at(-1) ?? '';
  const after = line.text.charAt(end);
  switch (span.kind) {
    case 'bold':
      return around('**', inner, before, after);
    case 'strike':
      return around('~~', inner, before, after);
    case 'italic':
      return around(/[\p{L}\p{N}_*]/u.test(before + after) ? '*' : '_', inner, before, after);
    case 'code':
      return codeSpan(inner);
    case 'link':
      return outer.some((one) => one.kind === 'link') ? inner : markdownLink(inner, span.url);
    default:
      return inner;
  }
}

/**
 * Adds marks. A mark between a letter and punctuation would not count, so an invisible character takes the place of a
 * letter inside.
 */
function around(mark: string, inner: string, before: string, after: string): string {
  const opens = LETTER.test(before) ? JOINER : '';
  const closes = LETTER.test(after) ? JOINER : '';
  return `${mark}${opens}${inner}${closes}${mark}`;
}

function codeSpan(code: string): string {
  const longest = Math.max(0, ...(code.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = /^`|`$/.test(code) ? ' ' : '';
  return `${fence}${pad}${inert(code)}${pad}${fence}`;
}

function markdownLink(inner: string, url: string): string {
  const target = url
    .replace(
      /[<>()[\]\\`*|"~\s]|@(?=channel|here|everyone)/gi,
      (mark) => `%${mark.charCodeAt(0).toString(16).padStart(2, '0')}`,
    )
    .replace(/&(?=#?\w+;)/g, '%26');
  return `[${inner}](${target})`;
}
