/**
 * Rewrites the formulas of a Word document as text on one line, as people would type them, because the library leaves
 * them out.
 */
import { Parser } from 'htmlparser2';

const FORMULA = /<m:oMath(?=[\s>])[^>]*>[\s\S]*?<\/m:oMath>/g;
/** The characters before and after the parts of a formula. */
const SIGNS: Readonly<Record<string, readonly [string, string]>> = {
  'm:num': ['(', ')'],
  'm:den': ['/(', ')'],
  'm:sup': ['^(', ')'],
  'm:sub': ['_(', ')'],
  'm:rad': ['√(', ')'],
  'm:d': ['(', ')'],
};

export function withFormulas(part: Uint8Array): Uint8Array {
  const xml = new TextDecoder().decode(part);
  if (!xml.includes('<m:oMath')) return part;
  const shown = xml.replace(
    FORMULA,
    (formula) => `<w:r><w:t xml:space="preserve">${inXml(inOneLine(formula))}</w:t></w:r>`,
  );
  return new TextEncoder().encode(shown);
}

function inOneLine(formula: string): string {
  let line = '';
  let isText = false;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        isText = name === 'm:t';
        line += SIGNS[name]?.[0] ?? '';
        // The symbols of sums and integrals are attributes.
        if (name === 'm:chr') line += attributes['m:val'] ?? '';
      },
      ontext(text) {
        if (isText) line += text;
      },
      onclosetag(name) {
        isText = false;
        line += SIGNS[name]?.[1] ?? '';
      },
    },
    { xmlMode: true },
  );
  parser.end(formula);
  return line.replace(/[_^/√]?\(\)/g, '').replace(/\((\w)\)/g, '$1');
}

const inXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
