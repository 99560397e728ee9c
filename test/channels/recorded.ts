/**
 * Recorded events and what a decoder makes of them: a row a line in `decoded.jsonl` beside its test. `RECORD=1` with the tests of
 * decoders writes the results anew: read what has changed before you commit it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

interface Row {
  /** What the row shows. */
  case: string;
  event: unknown;
  /** How it is decoded, where there are several ways. */
  as?: string;
  result: unknown;
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Declares a test for each row of the folder. */
export function decodes(folder: string, decode: (event: unknown, as: string) => unknown): void {
  const file = path.join(folder, 'decoded.jsonl');
  const rows: Row[] = fs
    .readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  if (process.env.RECORD) {
    const anew = rows.map((row) => ({ ...row, result: plain(decode(row.event, row.as ?? '')) }));
    fs.writeFileSync(file, anew.map((row) => `${JSON.stringify(row)}\n`).join(''));
  }
  test.each(rows)('$case', ({ event, as = '', result }) => expect(plain(decode(event, as))).toEqual(result));
}
