/**
 * Mutates the code that decides, and runs the tests that reach each mutation: `npm run mutate [-- ROOM [FILES]]`, with
 * StrykerJS. If no test fails, one is missing. ROOM is one of those below, all by default; FILES is a pattern within
 * it, such as `lin*.ts` or `log.ts:10-40`. Exits with 1 if fewer than 85% are found in a room.
 * StrykerJS needs a newer Node than `npm ci` uses, so it isn't a dependency: it is installed in a copy of the
 * repository, which stays in `MUTATE_FOLDER` with its report.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const VERSION = '10.1.1';
const WANTED = 85;

/** Where to change code, and the tests that should notice. */
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
  delivery: {
    ...{ folder: 'src/runtime', files: 'delivery*.ts' },
    tests: ['test/runtime/delivery*.test.ts', 'test/engine/pace.test.ts'],
  },
  consent: {
    folder: 'src/runtime/approvals',
    files: '!(egress|outgoing).ts',
    tests: ['test/runtime/approvals/!(egress).test.ts', 'test/runtime/tools/skills.test.ts'],
  },
  egress: {
    folder: 'src',
    files: '{runtime/approvals/egress,lib/web-addresses}.ts',
    tests: ['test/runtime/approvals/egress.test.ts'],
  },
  intake: {
    folder: 'src/runtime/intake',
    files: '{decide,gather}.ts',
    tests: ['test/runtime/intake/*.test.ts'],
  },
  scheduler: {
    folder: 'src/features/jobs',
    files: '{scheduler,decide,records,slots,state,zone}.ts',
    tests: ['test/jobs/{scheduler,schedule,state,shared}.test.ts'],
  },
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

/** Returns whether enough of the changes were found. */
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
