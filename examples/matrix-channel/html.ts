/**
 * Writes formatted text as the HTML that Matrix permits, with a plain form beside it.
 * https://spec.matrix.org/latest/client-server-api/#mroommessage-msgtypes. Pure.
 */
import { type Edit, edit, type Inline, type Span } from 'openviber-gateway/plugin';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
// Matrix's JSON carries any of these, and apps show them in different ways.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones meant
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\u202a-\u202e\u2066-\u2069]/g;
const SCHEME = /^(?:https?|mailto|ftp|magnet):/i;
const BLOCKS = new Set<Span['kind']>(['heading', 'quote', 'pre']);

export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (char) => ENTITIES[char] ?? char);

/** Returns the text without characters that could hide or reorder it, and with the addresses of links Matrix won't follow. */
export function forMatrix<T extends Inline>(source: T): T {
  const text = source.text.replace(CONTROL, ' ');
  const refused = source.spans.filter((span) => span.kind === 'link' && !SCHEME.test(span.url));
  const spans = source.spans.filter((span) => !refused.includes(span));
  return edit({ ...source, text, spans }, targets(refused, text));
}

/** Returns the plain text: the address of a link stands behind its words. */
export function plainOf(source: Inline): string {
  return edit(source, targets(source.spans, source.text)).text;
}

function targets(spans: readonly Span[], text: string): Edit[] {
  return spans
    .flatMap((span): Edit[] =>
      span.kind === 'link' && !text.slice(span.start, span.end).includes(span.url.replace(/^mailto:/, ''))
        ? [{ at: span.end, remove: 0, insert: ` (${span.url})` }]
        : [],
    )
    .sort((a, b) => a.at - b.at);
}

/** Returns the HTML; undefined for a text without any formatting. */
export function htmlOf({ text, spans }: Inline): string | undefined {
  if (spans.length === 0) return undefined;
  const out: string[] = [];
  const open: Span[] = [];
  let at = 0;
  let isBehindBlock = true;

  function words(to: number): void {
    let piece = text.slice(at, to);
    at = to;
    if (piece === '') return;
    const isPre = open.some(({ kind }) => kind === 'pre');
    // Blocks are lines of their own already.
    if (isBehindBlock && !isPre) piece = piece.replace(/^\n{1,2}/, '');
    if (piece === '') return;
    out.push(isPre ? escapeHtml(piece) : escapeHtml(piece).replaceAll('\n', '<br>'));
    isBehindBlock = false;
  }
  function close(end: number): void {
    for (let span = open.at(-1); span && span.end <= end; span = open.at(-1)) {
      words(span.end);
      out.push(tagsOf(span)[1]);
      isBehindBlock = BLOCKS.has(span.kind);
      open.pop();
    }
  }

  for (const span of spans) {
    close(span.start);
    words(span.start);
    if (BLOCKS.has(span.kind)) {
      const last = out.at(-1);
      if (last !== undefined) out[out.length - 1] = last.replace(/(?:<br>){1,2}$/, '');
      isBehindBlock = true;
    }
    out.push(tagsOf(span)[0]);
    open.push(span);
  }
  close(text.length);
  words(text.length);
  return out.join('');
}

function tagsOf(span: Span): [open: string, close: string] {
  switch (span.kind) {
    case 'bold':
      return ['<strong>', '</strong>'];
    case 'italic':
      return ['<em>', '</em>'];
    case 'strike':
      return ['<del>', '</del>'];
    case 'code':
      return ['<code>', '</code>'];
    case 'quote':
      return ['<blockquote>', '</blockquote>'];
    case 'heading':
      return [`<h${Math.min(6, Math.max(1, span.level))}>`, `</h${Math.min(6, Math.max(1, span.level))}>`];
    case 'link':
      return [`<a href="${escapeHtml(span.url)}">`, '</a>'];
    case 'pre': {
      const language = /^[\w+#.-]{1,40}$/.exec(span.language ?? '')?.[0];
      return [`<pre><code${language ? ` class="language-${escapeHtml(language)}"` : ''}>`, '</code></pre>'];
    }
  }
}
