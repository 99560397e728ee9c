/**
 * Writes Slack's mrkdwn, for sections and for the text that notifications show. Its marks can't be escaped: characters
 * that could be one are separated by invisible characters. https://docs.slack.dev/messaging/formatting-message-text
 */
import { type InlineMarkup, type Place, writeLines } from '../../markdown/inline.ts';
import type { Dialect } from '../../markdown/pack.ts';
import type { Span } from '../../markdown/rich.ts';
import { alignTable } from '../../markdown/table.ts';
import { linksIn } from '../../markdown/table-forms.ts';

const JOINER = '\u2060';
const BULLETS = ['•', '◦', '▪'];
const MENTION = /@(?=channel|here|everyone)/gi;

const markup: InlineMarkup = { text: escapeMrkdwn, span: spanned };

export const mrkdwn: Dialect = {
  text(inline, heading) {
    if (heading === undefined) return writeLines(inline, markup);
    const bold: Span = { kind: 'bold', start: 0, end: inline.text.length };
    return writeLines({ text: inline.text, spans: [bold, ...inline.spans] }, markup);
  },
  code: (text) => ['```', ...entities(text.replace(/`(?=``)/g, `$&${JOINER}`)).split('\n'), '```'],
  table(table) {
    const cells = table.rows.map((row) => row.map((cell) => cell.text));
    const links = linksIn(table.rows);
    return [
      ...mrkdwn.code(alignTable(cells, table.align), undefined),
      ...(links.text === '' ? [] : writeLines(links, markup)),
    ];
  },
  rule: '———',
  mark: ({ number, checked, depth }) => {
    const box = checked === undefined ? '' : checked ? '☑ ' : '☐ ';
    return number === undefined ? box || `${BULLETS[Math.min(depth, 2)]} ` : `${number}. ${box}`;
  },
  indent: () => '    ',
  isApart: (_before, after) => after.apart,
  nesting: 'flat',
  quotesCode: false,
};

/** Escapes the three characters that Slack treats as its own, in code as well. */
function entities(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function silent(text: string): string {
  return entities(text).replace(MENTION, (sign) => `${sign}${JOINER}`);
}

function escapeMrkdwn(raw: string, { line, start, outer }: Place): string {
  const text = silent(raw);
  if (outer.some((span) => span.kind === 'link')) return text;
  // A single mark means nothing, nor does one within a word.
  const isAlone = line.spans.length === 0 && (line.text.match(/[*_~`]/g)?.length ?? 0) < 2;
  const safe = isAlone ? text : text.replace(/(?<!\w)[*_~]+(?=\S)|(?<=\S)[*_~]+(?!\w)|`/g, `${JOINER}$&${JOINER}`);
  return start === 0 ? safe.replace(/^(\s*)(&gt;)/, `$1${JOINER}$2`) : safe;
}

function spanned(span: Span, inner: string, { line, start, end, outer }: Place): string {
  const raw = line.text.slice(start, end);
  const before = line.text.charAt(start - 1);
  const after = line.text.charAt(end);
  if (span.kind === 'link') return mrkdwnLink(raw, inner, span.url);
  // Nothing within a link's label is formatted.
  if (outer.some((one) => one.kind === 'link')) return span.kind === 'code' ? silent(inner) : inner;
  const mark = { bold: '*', italic: '_', strike: '~', code: '`' }[span.kind as string];
  if (mark === undefined) return inner;
  if (span.kind === 'code' && inner.includes('`')) return escapeMrkdwn(inner, { line, start, end, outer });
  // A mark counts only at the edge of a word.
  const apart = (neighbour: string): string => (/[\p{L}\p{N}_*~`]/u.test(neighbour) ? '\u200b' : '');
  return `${apart(before)}${mark}${span.kind === 'code' ? silent(inner) : inner}${mark}${apart(after)}`;
}

function mrkdwnLink(label: string, inner: string, url: string): string {
  const target = url.replace(
    /[<>|`\s]|@(?=channel|here|everyone)/gi,
    (mark) => `%${mark.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  const href = target.replaceAll('&', '&amp;');
  return label === url ? `<${href}>` : `<${href}|${inner.replace(/`(?=`)/g, `$&${JOINER}`)}>`;
}
