/**
 * Changes to the code that decides, each with the tests that reach it: `npm run mutate [-- ROOM [FILES]]`, with StrykerJS. Where no test
 * fails, one is missing. A room is one of those below, all by default; FILES is a pattern within it, such as `lin*.ts` or `log.ts:10-40`. Ends with 1
 * below 85% of a room.
 *
 * StrykerJS needs a newer Node than `npm ci` is run with, so it is no dependency: it is put into a copy of the repository, which stays
 * where `MUTATE_FOLDER` says, with its report.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const VERSION = '10.1.1';
const WANTED = 85;

/** Where code is changed, and which tests are to see it. */
const ROOMS: Readonly<Record<string, { folder: string; files: string; tests: readonly string[] }>> = {
  access: {
    ...{ folder: 'src/access', files: '*.ts' },
    tests: ['test/access/**/*.test.ts', 'test/runtime/intake/**/*.test.ts', 'test/board/login.test.ts'],
  },
  engine: {
    folder: 'src/engine/local',
    files: '*.ts',
    tests: ['test/engine/*.test.ts', 'test/engine/local/*.test.ts'],
  },
  delivery: { folder: 'src/runtime', files: 'delivery*.ts', tests: ['test/runtime/delivery*.test.ts'] },
};

const root = path.join(import.meta.dirname, '..');

/** A copy in which StrykerJS may change everything. */
function copyOf(): string {
  const folder = process.env.MUTATE_FOLDER ?? fs.mkdtempSync(path.join(os.tmpdir(), 'viber-mutate-'));
  fs.mkdirSync(folder, { recursive: true });
  const names = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const name of names.toString().split('\0').filter(Boolean)) {
    if (fs.existsSync(path.join(root, name))) fs.cpSync(path.join(root, name), path.join(folder, name));
  }
  const packages = path.join(folder, 'node_modules');
  if (!fs.existsSync(packages))
    fs.cpSync(path.join(root, 'node_modules'), packages, { recursive: true, verbatimSymlinks: true });
  const wanted = ['core', 'vitest-runner'].map((name) => `@stryker-mutator/${name}@${VERSION}`);
  const how = ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  execFileSync('npm', [...how, ...wanted], { cwd: folder, stdio: 'inherit' });
  return folder;
}

/** Whether enough of the changes were found. */
function isEnough(folder: string, { folder: where, files, tests }: (typeof ROOMS)[string]): boolean {
  const projects = { setupFiles: 'test/helpers/bare.ts', pool: 'forks', isolate: false, testTimeout: 20_000 };
  const vitest = { test: { ...projects, globalSetup: 'test/helpers/machine.ts', maxWorkers: 1, include: tests } };
  fs.writeFileSync(path.join(folder, 'vitest.mutate.ts'), `export default ${JSON.stringify(vitest)};\n`);
  const stryker = {
    ...{ testRunner: 'vitest', vitest: { configFile: 'vitest.mutate.ts', related: false } },
    ...{ mutate: [`${where}/${files}`], coverageAnalysis: 'perTest', concurrency: 2 * os.availableParallelism() },
    ...{ inPlace: true, ignoreStatic: true, disableTypeChecks: false, timeoutMS: 20_000 },
    ...{
      reporters: ['clear-text', 'json', 'progress-append-only'],
      thresholds: { high: 95, low: WANTED, break: WANTED },
    },
    clearTextReporter: { allowColor: false, reportTests: false, allowEmojis: false },
  };
  fs.writeFileSync(path.join(folder, 'stryker.config.json'), JSON.stringify(stryker));
  const program = path.join(folder, 'node_modules/@stryker-mutator/core/bin/stryker.js');
  return spawnSync(process.execPath, [program, 'run'], { cwd: folder, stdio: 'inherit' }).status === 0;
}

const [wanted, files] = process.argv.slice(2);
const chosen = Object.entries(ROOMS).filter(([name]) => wanted === undefined || name === wanted);
if (chosen.length === 0) throw new Error(`${wanted} is none of ${Object.keys(ROOMS).join(', ')}`);
const folder = copyOf();
const short = chosen.filter(([, room]) => !isEnough(folder, { ...room, files: files ?? room.files }));
if (process.env.MUTATE_FOLDER === undefined) fs.rmSync(folder, { recursive: true, force: true });
for (const [name] of short) process.stdout.write(`${name}: less than ${WANTED}% of the changes were found\n`);
process.exit(short.length > 0 ? 1 : 0);
