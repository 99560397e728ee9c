/** The words of a document by another way than ours, and of what a platform was given. */
import { Parser } from 'htmlparser2';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

/** As the makers of the parser write it in HTML, with HTML of the document as text; ids and headings of their own are no words of it. */
export const htmlOf = (source: string): string =>
  micromark(source, { extensions: [gfm()], htmlExtensions: [gfmHtml({ backLabel: '-' })] })
    .replace(/<h2 id="footnote-label".*?<\/h2>/, '')
    // Within HTML a fence stays one here; with us it is code, whose language is not shown.
    .replace(/^(`{3,}|~{3,})\w+$/gm, '$1')
    // What people write for a new line is one.
    .replace(/&lt;br ?\/?&gt;/gi, '\n')
    // Links within HTML stay Markdown here and are links with us: their targets are no words.
    .replace(/\]\([^)\s]*\)|\]\[[^\]\n]*\]/g, ']');

/** Its words, those of pictures too. */
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

/** Of a rich message of Telegram: texts in order, items with their numbers. */
export function richShown(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(richShown).join('');
  if (typeof value !== 'object' || value === null) return '';
  const fields = Object.entries(value);
  const number = fields.flatMap(([name, field]) => (name === 'value' ? `${field}. ` : ''));
  const texts = fields.flatMap(([name, field]) => (TEXTS.has(name) ? richShown(field) : ''));
  return `${number.join('')}${texts.join('')}${'type' in value && /^(?:bold|italic|code|url|strikethrough)$/.test(String(value.type)) ? '' : '\n'}`;
}
