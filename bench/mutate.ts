/**
 * A sample of small changes to the code that decides, each with the tests of its room: `npm run mutate [-- SAMPLE [SEED [PATTERN]]]`. One operator,
 * condition or return is turned at a time, in a copy of the repository; where no test fails, one is missing. Ends with 1 below 85% found.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const SAMPLE = Number(process.argv[2] ?? 20);
const firstSeed = Number(process.argv[3] ?? Date.now() % 1_000_000);
const PATTERN = new RegExp(process.argv[4] ?? '');
const WANTED = 0.85;
const RUN_MS = 180_000;
const root = path.join(import.meta.dirname, '..');
const out = (line: string) => process.stdout.write(`${line}\n`);

/** Where code is changed, and which tests are to see it. */
const ROOMS: readonly { files: string; tests: string[] }[] = [
  { files: 'src/access/*.ts', tests: ['test/access', 'test/runtime/intake', 'test/dialogs/rights.test.ts'] },
  { files: 'src/engine/local/*.ts', tests: ['test/engine/local'] },
  { files: 'src/runtime/delivery*.ts', tests: ['test/runtime/delivery.test.ts'] },
];

const TURNS: readonly [RegExp, string][] = [
  [/ === /g, ' !== '],
  [/ !== /g, ' === '],
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ < (?=[\w(])/g, ' >= '],
  [/ > (?=[\w(])/g, ' <= '],
  [/ <= /g, ' < '],
  [/ >= /g, ' > '],
  [/(?<=[\w)]) \+ (?=[\w(])/g, ' - '],
  [/(?<=[\w)]) - (?=[\w(])/g, ' + '],
  [/\btrue\b/g, 'false'],
  [/\bfalse\b/g, 'true'],
  [/(?<=\bif \()(?!!)/g, '!'],
  [/(?<=\bif \()!/g, ''],
  [/\breturn (?=[\w!])(?!undefined\b|await\b|new\b|true\b|false\b)/g, 'return undefined && '],
  [/^( +)(?:await )?(?:this\.)?[#\w.]+\([^()]*\);$/gm, '$1'],
];

interface Mutant {
  file: string;
  tests: string[];
  at: number;
  was: string;
  is: string;
}

/** A text with blanks where comments and types are. */
function codeOf(text: string): string {
  const blank = (found: string) => found.replace(/[^\n]/g, ' ');
  return text
    .replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, blank)
    .replace(/^(?:export )?(?:interface|type) [\s\S]*?^\}|^(?:export )?type [^;]*;|^import [^;]*;/gm, blank);
}

function mutants(): Mutant[] {
  return ROOMS.flatMap(({ files, tests }) =>
    fs
      .globSync(files, { cwd: root })
      .filter((file) => PATTERN.test(file))
      .sort()
      .flatMap((file) => {
        const code = codeOf(fs.readFileSync(path.join(root, file), 'utf8'));
        return TURNS.flatMap(([pattern, is]) =>
          [...code.matchAll(pattern)].map((found) => ({
            ...{ file, tests, at: found.index, was: found[0] },
            is: is.replace('$1', found[1] ?? ''),
          })),
        );
      }),
  );
}

let seed = firstSeed;
/** A linear congruential generator: a run can be repeated by its seed. */
function random(below: number): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((seed / 2_147_483_648) * below);
}

const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'viber-mutate-'));
for (const name of ['src', 'test', 'docs', 'bench'])
  fs.cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
for (const name of fs.readdirSync(root).filter((each) => /\.(?:ts|json|yaml|md)$/.test(each)))
  fs.copyFileSync(path.join(root, name), path.join(copy, name));
fs.symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));

function isFound({ tests }: Mutant): boolean {
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--bail', '1', '--testTimeout', '20000', '--reporter', 'dot', ...tests];
  return spawnSync(process.execPath, args, { cwd: copy, stdio: 'ignore', timeout: RUN_MS }).status !== 0;
}

const all = mutants();
if (isFound(all[0] as Mutant)) throw new Error('the tests fail without any change');
const left: string[] = [];
const chosen = new Set<Mutant>();
while (chosen.size < Math.min(SAMPLE, all.length)) chosen.add(all[random(all.length)] as Mutant);
for (const mutant of chosen) {
  const file = path.join(copy, mutant.file);
  const text = fs.readFileSync(file, 'utf8');
  fs.writeFileSync(file, `${text.slice(0, mutant.at)}${mutant.is}${text.slice(mutant.at + mutant.was.length)}`);
  const wasFound = isFound(mutant);
  fs.writeFileSync(file, text);
  const line = text.slice(0, mutant.at).split('\n').length;
  const what = `${mutant.file}:${line} "${mutant.was.trim()}" -> "${mutant.is.trim()}"`;
  if (!wasFound) left.push(what);
  out(`${wasFound ? 'found' : 'LEFT '} ${what}`);
}
fs.rmSync(copy, { recursive: true, force: true });
const share = 1 - left.length / chosen.size;
out(`${chosen.size} of ${all.length} changes (seed ${firstSeed}), found ${Math.round(share * 100)}%`);
process.exit(share < WANTED ? 1 : 0);
