/**
 * Tests every kind of file of the home with every kind of damage: `npm run damage [-- PATTERN [WORKERS]]`, in about
 * four minutes. A home filled by a dialogue is copied, one of its files is damaged, the gateway is started on it, and
 * an owner and another person write. Both must be answered, pending messages in the rest of the home must arrive, and
 * the log or the owner must be told the file's name.
 *
 *   ok       nothing can be found wrong, or nothing is lost       SILENCE  nobody is told
 *   said     the log or a notice names the file                   LOSS     somebody or something else got no answer
 *   refused  the start names the file and what to do              DEAD     the start or the end failed or hung
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type CaseResult, type FileKind, runCase } from '../test/damage/case.ts';
import { DAMAGES } from '../test/damage/damages.ts';
import { kindsOf } from '../test/damage/kinds.ts';
import { fillHome } from '../test/damage/rich-home.ts';
import { openDamageWorld } from '../test/damage/world.ts';

const NOBODY = 65_534;
/** Longer than all waits of one cell together. */
const HANG_MS = 1_800_000;
const OF_FOLDERS = ['emptied', 'no rights', 'no link', 'pipe'];
const out = (line: string) => process.stdout.write(`${line}\n`);

interface Order {
  kind: FileKind;
  damage: string;
}
type Answer = CaseResult & Order;
const isBad = ({ verdict }: CaseResult) => /^[A-Z]+$/.test(verdict);

const copy = (from: string, to: string) => fs.cpSync(from, to, { recursive: true, verbatimSymlinks: true });

/** The worker: runs cells one by one, on its own platforms. */
async function work(template: string, folder: string): Promise<void> {
  const world = await openDamageWorld(path.join(folder, `first-${process.pid}`), true);
  const config = JSON.stringify(world.config());
  let count = 0;
  process.on('unhandledRejection', (error) => out(`unhandled: ${String(error)}`));
  process.on('message', async ({ kind, damage: name }: Order) => {
    const home = path.join(folder, `${process.pid}-${++count}`);
    copy(template, home);
    fs.writeFileSync(path.join(home, 'config.json'), config);
    world.use(home);
    const damage = DAMAGES.find((each) => each.name === name);
    const instead = {
      name,
      apply(file: string) {
        fs.rmSync(file, { recursive: true });
        fs.writeFileSync(file, '');
      },
    };
    const chosen = damage && !(kind.is === 'folder' && name === 'emptied') ? damage : instead;
    const result = await runCase(world, kind, chosen);
    // A folder without permissions can't be read, which is needed to remove its contents.
    execFileSync('chmod', ['-R', 'u+rwX', home]);
    fs.rmSync(home, { recursive: true, force: true });
    process.send?.({ ...result, kind, damage: name } satisfies Answer);
  });
  process.send?.('ready');
}

/** Root may read every file, whatever its permissions. */
function beNobody(): void {
  if (process.getuid?.() !== 0) return;
  process.setgroups?.([]);
  process.setgid?.(NOBODY);
  process.setuid?.(NOBODY);
}

async function main(): Promise<void> {
  const began = Date.now();
  beNobody();
  const pattern = new RegExp(process.argv[2] ?? '');
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'viber-damage-'));
  const template = path.join(folder, 'template');
  const first = await openDamageWorld(template);
  await fillHome(first);
  await first.close();
  const kinds = kindsOf(template);
  const orders = kinds
    .flatMap((kind) =>
      (kind.is === 'folder' ? OF_FOLDERS : DAMAGES.map(({ name }) => name)).map((damage) => ({ kind, damage })),
    )
    .filter(({ kind, damage }) => !kind.except?.includes(damage) && pattern.test(`${kind.name} ${damage}`));
  const results: Answer[] = [];
  const queue = [...orders];

  function note(answer: Answer): void {
    results.push(answer);
    const { kind, damage, verdict, detail } = answer;
    if (isBad(answer)) out(`${verdict} ${kind.name} (${damage}): ${detail.slice(0, 400)}`);
  }

  function tend(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let child: ChildProcess;
    let current: Order | undefined;
    let timer: NodeJS.Timeout | undefined;
    const next = () => {
      clearTimeout(timer);
      current = queue.shift();
      if (!current) {
        child.kill('SIGKILL');
        return resolve();
      }
      child.send(current);
      timer = setTimeout(() => child.kill('SIGKILL'), HANG_MS);
    };
    const open = () => {
      child = fork(import.meta.filename, ['--work', template, folder]);
      child.on('message', (answer: Answer | 'ready') => {
        if (answer !== 'ready') note(answer);
        next();
      });
      child.on('exit', () => {
        clearTimeout(timer);
        if (!current) return;
        note({ ...current, verdict: 'DEAD', detail: 'the process hung or ended' });
        current = undefined;
        open();
      });
    };
    open();
    return promise;
  }

  await Promise.all(Array.from({ length: Number(process.argv[3] ?? 6) }, tend));
  print(kinds, results);
  fs.rmSync(folder, { recursive: true, force: true });
  const bad = results.filter(isBad);
  out(`${results.length} cells in ${Math.round((Date.now() - began) / 1000)} s, ${bad.length} of them bad`);
  process.exit(bad.length > 0 ? 1 : 0);
}

function print(kinds: readonly FileKind[], results: readonly Answer[]): void {
  const find = (kind: string, damage: string) =>
    results.find((each) => each.kind.name === kind && each.damage === damage);
  const columns = DAMAGES.map(({ name }) => name);
  out(`${''.padEnd(34)}${columns.map((name) => name.padEnd(10)).join('')}`);
  for (const { name } of kinds) {
    const row = columns.map((damage) => (find(name, damage)?.verdict ?? '').padEnd(10)).join('');
    if (row.trim() !== '') out(`${name.padEnd(34)}${row}`);
  }
}

if (process.argv[2] === '--work') await work(process.argv[3] ?? '', process.argv[4] ?? '');
else await main();
