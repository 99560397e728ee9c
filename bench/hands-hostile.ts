/**
 * Makes 10,000 random hostile calls of a project's file tools, while another process swaps the project's folders for
 * links to the outside: `node bench/hands-hostile.ts [CALLS [SEED]]`. Nothing outside may be read, written, renamed or
 * removed.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { UserError } from '../src/errors.ts';
import { PROJECT_TOOLS } from '../src/features/projects/offer.ts';
import type { ProjectRun } from '../src/features/projects/tools/run.ts';
import { openHome } from '../src/workspace/home.ts';

const CALLS = Number(process.argv[2] ?? 10_000);
let seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
const firstSeed = seed;
const CANARY = 'canary-of-what-is-outside';
const FILE_TOOLS = ['read_file', 'list_files', 'search_files', 'edit_file', 'write_file'];
/** Starting a process for each call would take minutes. */
const SLOW_EVERY = 40;

/** A linear congruential generator, so that a run can be repeated with its seed, as far as timing allows. */
function random(below: number): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((seed / 2_147_483_648) * below);
}
const one = <T>(of: readonly T[]): T => of[random(of.length)] as T;

const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'viber-hands-')));
const [project, outside, home] = ['project', 'outside', 'home'].map((name) => path.join(base, name)) as [
  string,
  string,
  string,
];
fill(outside, CANARY);
fill(project, 'a line of the project');
fs.mkdirSync(path.join(project, '.git', 'hooks'), { recursive: true });
fs.writeFileSync(path.join(project, '.git', 'config'), '[core]\n');
fs.symlinkSync(outside, path.join(project, 'link'));
fs.symlinkSync(path.join(outside, 'a.txt'), path.join(project, 'a-link.txt'));

function fill(folder: string, text: string): void {
  for (const below of ['', 'one', 'one/two', 'three']) {
    fs.mkdirSync(path.join(folder, below), { recursive: true });
    for (const name of ['a.txt', 'b.txt']) fs.writeFileSync(path.join(folder, below, name), `${text}\n`);
  }
}

/** Returns every path below a folder with its kind, mode and content. */
function stateOf(folder: string): string {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
  const lines = entries.map((entry) => {
    const file = path.join(entry.parentPath, entry.name);
    const { mode } = fs.lstatSync(file);
    return `${file} ${mode} ${entry.isFile() ? createHash('sha256').update(fs.readFileSync(file)).digest('hex') : ''}`;
  });
  return lines.sort().join('\n');
}

const PARTS = [
  'one',
  'two',
  'three',
  'link',
  'a.txt',
  'b.txt',
  'a-link.txt',
  'new.txt',
  '..',
  '.',
  '',
  '.git',
  '.GIT',
  'hooks',
  'config',
];
const WHOLE = [
  ...['/etc/passwd', `${outside}/a.txt`, `${project}/../outside/a.txt`, '../outside/a.txt', 'one/../../outside/a.txt'],
  ...[
    '~/.ssh/id_rsa',
    'one\\..\\..\\outside\\a.txt',
    'a.txt\0.png',
    '%2e%2e/outside/a.txt',
    `${'x/'.repeat(300)}a.txt`,
  ],
  ...['/proc/self/cwd/a.txt', '/proc/self/environ', 'artifacts/../../outside/a.txt', 'workspace/../../outside/a.txt'],
];
/** Folders that are all swapped for links, or lie below one that is. */
const SWAPPED = [
  'one',
  'one/a.txt',
  'one/b.txt',
  'one/two',
  'one/two/a.txt',
  'three/a.txt',
  'three/b.txt',
  'three/new.txt',
];
const KINDS = [
  () => one(SWAPPED),
  () => one(SWAPPED),
  () => one(WHOLE),
  () => Array.from({ length: 1 + random(3) }, () => one(PARTS)).join('/'),
];
const pathOf = () => one(KINDS)();

