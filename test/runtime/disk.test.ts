/** Empty files kept ready for commits: whatever becomes of them, what was put stands in its place. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openDisk } from '../../src/engine/local/disk.ts';
import { openStore } from '../../src/engine/local/store.ts';
import { tempFolder } from '../helpers/temp.ts';

function open() {
  const root = tempFolder();
  const tmp = path.join(root, 'tmp');
  const disk = openDisk(tmp, (error) => {
    throw error;
  });
  const store = openStore({ root, freeBytes: 0, disk });
  onTestFinished(() => store.close());
  const spares = () => fs.readdirSync(tmp).filter((name) => fs.statSync(path.join(tmp, name)).size === 0);
  return { root, tmp, store, spares, ready: () => vi.waitFor(() => expect(spares()).toHaveLength(4), 30_000) };
}

it('are used and made anew', async () => {
  const { store, tmp, ready } = open();
  await ready();
  const made = new Set(fs.readdirSync(tmp).map((name) => fs.statSync(path.join(tmp, name)).ino));
  // Making one more is answered before the next is used up.
  for (let n = 0; n < 12; n++) {
    await store.put('new', `m${n}`, { n });
    await ready();
  }
  expect(made.has(fs.statSync(path.join(store.root, 'new', 'm0.json')).ino)).toBe(true);
  for (let n = 0; n < 12; n++) expect(store.read('new', `m${n}`)).toEqual({ n });
  expect(fs.statSync(path.join(store.root, 'new', 'm0.json')).mode & 0o777).toBe(0o600);
});

it('may be taken away, or have something in them', async () => {
  const { store, tmp, ready } = open();
  await ready();
  const [first = '', ...rest] = fs.readdirSync(tmp);
  fs.writeFileSync(path.join(tmp, first), 'x'.repeat(5000));
  for (const name of rest) fs.rmSync(path.join(tmp, name));
  for (let n = 0; n < 6; n++) await store.put('out', `m${n}`, { n });
  for (let n = 0; n < 6; n++) expect(store.read('out', `m${n}`)).toEqual({ n });
});

it('are gone after a restart', async () => {
  const { store, root, tmp, ready } = open();
  await ready();
  await store.close();
  openStore({ root, freeBytes: 0 });
  expect(fs.readdirSync(tmp)).toEqual([]);
});
