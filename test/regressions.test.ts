/** The faults that `npm run regressions` brings back: each still fits the sources, and names tests that are there. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, test } from 'vitest';
import { parsePatch, readRegressions, withFault } from './kit/regressions.ts';

const root = join(import.meta.dirname, '..');
const all = readRegressions();

describe('the faults that were once fixed', () => {
  test('are at least sixty, each with what a person would meet and its tests', () => {
    expect(all.length).toBeGreaterThanOrEqual(60);
    expect(all.filter(({ meets }) => !/^[^\p{Ll}].*[.?!]$/u.test(meets)).map(({ name }) => name)).toEqual([]);
    const lost = all.flatMap(({ name, foundBy }) =>
      foundBy.length === 0
        ? [name]
        : foundBy.flatMap(({ file }) => (existsSync(join(root, file)) ? [] : [`${name}: ${file}`])),
    );
    expect(lost, 'name the tests of today below "# Found by:"').toEqual([]);
  });

  test('can be brought back: each patch fits the sources in one place alone', () => {
    const unfit = all.filter(
      ({ changes }) => changes.length === 0 || changes.some((change) => faultyText(change) === undefined),
    );
    expect(
      unfit.map(({ name }) => name),
      'write the patch anew from the lines of today, or remove it if the fault can no longer happen',
    ).toEqual([]);
  });

  test('leave a program: what fails is a test, not the reading of a file', () => {
    for (const { name, changes } of all)
      for (const change of changes)
        expect(() => parseAst(faultyText(change) ?? '', { lang: 'ts' }, change.file), name).not.toThrow();
  });
});

function faultyText(change: ReturnType<typeof parsePatch>['changes'][number]): string | undefined {
  const file = join(root, change.file);
  return change.file.startsWith('src/') && existsSync(file) ? withFault(readFileSync(file, 'utf8'), change) : undefined;
}

describe('a patch', () => {
  const patch = [
    '# What a person would meet: Nothing works.',
    '# Found by: test/a.test.ts',
    '# Found by: test/b.test.ts -t "some words (of it)"',
    ...['--- a/src/a.ts', '+++ b/src/a.ts', '@@ -1,3 +1,3 @@', ' one', '-two', '+three', ' four'],
    ...['--- a/src/b.ts', '+++ b/src/b.ts', '@@ -7,2 +7 @@ function b() {', ' x', '-y', ''],
  ].join('\n');
  const { meets, foundBy, changes } = parsePatch('p', patch);
  const [first = { file: '', hunks: [] }, second = { file: '', hunks: [] }] = changes;

  test('is read with its head, its files and their lines', () => {
    expect(meets).toBe('Nothing works.');
    expect(foundBy).toEqual([{ file: 'test/a.test.ts' }, { file: 'test/b.test.ts', words: 'some words (of it)' }]);
    expect(first).toEqual({ file: 'src/a.ts', hunks: [{ before: 'one\ntwo\nfour\n', after: 'one\nthree\nfour\n' }] });
    expect(second).toEqual({ file: 'src/b.ts', hunks: [{ before: 'x\ny\n', after: 'x\n' }] });
  });

  test('fits lines that are there once, wherever they stand, and no others', () => {
    expect(withFault('0\none\ntwo\nfour\n5\n', first)).toBe('0\none\nthree\nfour\n5\n');
    expect(withFault('one\ntwo\nfour\n', first)).toBe('one\nthree\nfour\n');
    expect(withFault('one\ntwo\nfive\n', first)).toBeUndefined();
    expect(withFault('one\ntwo\nfour\none\ntwo\nfour\n', first)).toBeUndefined();
    expect(withFault('xx\ny\nx\ny\n', second)).toBe('xx\ny\nx\n');
  });
});
