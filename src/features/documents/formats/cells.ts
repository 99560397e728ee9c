/**
 * Rewrites cells that the library omits as text: formulas that were never calculated, as programs write them, and
 * errors. Splits the XML at the ends of cells, so that no pattern spans more than one.
 */

const OPENING = /<(?<prefix>(?:\w{1,20}:)?)c(?=[\s>])(?<attributes>[^>]{0,500})>/g;

export function withAllCells(sheet: Uint8Array): Uint8Array {
  const xml = new TextDecoder().decode(sheet);
  // Most sheets have no such cells.
  if (!/<(?:\w{1,20}:)?f[\s>/]|\st=["']e["']/.test(xml)) return sheet;
  const shown = xml.split(/(?<=<\/(?:\w{1,20}:)?c>)/).map((piece) => {
    const last = [...piece.matchAll(OPENING)].at(-1);
    if (!last?.groups || !piece.endsWith('c>')) return piece;
    const { prefix = '', attributes = '' } = last.groups;
    const text = textOf(piece.slice(last.index + last[0].length), attributes);
    if (text === undefined) return piece;
    const kept = attributes.replace(/\s(?:t|s)=(?:"[^"]*"|'[^']*')/g, '');
    const inline = `<${prefix}is><${prefix}t>${text}</${prefix}t></${prefix}is>`;
    return `${piece.slice(0, last.index)}<${prefix}c${kept} t="inlineStr">${inline}</${prefix}c>`;
  });
  return new TextEncoder().encode(shown.join(''));
}

/** Returns the cell's text as XML, or undefined for a cell that the library reads. */
function textOf(inner: string, attributes: string): string | undefined {
  const value = within(inner, 'v')?.trim();
  if (/\st=["']e["']/.test(attributes)) return value || '#VALUE!';
  const formula = within(inner, 'f');
  const hasFormula = formula !== undefined || /<(?:\w{1,20}:)?f[\s/>]/.test(inner);
  const isEmptyText = value === '' && /\st=["']str["']/.test(attributes);
  if (!hasFormula || value || isEmptyText || /<(?:\w{1,20}:)?is[\s>]/.test(inner)) return undefined;
  // A shared formula is stored in another cell.
  return formula?.trim() ? `=${formula.trim()} [not calculated]` : '[formula, not calculated]';
}

const within = (inner: string, name: 'f' | 'v'): string | undefined =>
  new RegExp(`<(?:\\w{1,20}:)?${name}(?:\\s[^>]{0,500})?(?<!/)>([^<]*)<`).exec(inner)?.[1];
