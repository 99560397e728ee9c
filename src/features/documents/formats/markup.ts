/**
 * Extracts paragraphs from the XML of slides and OpenDocument files: one line per paragraph, and one line for all cells
 * of a row.
 */
import { Parser } from 'htmlparser2';

export interface Marks {
  /** Elements whose text counts; if absent, all text does. */
  text?: ReadonlySet<string>;
  /** Elements that end a line. */
  line: ReadonlySet<string>;
  /** Elements within a row, whose paragraphs are put beside each other. */
  cell: ReadonlySet<string>;
  row: ReadonlySet<string>;
  /** Elements that stand for a space, a tab or a line break. */
  stand: Readonly<Record<string, string>>;
}

export const SLIDE: Marks = {
  text: new Set(['a:t']),
  line: new Set(['a:p']),
  cell: new Set(['a:tc']),
  row: new Set(['a:tr']),
  stand: { 'a:br': '\n', 'a:tab': '\t' },
};

export const OPEN_DOCUMENT: Marks = {
  line: new Set(['text:p', 'text:h']),
  cell: new Set(['table:table-cell']),
  row: new Set(['table:table-row']),
  stand: { 'text:line-break': '\n', 'text:tab': '\t', 'text:s': ' ' },
};

export function paragraphs(xml: string, marks: Marks): string {
  const lines: string[] = [];
  let line = '';
  let row: string[] | undefined;
  let within = 0;
  let formula: string | undefined;
  let value = '';
  const end = (): void => {
    const text = line.trim();
    line = '';
    if (text === '') return;
    if (row) row[row.length - 1] = [row.at(-1), text].filter(Boolean).join(' ');
    else lines.push(text);
  };
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (marks.text?.has(name)) within += 1;
        if (marks.row.has(name)) row = [];
        if (marks.cell.has(name)) {
          row?.push('');
          formula = attributes['table:formula'];
          value = attributes['office:value'] ?? attributes['office:string-value'] ?? '';
        }
        line += marks.stand[name] ?? '';
      },
      ontext(text) {
        if (!marks.text || within > 0) line += text;
      },
      onclosetag(name) {
        if (marks.text?.has(name)) within -= 1;
        if (marks.line.has(name)) end();
        // A formula that was never calculated has no text.
        if (marks.cell.has(name) && row?.at(-1) === '' && formula !== undefined)
          row[row.length - 1] = value || `${formula.replace(/^\w+:/, '')} [not calculated]`;
        if (!marks.row.has(name) || !row) return;
        while (row.at(-1) === '') row.pop();
        if (row.length > 0) lines.push(row.join(' | '));
        row = undefined;
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  end();
  return lines.join('\n');
}
