/** Extracts the words of a document, independently of our own code, and of what a platform was given. */
import { Parser } from 'htmlparser2';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

/**
 * As the parser's authors render it to HTML, with HTML in the document as text; generated ids and headings don't count
 * as words.
 */
export const htmlOf = (source: string): string =>
  micromark(source, { extensions: [gfm()], htmlExtensions: [gfmHtml({ backLabel: '-' })] })
    .replace(/<h2 id="footnote-label".*?<\/h2>/, '')
    // Within HTML a fence stays a fence here. In our code it is code, whose language isn't shown.
    .replace(/^(`{3,}|~{3,})\w+$/gm, '$1')
    // A line break as people write it is one.
    .replace(/&lt;br ?\/?&gt;/gi, '\n')
    // Links within HTML stay Markdown here and are links in our code, so their targets don't count as words.
    .replace(/\]\([^)\s]*\)|\]\[[^\]\n]*\]/g, ']');

/** Returns its words, including those of pictures. */
export function htmlWords(html: string): string {
  let text = '';
  const parser = new Parser({
    ontext: (part) => {
      text += part;
    },
    onopentag: (_name, { alt }) => {
      text += alt === undefined ? '' : ` ${alt} `;
    },
  });
  parser.end(html);
  return text;
}

const TEXTS = new Set(['text', 'blocks', 'items', 'cells']);

/** For a rich message of Telegram: texts in order, items with their numbers. */
export function richShown(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(richShown).join('');
  if (typeof value !== 'object' || value === null) return '';
  const fields = Object.entries(value);
  const number = fields.flatMap(([name, field]) => (name === 'value' ? `${field}. ` : ''));
  const texts = fields.flatMap(([name, field]) => (TEXTS.has(name) ? richShown(field) : ''));
  return `${number.join('')}${texts.join('')}${'type' in value && /^(?:bold|italic|code|url|strikethrough)$/.test(String(value.type)) ? '' : '\n'}`;
}
