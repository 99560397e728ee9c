/**
 * Brings back each fault that was once fixed and expects its tests to fail: `npm run regressions [-- PATTERN]`. A fault
 * is a patch in `test/kit/regressions`, which also names its tests; PATTERN chooses among their names. The patches are
 * applied one at a time in copies of the repository, two of them side by side (`REGRESSIONS_AT_ONCE`). The tests also
 * run once without any fault, since a test that fails anyhow finds nothing. Exits with 1 unless all are found.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type FileChange, type Regression, readRegressions, withFault } from '../test/kit/regressions.ts';

const root = path.join(import.meta.dirname, '..');
const AT_ONCE = Number(process.env.REGRESSIONS_AT_ONCE ?? 2);
/** Tests that hang are ended by their own limit long before. */
const MAX_RUN_MS = 20 * 60_000;

type Found = 'found' | 'NOT FOUND' | 'DOES NOT APPLY' | 'ITS TESTS FAIL ANYHOW' | 'ITS TESTS DO NOT RUN HERE';

/** Of vitest's JSON reporter. */
interface Report {
  testResults: { name: string; assertionResults: { fullName: string; status: string }[] }[];
}

interface RanTest {
  file: string;
  name: string;
  hasPassed: boolean;
}

const out = (line: string) => process.stdout.write(`${line}\n`);
const secondsSince = (time: number) => Math.round((Date.now() - time) / 1000);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'viber-regressions-'));
// Some tests run the program as another user.
fs.chmodSync(folder, 0o755);
const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill();
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

/** A copy of the repository, in which files may be changed; its packages are those of the repository. */
function createCopy(name: string): string {
  const copy = path.join(folder, name);
  const names = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const file of names.toString().split('\0').filter(Boolean))
    if (fs.existsSync(path.join(root, file)))
      fs.cpSync(path.join(root, file), path.join(copy, file), { recursive: true, verbatimSymlinks: true });
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  return copy;
}

/**
 * Runs test files and returns the tests that ran.
 * @param words select tests by their full name; all without
 */
async function runTests(copy: string, files: readonly string[], words: readonly string[], bail: boolean) {
  const report = `${copy}.json`;
  fs.rmSync(report, { force: true });
  const names = words.map((each) => each.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|');
  const args = [
    ...[path.join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...files, '--maxWorkers=1', '--retry=0'],
    ...['--reporter=json', `--outputFile=${report}`, ...(bail ? ['--bail=1'] : [])],
    ...(names === '' ? [] : ['-t', names]),
  ];
  const child = spawn(process.execPath, args, { cwd: copy, stdio: 'ignore', timeout: MAX_RUN_MS });
  children.add(child);
  await once(child, 'exit');
  children.delete(child);
  if (!fs.existsSync(report)) return [];
  const { testResults }: Report = JSON.parse(fs.readFileSync(report, 'utf8'));
  return testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults.flatMap(({ fullName, status }): RanTest[] =>
      status === 'passed' || status === 'failed'
        ? [{ file: path.relative(fs.realpathSync(copy), file), name: fullName, hasPassed: status === 'passed' }]
        : [],
    ),
  );
}

/** Returns what the tests of all these faults do without any fault: whole files first, then chosen tests. */
async function runSound(copies: readonly string[], wanted: readonly Regression[]): Promise<RanTest[]> {
  const all = wanted.flatMap(({ foundBy }) => foundBy);
  const whole = new Set(all.flatMap(({ file, words }) => (words === undefined ? [file] : [])));
  const chosen = all.filter(({ file }) => !whole.has(file));
  const [first = '', second = first] = copies;
  const files = runSome(first, [...whole], []);
  if (second === first) await files;
  const parts = runSome(
    second,
    [...new Set(chosen.map(({ file }) => file))],
    chosen.map(({ words = '' }) => words),
  );
  return [...(await files), ...(await parts)];
}

const runSome = async (copy: string, files: readonly string[], words: readonly string[]): Promise<RanTest[]> =>
  files.length === 0 ? [] : runTests(copy, files, words, false);

function isMeant({ file, name }: RanTest, by: Regression['foundBy'][number]): boolean {
  return file === by.file && (by.words === undefined || name.includes(by.words));
}

async function bringBack(copy: string, { foundBy, changes }: Regression, sound: readonly RanTest[]): Promise<Found> {
  for (const by of foundBy) {
    const meant = sound.filter((test) => isMeant(test, by));
    if (meant.length === 0) return 'ITS TESTS DO NOT RUN HERE';
    if (meant.some(({ hasPassed }) => !hasPassed)) return 'ITS TESTS FAIL ANYHOW';
  }
  const before = changes.map(({ file }) => fs.readFileSync(path.join(copy, file), 'utf8'));
  const after = changes.map((change: FileChange, at) => withFault(before[at] ?? '', change));
  if (after.some((text) => text === undefined)) return 'DOES NOT APPLY';
  const write = (texts: readonly (string | undefined)[]) => {
    for (const [at, { file }] of changes.entries()) fs.writeFileSync(path.join(copy, file), texts[at] ?? '');
  };
  write(after);
  try {
    for (const { file, words } of foundBy) {
      const ran = await runTests(copy, [file], words === undefined ? [] : [words], true);
      if (ran.some(({ hasPassed }) => !hasPassed)) return 'found';
    }
    return 'NOT FOUND';
  } finally {
    write(before);
  }
}

const pattern = new RegExp(process.argv[2] ?? '');
const wanted = readRegressions().filter(({ name }) => pattern.test(name));
if (wanted.length === 0) throw new Error(`no patch has a name like ${pattern.source}`);
const began = Date.now();
const copies = Array.from({ length: Math.max(1, Math.min(AT_ONCE, wanted.length)) }, (_, n) => createCopy(`copy-${n}`));
const sound = await runSound(copies, wanted);
out(`${sound.length} tests ran without any fault in ${secondsSince(began)} s`);
const waiting = [...wanted];
const missed: Regression[] = [];
await Promise.all(
  copies.map(async (copy) => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const start = Date.now();
      const found = await bringBack(copy, next, sound);
      if (found !== 'found') missed.push(next);
      out(`${found} ${next.name} (${secondsSince(start)} s)${found === 'found' ? '' : `: ${next.meets}`}`);
    }
  }),
);
const minutes = Math.round((Date.now() - began) / 6_000) / 10;
out(`${wanted.length - missed.length} of ${wanted.length} faults were found, in ${minutes} minutes`);
process.exit(missed.length > 0 ? 1 : 0);
