/**
 * Writes Discord's Markdown as its clients read it: what they treat as bold, a list, a link or a mention, and how to
 * escape each character of a text. https://discord.com/developers/docs/reference#message-formatting,
 * https://support.discord.com/hc/en-us/articles/210298617
 */
import { type InlineMarkup, type Place, writeLines } from '../../markdown/inline.ts';
import type { Dialect } from '../../markdown/pack.ts';
import type { Table } from '../../markdown/pieces.ts';
import type { Inline, Span } from '../../markdown/rich.ts';
import { alignTable, cellWidth } from '../../markdown/table.ts';
import { linksIn } from '../../markdown/table-forms.ts';

const JOINER = '\u2060';
/** Columns of monospace text that a window of usual width shows without wrapping. */
const MAX_WIDTH = 80;
const MAX_ROW = 700;

// A backslash shows the character, but the server finds mentions behind backslashes too, so those are broken as well.
const MENTION = /@(?=everyone|here)|<(?=[@#:]|\w{1,32}:|\/[^>\n]{1,100}:)/iy;
const SPECIAL = /[\\*_~`[\]]|<(?!\s|$)|\|(?=\|)|(?<=\|)\|/g;
/** Matches what would become a URL and swallow the mark after the text. */
const OPEN_URL = /:(?=\/\/)/g;
/** Matches what begins a heading, small print, a list or a quotation. */
const LINE_START = /^(\s*)(?:(#{1,3}|-#?|>{1,3})(?=\s|$)|(\d+)(?=\.(?:\s|$)))/;
/**
 * Matches a label that can be a link. Discord shows backslashes in labels, and one with a URL, a mention or an emoji
 * isn't a link at all.
 */
const PLAIN_LABEL = /^(?:[\p{L}\p{M}\p{N} .,;!?'"()/&%+=-]|(?<=[A-Za-z0-9])_(?=[A-Za-z0-9]))+$/u;
const MAX_LABEL = 300;

export const markup: InlineMarkup = { text: escapeDiscord, span: spanned };

export const discord: Dialect = {
  text(inline, heading) {
    if (heading === undefined) return writeLines(inline, markup);
    const bold: Span = { kind: 'bold', start: 0, end: inline.text.length };
    const text = inline.text.replaceAll('\n', ' ');
    if (heading > 3) return writeLines({ text, spans: [bold, ...inline.spans] }, markup);
    const [line = ''] = writeLines({ text, spans: inline.spans }, markup);
    return [`${'#'.repeat(heading)} ${line.trim()}`];
  },
  // A fence ends at the next three backticks, wherever they are.
  code: (text, language) => [`\`\`\`${language ?? ''}`, ...text.replace(/`(?=``)/g, `$&${JOINER}`).split('\n'), '```'],
  table(table) {
    const aligned = alignTable(cellsOf(table), table.align);
    const links = linksIn(table.rows);
    return [...discord.code(aligned, undefined), ...(links.text === '' ? [] : writeLines(links, markup))];
  },
  rule: '———',
  mark: ({ number, checked }) => {
    const bullet = number === undefined ? '- ' : `${number}. `;
    return checked === undefined ? bullet : `${bullet}${checked ? '☑' : '☐'} `;
  },
  indent: ({ number }) => ' '.repeat(number === undefined ? 2 : `${number}. `.length),
  isApart(before, after) {
    const isBlock = before.content.type === 'code' || after.content.type === 'code' || after.content.type === 'table';
    const isTitled = before.content.type === 'text' && (before.content.heading ?? 4) <= 3;
    return after.apart && !isBlock && !isTitled;
  },
  nesting: 'flat',
  quotesCode: true,
};

/**
 * Returns false for a table that would wrap, which nobody can read, or whose rows are too long for a message; it
 * becomes a list.
 */
export function isNarrow(table: Table): boolean {
  const widths: number[] = [];
  for (const row of table.rows) {
    if (row.reduce((sum, cell) => sum + weight(cell), 0) > MAX_ROW) return false;
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cellWidth(cell.text));
  }
  return widths.reduce((sum, width) => sum + width + 3, -3) <= MAX_WIDTH;
}

/** Returns the most that a cell can take in a message. */
function weight({ text, spans }: Inline): number {
  const links = spans.filter((span) => span.kind === 'link');
  return text.length * 1.5 + links.reduce((sum, { url }) => sum + url.length * 3 + text.length * 2 + 10, 0);
}

function cellsOf(table: Table): string[][] {
  return table.rows.map((row) => row.map((cell) => cell.text));
}

/** Escapes text, so that Discord shows it literally: no formatting, no list, no mention. */
function escapeDiscord(raw: string, { start, line, outer }: Place): string {
  const discordLink = outer.find((span) => span.kind === 'link');
  if (discordLink !== undefined && isPlainLabel(line.text.slice(discordLink.start, discordLink.end).trim())) return raw;
  const before = line.text.charAt(start - 1);
  const after = line.text.charAt(start + raw.length);
  // The neighbours decide about a mark at the edge of a run, and a mention may continue in the next run.
  const silent = raw.replace(/[@<]/g, (mark, index: number) => {
    MENTION.lastIndex = start + index;
    return MENTION.test(line.text) ? mark + JOINER : mark;
  });
  const safe = `${before}${silent}${after}`
    .replace(SPECIAL, (mark, at: number) =>
      at < before.length || at >= before.length + silent.length ? mark : `\\${mark}`,
    )
    .slice(before.length, after === '' ? undefined : -after.length);
  const from = discordLink !== undefined || after === '' ? safe.length : safe.lastIndexOf(' ') + 1;
  const text = safe.slice(0, from) + safe.slice(from).replace(OPEN_URL, `:${JOINER}`);
  if (discordLink !== undefined || line.text.slice(0, start).trim() !== '') return text;
  return text.replace(LINE_START, (_all, blank: string, mark = '', number = '') =>
    number === '' ? `${blank}\\${mark}` : `${blank}${number}\\`,
  );
}

function spanned(span: Span, inner: string, { line, start, end }: Place): string {
  const next = line.text.charAt(end);
  const after = line.spans.some((other) => other.start === end) ? JOINER : '';
  // Formatting ends at the next mark of its kind, even in code and URLs; if one is left inside, it is dropped.
  const marks = span.kind === 'code' || span.kind === 'link' ? '' : inner.replace(/\\[\s\S]/g, '');
  switch (span.kind) {
    case 'bold':
      return marks.includes('*') ? inner : `**${inner}**${after}`;
    case 'italic':
      // An underscore ends italics only at a word boundary.
      if (!marks.includes('_')) return `_${inner}_${/\w/.test(next) ? JOINER : after}`;
      return inner.includes('*') ? inner : `*${inner}*${after}`;
    case 'strike':
      return marks.includes('~') ? inner : `~~${inner}~~${JOINER}`;
    case 'code':
      return codeSpan(inner) + after;
    case 'link':
      return link(line.text.slice(start, end), inner, span.url);
    default:
      return inner;
  }
}

function codeSpan(code: string): string {
  if (!code.includes('`')) return `\`${code}\``;
  return `\`\` ${code.replace(/`(?=`)/g, `$&${JOINER}`)} \`\``;
}

function isPlainLabel(label: string): boolean {
  return label.length <= MAX_LABEL && PLAIN_LABEL.test(label);
}

/** Writes a link. Discord doesn't link mail addresses; the hidden target of such a label already follows it. */
function link(label: string, inner: string, url: string): string {
  if (!/^https?:/i.test(url)) return inner;
  const target = `<${url.replace(/[<>()\\`*|"\s~]|@(?=here|everyone)/gi, (mark) => `%${mark.charCodeAt(0).toString(16).padStart(2, '0')}`)}>`;
  if (label === url || `${label}/` === url) return target;
  return isPlainLabel(label) ? `[${inner}](${target})` : `${inner} (${target})`;
}
