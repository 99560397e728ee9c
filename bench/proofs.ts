/**
 * Runs all proofs at about a tenth of their size: `npm run proofs [-- NAME...]`. The program is built once; proofs that
 * mostly wait run in parallel with those that work. Each one's output is kept in a file, which is named if it has
 * failed. Exits with 1 if one has.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const out = (line: string) => process.stdout.write(`${line}\n`);

/** A script of package.json, whose file has its name, and its arguments here. */
interface Proof {
  name: string;
  given: string[];
}
const WAITING: Proof[] = [
  { name: 'outage', given: ['60'] },
  { name: 'clock', given: ['8'] },
];
const WORKING: Proof[] = [
  { name: 'supply', given: [] },
  { name: 'crash', given: ['30'] },
  { name: 'crash', given: ['15', '7', 'SIGTERM'] },
  { name: 'crash:programs', given: ['10'] },
  { name: 'crash:works', given: ['12'] },
  { name: 'interleavings', given: ['300'] },
  { name: 'words', given: ['200'] },
  { name: 'damage', given: ['(cut|zeroed)$', '2'] },
];
const LINES = 6;
let tries = 0;

const only = process.argv.slice(2);
const isChosen = ({ name }: Proof) => only.length === 0 || only.includes(name);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'viber-proofs-'));
const began = Date.now();
const secondsSince = (time: number) => Math.round((Date.now() - time) / 1000);

interface Proved {
  what: string;
  isGood: boolean;
}

/** On a shared machine a failed proof is tried again, as tests are: one that fails twice is broken. */
async function prove(proof: Proof): Promise<Proved> {
  const first = await tryOnce(proof);
  return first.isGood || !process.env.CI ? first : tryOnce(proof);
}

async function tryOnce({ name, given }: Proof): Promise<Proved> {
  const what = [name, ...given].join(' ');
  const file = path.join(folder, `${what.replace(/\W+/g, '-')}-${++tries}.txt`);
  const said = fs.openSync(file, 'w');
  const start = Date.now();
  const program = path.join(root, 'bench', `${name.replace(':', '-')}.ts`);
  const child = spawn(process.execPath, [program, ...given], { cwd: root, stdio: ['ignore', said, said] });
  const [status] = await once(child, 'exit');
  fs.closeSync(said);
  const isGood = status === 0;
  const lines = fs.readFileSync(file, 'utf8').trimEnd().split('\n');
  out(`${isGood ? 'holds ' : 'BROKEN'} ${what} (${secondsSince(start)} s)${isGood ? '' : `, all of it in ${file}`}`);
  for (const line of lines.slice(isGood ? -LINES : -5 * LINES)) out(`    ${line.slice(0, 300)}`);
  return { what, isGood };
}

async function proveAll(proofs: Proof[]): Promise<Proved[]> {
  const results: Proved[] = [];
  for (const proof of proofs) results.push(await prove(proof));
  return results;
}

const built = spawnSync('npm', ['run', '-s', 'build'], { cwd: root, encoding: 'utf8' });
if (built.status !== 0) {
  out(`the program cannot be built:\n${built.stdout}${built.stderr}`);
  process.exit(1);
}
const lanes = [WAITING, WORKING].map((proofs) => proveAll(proofs.filter(isChosen)));
const results = (await Promise.all(lanes)).flat();
const broken = results.filter(({ isGood }) => !isGood);
out(
  `${results.length} proofs in ${secondsSince(began)} s, broken: ${broken.map(({ what }) => what).join(', ') || 'none'}`,
);
if (broken.length === 0) fs.rmSync(folder, { recursive: true, force: true });
process.exit(broken.length > 0 ? 1 : 0);
