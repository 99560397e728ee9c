/** Reads rows of cells as RFC 4180 has them, in linear time; the separator is the one that the first line has most of. */

export interface CsvRows {
  rows: string[][];
  /** Rows beyond the limit. */
  isCut: boolean;
}

const SEPARATORS = [',', ';', '\t', '|'];

function separatorOf(text: string): string {
  const end = text.indexOf('\n');
  const head = (end < 0 ? text : text.slice(0, end)).replace(/"[^"]*"/g, '');
  const count = (separator: string) => head.split(separator).length;
  return SEPARATORS.reduce((best, one) => (count(one) > count(best) ? one : best));
}

export function readCsv(given: string, most: number): CsvRows {
  const text = given.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  const separator = separatorOf(text);
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell = '';
    if (text[at] === '"') {
      for (at += 1; at < text.length; ) {
        const quote = text.indexOf('"', at);
        cell += text.slice(at, quote < 0 ? text.length : quote);
        at = quote < 0 ? text.length : quote + 1;
        if (text[at] !== '"') break;
        cell += '"';
        at += 1;
      }
    }
    const start = at;
    while (at < text.length && text[at] !== separator && text[at] !== '\n') at += 1;
    row.push(cell + text.slice(start, at));
    const isEnd = at >= text.length || text[at] === '\n';
    // A separator at the very end leaves an empty last cell.
    if (!isEnd && at === text.length - 1) row.push('');
    at += 1;
    if (!isEnd && at < text.length) continue;
    if (row.some((one) => one !== '')) rows.push(row);
    row = [];
    if (rows.length >= most) return { rows, isCut: at < text.length };
  }
  return { rows, isCut: false };
}
