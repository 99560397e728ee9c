/** R12: a disk that fills up. Nothing accepted is lost, nothing new is accepted, and it says so; then it goes on. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openStore } from '../src/runtime/queue/store.ts';
import { ALEX, openWorld } from './dialogs/harness.ts';
import { tempFolder } from './helpers/temp.ts';

/** A small disk: a tmpfs of its own where that may be mounted (as root), else undefined. */
function smallDisk(megabytes: number): string | undefined {
  const folder = tempFolder();
  if (process.getuid?.() !== 0) return undefined;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch (error) {
    if (error instanceof Error && 'status' in error) return undefined;
    throw error;
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]));
  return folder;
}

it('accepts nothing while space is short, says so, and loses nothing', async () => {
  const world = await openWorld({ config: { limits: { freeBytes: Number.MAX_SAFE_INTEGER } } });
  world.telegram.say(ALEX, 'hello');
  await vi.waitFor(
    () => expect(world.app.readiness()).toMatchObject({ ready: false, workspace: { writable: false } }),
    30_000,
  );
  await vi.waitFor(
    () =>
      expect(world.app.readiness().channels.telegram).toMatchObject({
        detail: expect.stringContaining('limits.freeBytes'),
      }),
    30_000,
  );
  expect(world.llm.stats().requests).toBe(0);
  expect(world.telegram.counters().updates.pending).toBe(1);
  const file = path.join(world.home, 'config.json');
  const config = JSON.parse(fs.readFileSync(file, 'utf8'));
  fs.writeFileSync(file, JSON.stringify({ ...config, limits: { freeBytes: 0 } }));
  await world.restart();
  expect((await world.answer()).text).toBe('hello');
});

it('rejects a put when the disk is full, leaves nothing torn, and takes it once there is room', async () => {
  const disk = smallDisk(1);
  // Without the right to mount, a store on a folder that vanishes must at least reject.
  const root = disk ?? path.join(tempFolder(), 'spool');
  const store = openStore({ root, freeBytes: 0 });
  const accepted: string[] = [];
  let refused: unknown;
  if (disk === undefined) fs.rmSync(path.join(root, 'tmp'), { recursive: true });
  for (let n = 0; n < 400 && refused === undefined; n++) {
    await store.put('new', `m${n}`, { text: 'x'.repeat(5000) }).then(
      () => accepted.push(`m${n}`),
      (error: unknown) => {
        refused = error;
      },
    );
  }
  expect(refused).toMatchObject({ code: disk === undefined ? 'ENOENT' : 'ENOSPC' });
  expect(store.names('new').sort()).toEqual([...accepted].sort());
  for (const name of accepted)
    expect(store.read('new', name)).toMatchObject({ text: expect.stringMatching(/^x{5000}$/) });
  if (disk === undefined) return;
  expect(fs.readdirSync(path.join(root, 'tmp'))).toEqual([]);
  for (const name of accepted.slice(0, 3)) store.remove('new', name);
  await store.put('out', 'answer', { text: 'x'.repeat(5000) });
  expect(store.read('out', 'answer')).toBeDefined();
});
