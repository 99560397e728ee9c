/** R12: a disk that fills up. Nothing accepted is lost, nothing new is accepted, and it says so; then it goes on. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openStore } from '../src/engine/local/store.ts';
import { ALEX, openWorld } from './dialogs/harness.ts';
import { eventually } from './helpers/eventually.ts';
import { keysIn } from './helpers/spool.ts';
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
  await eventually(async () =>
    expect(await world.app.readiness()).toMatchObject({ ready: false, workspace: { writable: false } }),
  );
  await eventually(async () =>
    expect((await world.app.readiness()).channels.telegram).toMatchObject({
      detail: expect.stringContaining('limits.freeBytes'),
    }),
  );
  expect(world.llm.stats().requests).toBe(0);
  expect(world.telegram.counters().updates.pending).toBe(1);
  const file = path.join(world.home, 'config.json');
  const config = JSON.parse(fs.readFileSync(file, 'utf8'));
  fs.writeFileSync(file, JSON.stringify({ ...config, limits: { freeBytes: 0 } }));
  await world.restart();
  // On a slow machine, the owner has been told about the disk before.
  const answer = await world.telegram.wait({ chat: ALEX, from: 'bot', text: 'hello' });
  expect(answer.text).toBe('hello');
});

it('rejects a put when the disk is full, leaves nothing torn, and takes it once there is room', async ({ skip }) => {
  const disk = smallDisk(1);
  if (disk === undefined) return skip('a small disk can be mounted by root alone');
  const ballast = path.join(disk, 'ballast');
  fs.writeFileSync(ballast, 'x'.repeat(300_000));
  const root = path.join(disk, 'spool');
  const store = openStore({ root, freeBytes: 0 });
  const accepted: string[] = [];
  let refused: unknown;
  for (let n = 0; n < 400 && refused === undefined; n++) {
    await store.put('new', `m${n}`, { text: 'x'.repeat(5000) }).then(
      () => accepted.push(`m${n}`),
      (error: unknown) => {
        refused = error;
      },
    );
  }
  expect(refused).toMatchObject({ code: 'ENOSPC' });
  expect(accepted.length).toBeGreaterThan(50);
  // An end that cannot be written now is written with the next line that can.
  store.finish('new', 'm0');
  expect(store.names('new')).toEqual(accepted.slice(1));
  fs.rmSync(ballast);
  await store.put('out', 'answer', { text: 'x'.repeat(5000) });
  await store.close();
  const again = openStore({ root, freeBytes: 0 });
  expect(again.names('new')).toEqual(accepted.slice(1));
  expect(again.wasFinished('m0')).toBe(true);
  for (const name of again.names('new'))
    expect(again.read('new', name)).toMatchObject({ text: expect.stringMatching(/^x{5000}$/) });
  expect(again.read('out', 'answer')).toBeDefined();
  await again.close();
});

/** While it is full, nothing can be written below these folders of the home, or not so many times. Gives what makes room again. */
function fill(folders: string[], times = Number.POSITIVE_INFINITY): () => void {
  let left = times;
  const write = fs.writeSync;
  const full = vi.spyOn(fs, 'writeSync').mockImplementation(((fd: number, ...rest: [Uint8Array]) => {
    const file = fs.readlinkSync(`/proc/self/fd/${fd}`);
    if (folders.some((folder) => file.startsWith(folder)) && left-- > 0)
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    return write(fd, ...rest);
  }) as typeof fs.writeSync);
  onTestFinished(() => full.mockRestore());
  return () => full.mockRestore();
}

describe.each([
  ['before the model is asked', ['agents'], false, undefined],
  ['before the model is asked, for a moment', ['agents'], false, 1],
  ['when the result is written', ['agents'], true, undefined],
  ['when the result is written, for a moment', ['agents'], true, 1],
])('a disk that is full inside a turn, %s', (_when, folders, isLate, times) => {
  it('makes no failure of it: the message stays, and is answered once there is room', async () => {
    const world = await openWorld();
    const inTurn = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    world.llm.script(async () => {
      inTurn.resolve();
      await goOn.promise;
      return { text: 'the answer' };
    });
    const paths = folders.map((folder) => path.join(world.home, folder));
    let room = isLate ? undefined : fill(paths, times);
    world.telegram.say(ALEX, 'hello');
    if (isLate) {
      await inTurn.promise;
      room = fill(paths, times);
    }
    goOn.resolve();
    await eventually(() => expect(world.logs.map((line) => line.msg)).toContain('work failed and will be tried again'));
    expect(keysIn(world.home, 'new')).toHaveLength(1);
    room?.();
    expect((await world.answer()).text).toBe('the answer');
    const said = world.telegram.chat(ALEX).messages.filter((message) => message.from === 'bot');
    expect(said.map((message) => message.text)).toEqual(['the answer']);
    expect(keysIn(world.home, 'dead')).toEqual([]);
  });
});

it('gives up, after three tries and with a word to its person, what no disk and no platform is to blame for', async () => {
  const world = await openWorld();
  expect((await world.ask('first')).text).not.toBe('');
  const session = path.join(world.home, 'agents', 'default', 'sessions', `${path.basename(world.task())}.jsonl`);
  await eventually(() => expect(keysIn(world.home, 'cur')).toEqual([]));
  fs.rmSync(session);
  fs.symlinkSync(session, session);
  expect((await world.ask('second')).text).toMatch(/trace [0-9a-f]{12}/);
  await eventually(() => expect(keysIn(world.home, 'cur')).toEqual([]));
  fs.unlinkSync(session);
  expect((await world.ask('third')).text).not.toMatch(/trace/);
});
