/** Patterns of .gitignore, compared with git itself, and patterns that are made to take for ever. */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { globMatcher } from '../../src/features/projects/glob.ts';
import { ignores, parseRules } from '../../src/features/projects/ignore-rules.ts';
import { newSteps } from '../../src/features/projects/patterns.ts';
import { walkProject } from '../../src/features/projects/walk.ts';
import { tempFolder } from '../helpers/temp.ts';

const name = fc.string({
  unit: fc.constantFrom('a', 'b', 'B', '.', '-', '1', '[', ' ', '!', '#'),
  minLength: 1,
  maxLength: 4,
});
const pathNames = fc.array(
  name.filter((one) => !/^\.+$/.test(one)),
  { minLength: 1, maxLength: 4 },
);
const anyLine = fc.oneof(
  fc.string({
    // biome-ignore format: a list is filled
    unit: fc.constantFrom(
      'a', 'b', '.', '*', '**', '?', '/', '!', '\\', '[', ']', '[!', '[^', '-', '[:alpha:]', '#', ' ', '1', '[a-b]',
    ),
    maxLength: 8,
  }),
  // biome-ignore format: a list is filled
  fc.constantFrom(
    '**/a', 'a/**', 'a/**/b', '/a', 'a/', '!a', '*.b', '/**/', '**', '***/a', '[]a]', '[a\\]]b', 'a\\ ', '\\#a',
  ),
);

/** Beside other characters, what git makes of `**` depends on the addresses of its variables. */
const line = anyLine.filter((one) => !/[^/]\*\*|\*\*[^/]/.test(one.replace(/\*{3,}/g, '**')));

describe('what is ignored', () => {
  test('is what git ignores', () => {
    const folder = fs.realpathSync(tempFolder());
    execFileSync('git', ['init', '--quiet', folder]);
    const check = fc.property(
      fc.array(line, { minLength: 1, maxLength: 4 }),
      fc.array(pathNames, { minLength: 1, maxLength: 100 }),
      (lines, paths) => {
        const text = lines.join('\n');
        fs.writeFileSync(path.join(folder, '.gitignore'), text);
        const rules = parseRules(text);
        const files = paths.map((names) => names.join('/'));
        const input = files.map((file) => `${file}\0`).join('');
        const args = ['-c', 'core.ignoreCase=false', 'check-ignore', '--no-index', '-z', '--stdin', '-v', '-n'];
        // It ends with 1 if nothing is ignored.
        const said = spawnSync('git', args, { cwd: folder, input }).stdout.toString().split('\0');
        const theirs = files.map((_file, at) => /^[^!]/.test(said[at * 4 + 2] ?? ''));
        expect(files.map((file) => [file, isIgnored(rules, file.split('/'))])).toEqual(
          files.map((file, at) => [file, theirs[at]]),
        );
      },
    );
    fc.assert(check, { numRuns: Number(process.env.PROPERTY_RUNS ?? 25) });
  });

  test.each([
    ['stars in a name', `${'*a'.repeat(2_000)}b`, [`${'a'.repeat(250)}`]],
    ['stars between names', `${'**/a/'.repeat(800)}c`, [...Array.from({ length: 60 }, () => 'a'), 'x']],
    ['brackets', `${'*[a-z0-9_]'.repeat(300)}!`, ['a'.repeat(250)]],
    ['many rules', Array.from({ length: 7_000 }, (_, n) => `*${n}*a*b*`).join('\n'), ['a'.repeat(250)]],
  ])('is decided or refused soon: %s', (_what, text, names) => {
    const rules = parseRules(text);
    const start = process.cpuUsage();
    try {
      ignores(rules, names, false, newSteps());
    } catch (error) {
      expect(String(error)).toContain('takes too long to match');
    }
    const { user } = process.cpuUsage(start);
    expect(user / 1_000).toBeLessThan(500);
  });
});

test('a walk lets other work go on, and ends when its run does', async () => {
  const folder = fs.realpathSync(tempFolder());
  for (let n = 0; n < 30; n++) fs.mkdirSync(path.join(folder, `d${n}`));
  for (let n = 0; n < 300; n++) fs.writeFileSync(path.join(folder, `d${n % 30}`, `${'a'.repeat(200)}${n}`), '');
  fs.writeFileSync(path.join(folder, '.gitignore'), `${'*a'.repeat(90)}*b\n`.repeat(20));
  const ended = new AbortController();
  // What ends the walk is the other work itself: it has its turns while the walk goes on.
  let turns = 0;
  let other = setImmediate(function turn() {
    turns++;
    if (turns > 3) ended.abort();
    else other = setImmediate(turn);
  });
  const walk = async () => {
    let seen = 0;
    for await (const _found of walkProject(folder, [], { signal: ended.signal })) seen++;
    return seen;
  };
  await expect(walk()).rejects.toThrow('aborted');
  clearImmediate(other);
});

test.each([
  ['*.ts', 'src/deep/a.ts', true],
  ['*.ts', 'a.tsx', false],
  ['src', 'src/deep/a.ts', true],
  ['src/*.ts', 'src/deep/a.ts', false],
  ['./src/**/a.{ts,js}', 'src/a.js', true],
  ['!*.ts', 'a.js', true],
  ['!*.ts', 'a.ts', false],
  ['#a', '#a', true],
])('the glob %s and %s: %s', (glob, file, matches) => {
  expect(globMatcher(glob)(file)).toBe(matches);
});

/** As a walk sees it: nothing below an ignored folder is looked at. */
function isIgnored(rules: ReturnType<typeof parseRules>, names: readonly string[]): boolean {
  return names.some((_name, at) => ignores(rules, names.slice(0, at + 1), at < names.length - 1, newSteps()) === true);
}
