/** Syncs of a folder: whoever asks while one is under way shares the one that follows, and none is taken for a later name's. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { syncFolder } from '../../src/lib/files.ts';
import { tempFolder } from '../helpers/temp.ts';

afterEach(() => vi.restoreAllMocks());

it('ten that ask at once cost two syncs, and the second begins after the last of them has asked', async () => {
  const opened = vi.spyOn(fs, 'openSync');
  const folder = tempFolder();
  const first = syncFolder(folder);
  const others = Array.from({ length: 9 }, () => syncFolder(folder));
  expect(opened).toHaveBeenCalledTimes(1);
  await first;
  await Promise.all(others);
  expect(opened).toHaveBeenCalledTimes(2);
  await syncFolder(folder);
  expect(opened).toHaveBeenCalledTimes(3);
});

it('one that fails is told to those who shared it, and the next is tried all the same', async () => {
  const folder = path.join(tempFolder(), 'gone');
  const results = await Promise.allSettled([syncFolder(folder), syncFolder(folder), syncFolder(folder)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  fs.mkdirSync(folder);
  await syncFolder(folder);
});
