/**
 * Files below a folder that somebody else swaps for a link and back without pause, on a system that gives an open folder no path: what
 * other systems than Linux do, tried on each.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { tempFolder } from '../helpers/temp.ts';

type Below = typeof import('../../src/lib/files/below.ts');
let below: Below;

beforeAll(async () => {
  const { platform } = process;
  vi.resetModules();
  Object.defineProperty(process, 'platform', { value: 'darwin' });
  below = await import('../../src/lib/files/below.ts');
  Object.defineProperty(process, 'platform', { value: platform });
});

const SWAP = `
const fs = require('node:fs');
const [folder, away, link] = process.argv.slice(1);
process.stdout.write('ready');
for (;;) {
  fs.renameSync(folder, away); fs.renameSync(link, folder);
  fs.renameSync(folder, link); fs.renameSync(away, folder);
  // Long enough for some attempts to come through.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * 3);
}`;

function places() {
  const root = fs.realpathSync(tempFolder());
  const [inside, outside] = [path.join(root, 'root'), path.join(root, 'outside')];
  for (const [folder, word] of [
    [path.join(inside, 'a'), 'inside'],
    [outside, 'SECRET'],
  ] as const) {
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'f'), word);
    fs.writeFileSync(path.join(folder, word), '');
  }
  fs.symlinkSync(outside, path.join(root, 'link'));
  const [folder, away, link] = [path.join(inside, 'a'), path.join(root, 'away'), path.join(root, 'link')];
  return { inside, outside, folder, away, link };
}

async function swapped() {
  const { folder, away, link, ...there } = places();
  const child = spawn(process.execPath, ['-e', SWAP, folder, away, link], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return there;
}

/** Each call of the system's meets the link in the folder's place, and neither before nor after it does. */
function swappedDuring(call: 'openSync' | 'readdirSync' | 'mkdirSync', isMeant: (file: string) => boolean) {
  const { folder, away, link, ...there } = places();
  const own = fs[call].bind(fs) as (...args: unknown[]) => unknown;
  const spy = vi.spyOn(fs, call).mockImplementation(((...args: unknown[]) => {
    if (!isMeant(String(args[0]))) return own(...args);
    fs.renameSync(folder, away);
    fs.renameSync(link, folder);
    try {
      return own(...args);
    } finally {
      fs.renameSync(folder, link);
      fs.renameSync(away, folder);
    }
  }) as never);
  onTestFinished(() => spy.mockRestore());
  return there;
}

it('what was opened while a link stood there is not read', async () => {
  const { inside } = swappedDuring('openSync', (file) => file.endsWith('/a/f'));
  const read = below.useFile(inside, ['a', 'f'], async ({ fd }) => (await below.readBytes(fd, 100)).toString());
  await expect(read).rejects.toThrow('was replaced');
});

it('nothing is written into what was opened while a link stood there', async () => {
  const { inside, outside } = swappedDuring('openSync', (file) => /\/a\/[^/]*tmp$/.test(file));
  await expect(below.putFile(inside, ['a', 'new'], Buffer.from('mine'))).rejects.toThrow('was replaced');
  const texts = fs.readdirSync(outside).map((name) => fs.readFileSync(path.join(outside, name), 'utf8'));
  expect(texts.filter((text) => text === 'mine')).toEqual([]);
});

it('names that were read while a link stood there are not told', async () => {
  const { inside } = swappedDuring('readdirSync', (file) => file.endsWith('/a'));
  const names = await below.useFolder(inside, ['a'], (folder) => folder.entries().map(({ name }) => name));
  expect(names).toEqual(['f']);
});

it('a folder that was made while a link stood there is not one of ours', async () => {
  const { inside } = swappedDuring('mkdirSync', (file) => file.endsWith('/a/new'));
  await expect(below.useFolder(inside, ['a', 'new'], () => true, { isMade: true })).rejects.toThrow('was replaced');
});

const ROUNDS = 500;

it('holds while it is swapped: nothing outside is read, listed or written into', async () => {
  const { inside, outside } = await swapped();
  const before = fs.readFileSync(path.join(outside, 'f'), 'utf8');
  const outcomes = new Map<string, number>();
  const tried = async (what: string, work: () => Promise<unknown>) => {
    try {
      const found = await work();
      outcomes.set(`${what} ${found}`, (outcomes.get(`${what} ${found}`) ?? 0) + 1);
    } catch {
      outcomes.set(`${what} refused`, (outcomes.get(`${what} refused`) ?? 0) + 1);
    }
  };
  for (let round = 0; round < ROUNDS; round++) {
    await tried('read', () =>
      below.useFile(inside, ['a', 'f'], async ({ fd }) => (await below.readBytes(fd, 100)).toString()),
    );
    await tried('listed', () =>
      below.useFolder(inside, ['a'], (folder) => folder.entries().some(({ name }) => name === 'SECRET')),
    );
    await tried('written', async () => {
      await below.putFile(inside, ['a', 'new'], Buffer.from('mine'), { sync: false });
      return 'done';
    });
  }
  expect([...outcomes.keys()].filter((what) => /SECRET|true/.test(what))).toEqual([]);
  expect(outcomes.get('read inside') ?? 0).toBeGreaterThan(0);
  expect(fs.readFileSync(path.join(outside, 'f'), 'utf8')).toBe(before);
  // An empty file may be left there, and nothing that was written.
  const written = fs
    .readdirSync(outside)
    .filter((name) => fs.readFileSync(path.join(outside, name), 'utf8') === 'mine');
  expect(written).toEqual([]);
});