const inputs: Record<string, () => object> = {
  read_file: () => ({ path: pathOf() }),
  list_files: () => ({ path: pathOf(), ...(random(2) === 0 && { glob: one(['**/*.txt', '../**', '/etc/*', '**']) }) }),
  search_files: () => ({
    pattern: 'canary|line',
    ...(random(2) === 0 && { path: pathOf() }),
    ...(random(2) === 0 && { glob: '**' }),
  }),
  edit_file: () => ({ path: pathOf(), edits: [{ old: one(['line', CANARY, 'a']), new: 'written', all: true }] }),
  write_file: () => ({ path: pathOf(), content: 'written by a call\n' }),
};

/** Swaps folders for links to similar ones outside, and back, until it is killed. */
const SWAPPER = `
const fs = require('node:fs'), path = require('node:path');
const [project, outside] = process.argv.slice(1);
const quiet = (act) => { try { act(); } catch {} };
for (let n = 0; ; n++) {
  const name = ['one', 'three', 'one/two'][n % 3];
  const [at, aside] = [path.join(project, name), path.join(project, name.replace('/', '-') + '.aside')];
  quiet(() => fs.renameSync(at, aside));
  quiet(() => fs.symlinkSync(path.join(outside, name), at));
  quiet(() => fs.unlinkSync(at));
  quiet(() => fs.renameSync(aside, at));
}`;

const before = stateOf(outside);
const own = await openHome(home);
const seen = new Map<string, string>();
const run = {
  scope: {
    home: own,
    viber: 'default',
    taskId: '20260101-000000-hands',
    runId: 'run',
    provenance: '',
    onArtifact: () => undefined,
  },
  project: () => ({ name: 'project', folder: project }),
  seen: { get: (label: string) => seen.get(label), note: (label: string, sum: string) => void seen.set(label, sum) },
} as unknown as ProjectRun;
fs.mkdirSync(path.join(home, 'artifacts', '20260101-000000-hands'), { recursive: true });

const swapper = spawn(process.execPath, ['-e', SWAPPER, project, outside], { stdio: 'ignore' });
const tools = PROJECT_TOOLS.filter(({ name }) => FILE_TOOLS.includes(name));
const counts = { carriedOut: 0, refused: 0 };
const leaks: string[] = [];
const broken: string[] = [];
const callId = 'call';
for (let n = 0; n < CALLS; n++) {
  const isSlow = n % SLOW_EVERY === 0;
  const tool = one(tools.filter(({ name }) => isSlow || !['list_files', 'search_files'].includes(name)));
  const input = inputs[tool.name]?.() ?? {};
  try {
    const result = await tool.execute(tool.input.parse(input), run, { signal: AbortSignal.timeout(60_000), callId });
    counts.carriedOut += 1;
    if (JSON.stringify(result).includes(CANARY)) leaks.push(`${tool.name} ${JSON.stringify(input)}`);
  } catch (error) {
    counts.refused += 1;
    if (!(error instanceof UserError)) broken.push(`${tool.name} ${JSON.stringify(input)}: ${error}`);
  }
}
swapper.kill('SIGKILL');
const isChanged = stateOf(outside) !== before;
const gitChanged =
  fs.readFileSync(path.join(project, '.git', 'config'), 'utf8') !== '[core]\n' ||
  fs.readdirSync(path.join(project, '.git', 'hooks')).length > 0;
fs.rmSync(base, { recursive: true, force: true });
const out = (line: string) => process.stdout.write(`${line}\n`);
out(`seed ${firstSeed}: ${CALLS} calls, ${counts.carriedOut} carried out, ${counts.refused} refused`);
out(
  `read outside ${leaks.length}, written outside ${Number(isChanged)}, git's own files changed ${Number(gitChanged)}, errors that are no sentence ${broken.length}`,
);
for (const line of [...leaks, ...broken].slice(0, 20)) out(`  ${line}`);
process.exitCode = leaks.length + broken.length + Number(isChanged) + Number(gitChanged) > 0 ? 1 : 0;
