/** To whom lanes are given and when: turns, times, crashes, and messages that could not be stored after all. */
import fs from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type EnqueueOptions, type FairLimits, type Lease, spoolKey } from '../../../src/engine/engine.ts';
import { openSpool, type Spool } from '../../../src/engine/local/spool.ts';
import { openStore } from '../../../src/engine/local/store.ts';
import { LeaseLost } from '../../../src/errors.ts';
import { listenForDamage } from '../../../src/lib/damage.ts';
import { tempFolder } from '../../helpers/temp.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const NOW = Date.parse('2026-01-31T10:00:00Z');
const failing = (code: string) => Object.assign(new Error(code), { code });

interface Opened {
  root?: string;
  limits?: Record<string, FairLimits>;
  now?: () => number;
  suspectDelayMs?: number;
}

async function open({ root = tempFolder(), suspectDelayMs = 5, ...more }: Opened = {}) {
  const store = openStore({ root, freeBytes: 0 });
  const dead: string[] = [];
  const spool = await openSpool<string>({
    store,
    suspectDelayMs,
    onDead: ({ message }) => dead.push(message),
    ...more,
  });
  return { root, store, spool, dead };
}

const put = (spool: Spool<string>, lane: string, text: string, more: Partial<EnqueueOptions> = {}) =>
  spool.enqueue(lane, text, { by: { person: 'alex', isOwner: true }, dedupeId: text, ...more });
const texts = (lease: Lease<string> | undefined) => lease?.items.map(({ message }) => message);
const ids = (lease: Lease<string>) => lease.items.map(({ id }) => id);

async function claim(spool: Spool<string>, kind = 'task:'): Promise<Lease<string>> {
  const lease = await spool.claim(kind);
  if (!lease) throw new Error('the queue is closed');
  return lease;
}

async function isWaiting(promise: Promise<unknown>): Promise<boolean> {
  const soon = new Promise((resolve) => setImmediate(resolve, 'waits'));
  return (await Promise.race([promise.then(() => 'over'), soon])) === 'waits';
}

/** Holds the disk until `end` is called, which fails all that is being synced where it is given an error. */
function slowDisk(): { end(error?: Error): void } {
  const held: ((error?: Error) => void)[] = [];
  const { fdatasync } = fs;
  vi.spyOn(fs, 'fdatasync').mockImplementation((fd, done) => {
    held.push((error) => (error ? done(error) : fdatasync(fd, done)));
  });
  return {
    end: (error) => {
      vi.restoreAllMocks();
      for (const each of held) each(error);
    },
  };
}

describe('a lane', () => {
  it('is given once to one who waits for its kind', async () => {
    const { spool } = await open();
    const [job, first, second] = [spool.claim('job:'), claim(spool), claim(spool)];
    await put(spool, 'task:a', '1');
    await put(spool, 'task:a', '2');
    expect([texts(await first), await isWaiting(second), await isWaiting(job)]).toEqual([['1'], true, true]);
    await put(spool, 'task:b', '3');
    expect(texts(await second)).toEqual(['3']);
    await put(spool, 'job:c', '4');
    expect(texts(await job)).toEqual(['4']);
    expect((await spool.unfinished()).map(({ message }) => message).sort()).toEqual(['1', '2', '3', '4']);
  });

  it('waits for a time of its own, and the earliest of all comes first', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: NOW });
    const { spool } = await open();
    await put(spool, 'task:late', 'late', { notBefore: NOW + 60_000 });
    await put(spool, 'task:soon', 'soon', { notBefore: NOW + 1_000 });
    await put(spool, 'task:later', 'later', { notBefore: NOW + 120_000 });
    expect(vi.getTimerCount()).toBe(1);
    const claimed = [claim(spool), claim(spool), claim(spool)];
    const given = () => Promise.all(claimed.map(async (each) => !(await isWaiting(each))));
    expect(await given()).toEqual([false, false, false]);
    vi.advanceTimersByTime(999);
    expect(await given()).toEqual([false, false, false]);
    vi.advanceTimersByTime(1);
    expect(await given()).toEqual([true, false, false]);
    vi.advanceTimersByTime(59_000);
    expect([await given(), texts(await claimed[1])]).toEqual([[true, true, false], ['late']]);
    vi.advanceTimersByTime(60_000);
    expect([await given(), texts(await claimed[0])]).toEqual([[true, true, true], ['soon']]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('waits no longer when the clock goes back meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: NOW });
    const { spool } = await open();
    await put(spool, 'task:a', '1', { notBefore: NOW + 500 });
    await put(spool, 'task:b', '2', { notBefore: NOW + 20_000 });
    const [first, second] = [claim(spool), claim(spool)];
    vi.setSystemTime(NOW - 25 * 60_000);
    vi.advanceTimersByTime(499);
    expect(await isWaiting(first)).toBe(true);
    vi.advanceTimersByTime(1);
    expect(texts(await first)).toEqual(['1']);
    // The other's wait was not begun anew by it.
    vi.advanceTimersByTime(19_499);
    expect(await isWaiting(second)).toBe(true);
    vi.advanceTimersByTime(1);
    const lease = await second;
    expect(texts(lease)).toEqual(['2']);
    await spool.release(lease, { retryAt: Date.now() + 2_000 });
    vi.setSystemTime(NOW - 45 * 60_000);
    const again = claim(spool);
    vi.advanceTimersByTime(2_000);
    expect(texts(await again)).toEqual(['2']);
  });

  it('that was handed back is given again when its time has come, without being counted, and all of it waits again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: NOW });
    const { spool, store } = await open();
    for (const text of ['1', '2', '3']) await put(spool, 'task:a', text);
    const lease = await claim(spool);
    await spool.extend(lease, ({ message }) => message === '2');
    expect([store.names('cur').length, store.names('new').length]).toEqual([2, 1]);
    await spool.release(lease, { retryAt: NOW + 5_000 });
    expect([store.names('cur').length, store.names('new').length]).toEqual([0, 3]);
    const again = claim(spool);
    expect(await isWaiting(again)).toBe(true);
    vi.advanceTimersByTime(5_000);
    const given = await again;
    expect([texts(given), given.isAgain, given.items[0]?.attempts]).toEqual([['1'], true, 0]);
    await spool.ack(given, ids(given));
    const next = await claim(spool);
    expect([texts(next), next.isAgain]).toEqual([['2'], true]);
    await spool.ack(next, ids(next));
    const last = await claim(spool);
    expect([texts(last), last.isAgain]).toEqual([['3'], false]);
  });

  it('that was begun before is so however little of it was', async () => {
    const { spool } = await open();
    await put(spool, 'task:a', '1');
    await put(spool, 'task:a', '2');
    const lease = await claim(spool);
    expect([lease.isAgain, texts({ ...lease, items: await spool.extend(lease, () => true) } as Lease<string>)]).toEqual(
      [false, ['2']],
    );
    await spool.ack(lease, [spoolKey('1')]);
    await put(spool, 'task:a', '0', { orderKey: { source: 's', at: 1 } });
    await spool.release(lease);
    expect((await claim(spool)).isAgain).toBe(true);
  });

  it('of somebody who has enough in work waits for the end of one of them', async () => {
    const by = { person: 'guest', isOwner: false };
    const { spool } = await open({ limits: { 'task:': { perPerson: 1, others: 1 } } });
    await put(spool, 'task:a', '1', { by });
    await put(spool, 'task:b', '2', { by });
    const first = await claim(spool);
    const second = claim(spool);
    expect(await isWaiting(second)).toBe(true);
    await spool.release(first, { retryAt: Date.now() + 60_000 });
    expect(texts(await second)).toEqual(['2']);
  });

  it('is looked at without being made, and forgotten with its last message', async () => {
    const { spool } = await open();
    const nothing = { depth: 0, busy: false };
    expect([await spool.look('task:a'), await spool.signal('task:a', 'stop')]).toEqual([nothing, false]);
    await put(spool, 'task:a', '1');
    const lease = await claim(spool);
    expect(await spool.look('task:a')).toEqual({ depth: 0, busy: true });
    await spool.ack(lease, ids(lease));
    expect([await spool.look('task:a'), await spool.signal('task:a', 'stop')]).toEqual([nothing, false]);
    expect(await spool.stats()).toEqual({ waiting: 0 });
    spool.show(lease, { runId: 'r', startedAt: 1 });
    await expect(spool.ack(lease, ids(lease))).rejects.toThrow('task:a has another owner, or none');
  });

  it('asks all who listen, and who has done something counts', async () => {
    const { spool } = await open();
    const answers: (boolean | undefined)[] = [undefined, true];
    spool.onSignal(() => answers[0]);
    spool.onSignal(() => answers[1]);
    await put(spool, 'task:a', '1');
    const lease = await claim(spool);
    expect([await spool.signal('task:a', 'steer'), lease.items[0]?.isStopped === true]).toEqual([true, false]);
    answers.splice(0, 2, undefined, false);
    expect([await spool.signal('task:a', 'stop'), lease.items[0]?.isStopped === true]).toEqual([false, false]);
    answers.splice(0, 2, undefined, undefined);
    expect([
      await spool.signal('task:a', 'steer'),
      await spool.signal('task:a', 'stop'),
      lease.items[0]?.isStopped === true,
    ]).toEqual([...[false, true, true]]);
  });

  it('is stopped before its first message is on the disk', async () => {
    const { spool } = await open();
    const disk = slowDisk();
    // Another commit is under way, so this one is not even written.
    const first = put(spool, 'task:other', 'other');
    await new Promise((resolve) => setImmediate(resolve));
    const stored = put(spool, 'task:a', '1');
    expect([(await spool.look('task:a')).depth, await spool.signal('task:a', 'stop')]).toEqual([1, true]);
    expect((await spool.look('task:a')).depth).toBe(0);
    disk.end();
    await Promise.all([first, stored]);
    await claim(spool);
    const lease = await claim(spool);
    expect([texts(lease), lease.items[0]?.isStopped === true]).toEqual([['1'], true]);
  });
});

describe('what could not be stored after all', () => {
  it('is taken from its owner, and what else was in work there waits again', async () => {
    const { spool, store } = await open();
    await put(spool, 'task:a', 'sound');
    const lease = await claim(spool);
    const lost = vi.fn();
    lease.lost.addEventListener('abort', lost);
    const disk = slowDisk();
    const failed = put(spool, 'task:a', 'failed').then(String, (error: Error) => error.name);
    await new Promise((resolve) => setImmediate(resolve));
    expect((await spool.extend(lease, () => true)).map(({ message }) => message)).toEqual(['failed']);
    const stored = lease.stored().then(String, (error: Error) => error.name);
    disk.end(failing('EIO'));
    expect([await failed, await stored, lost.mock.calls.length]).toEqual(['StorageError', 'LeaseLost', 1]);
    await expect(spool.ack(lease, ids(lease))).rejects.toThrow(LeaseLost);
    const again = await claim(spool);
    expect([texts(again), store.names('cur')]).toEqual([['sound'], [spoolKey('sound')]]);
    // The platform brings it again: somebody may have worked on it.
    expect(await put(spool, 'task:b', 'failed')).toBe('accepted');
    expect((await claim(spool)).isAgain).toBe(true);
  });

  it('leaves nothing behind where it waited alone, and its neighbours where they are', async () => {
    const { spool } = await open({ limits: { 'task:': { perPerson: 1, others: 1 } } });
    await put(spool, 'task:b', 'sound');
    const disk = slowDisk();
    const lost = ['a', 'b'].map((lane) =>
      put(spool, `task:${lane}`, `lost in ${lane}`).then(String, (error: Error) => error.name),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect((await spool.look('task:a')).depth).toBe(1);
    disk.end(failing('EIO'));
    expect(await Promise.all(lost)).toEqual(['StorageError', 'StorageError']);
    expect([(await spool.look('task:a')).depth, (await spool.look('task:b')).depth]).toEqual([0, 1]);
    const lease = await claim(spool);
    expect([texts(lease), await isWaiting(claim(spool)), await spool.stats()]).toEqual([
      ...[['sound'], true, { waiting: 1, oldest: expect.any(Number) }],
    ]);
    expect(await spool.seen('lost in a')).toBe(false);
  });

  it('takes no place in a lane that is full, and gives its own back', async () => {
    const { spool } = await open();
    const disk = slowDisk();
    const both = ['1', '2', '3'].map((text) =>
      put(spool, 'task:a', text, { maxDepth: 2 }).then(String, (error: Error) => error.name),
    );
    await new Promise((resolve) => setImmediate(resolve));
    disk.end(failing('ENOSPC'));
    expect(await Promise.all(both)).toEqual(['StorageError', 'StorageError', 'full']);
    const again = await Promise.all(['1', '2', '3'].map((text) => put(spool, 'task:a', text, { maxDepth: 2 })));
    expect(again).toEqual(['accepted', 'accepted', 'full']);
  });
});

describe('a message that was part of a crash', () => {
  /** What a crash leaves of a spool in which these were in work. */
  async function crashed(lanes: Readonly<Record<string, string[]>>, more: Opened = {}) {
    const { root, spool } = await open();
    for (const [lane, all] of Object.entries(lanes)) for (const text of all) await put(spool, lane, text);
    for (const _lane of Object.keys(lanes)) await claim(spool);
    return open({ root, ...more });
  }

  /** The same, twice. */
  async function crashedAgain(lanes: Readonly<Record<string, string[]>>) {
    const { root, spool } = await crashed(lanes);
    for (const _lane of Object.keys(lanes)) await claim(spool);
    return open({ root });
  }

  it('begins again beside all others of that crash', async () => {
    const { spool } = await crashed({ 'task:a': ['1'], 'task:b': ['2'], 'task:c': ['3'] });
    await put(spool, 'task:new', 'new');
    const all = [await claim(spool), await claim(spool), await claim(spool), await claim(spool)];
    expect(new Set(all.flatMap(texts))).toEqual(new Set(['1', '2', '3', 'new']));
  });

  it('is in work alone of its kind after the second; all others are served meanwhile', async () => {
    const { spool } = await crashedAgain({ 'task:a': ['1'], 'task:b': ['2'], 'task:c': ['3'] });
    const first = await claim(spool);
    await put(spool, 'task:new', 'new');
    expect([first.items[0]?.attempts, texts(await claim(spool))]).toEqual([2, ['new']]);
    const second = claim(spool);
    expect(await isWaiting(second)).toBe(true);
    await spool.release(first, { retryAt: Date.now() + 60_000 });
    const next = await second;
    expect([next.items[0]?.attempts, next.lane === first.lane]).toEqual([2, false]);
    const third = claim(spool);
    expect(await isWaiting(third)).toBe(true);
    await spool.ack(next, ids(next));
    expect(new Set([first.lane, next.lane, (await third).lane])).toEqual(new Set(['task:a', 'task:b', 'task:c']));
  });

  it('is not taken by the owner of another lane, and is by its own', async () => {
    const { root, spool } = await open();
    for (const text of ['1', '2']) await put(spool, 'task:a', text);
    await put(spool, 'task:b', '3');
    const begun = await claim(spool);
    await spool.extend(begun, () => true);
    await claim(spool);
    const { spool: again } = await open({ root });
    const one = await claim(again);
    await again.extend(one, () => true);
    await claim(again);
    const { spool: after } = await open({ root });
    const a = await claim(after);
    await put(after, 'task:c', 'fresh');
    const fresh = await claim(after);
    expect([texts(a), texts(fresh)]).toEqual([['1'], ['fresh']]);
    expect((await after.extend(a, () => true)).map(({ message }) => message)).toEqual(['2']);
    expect(await after.extend(fresh, () => true)).toEqual([]);
  });

  it('waits no longer than what it was in work with, however slowly the clocks are read', async () => {
    const { root, spool } = await open();
    for (const text of ['1', '2', '3']) await put(spool, 'task:a', text);
    await spool.extend(await claim(spool), () => true);
    const { spool: again } = await open({ root });
    await again.extend(await claim(again), () => true);
    const cell = new Int32Array(new SharedArrayBuffer(4));
    let reads = 0;
    const now = () => {
      const at = Date.now();
      // The clock is read slowly.
      Atomics.wait(cell, 0, 0, 20 * reads++);
      return at;
    };
    const { spool: after } = await open({ root, now, suspectDelayMs: 200 });
    const lease = await claim(after);
    expect((await after.extend(lease, () => true)).map(({ message }) => message)).toEqual(['2', '3']);
  });

  it('waits a while after its second, and is given up after its third with what it said', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: NOW });
    const world = await crashed({ 'task:a': ['poison'] });
    let { spool, dead } = world;
    const { root } = world;
    expect([(await claim(spool)).items[0]?.attempts, dead]).toEqual([1, []]);
    ({ spool, dead } = await open({ root, suspectDelayMs: 3_000 }));
    const third = claim(spool);
    vi.advanceTimersByTime(2_999);
    expect(await isWaiting(third)).toBe(true);
    vi.advanceTimersByTime(1);
    expect((await third).items[0]?.attempts).toBe(2);
    ({ spool, dead } = await open({ root }));
    expect([dead, await isWaiting(spool.claim('task:'))]).toEqual([['poison'], true]);
    expect(await spool.reasonOf(spoolKey('poison'))).toBe('the gateway ended 3 times while working on it');
    expect(await spool.find(spoolKey('poison'))).toBe('poison');
  });
});

it('keeps what is given up by itself as it was stored, with its event, and an event that never got there', async () => {
  const { spool, store, root } = await open({ now: () => NOW });
  await put(spool, 'task:a', '1', { raw: { update: 1 } });
  const [item] = (await claim(spool)).items;
  if (!item) throw new Error('nothing was given');
  await spool.giveUp(item, 'it fails');
  await spool.giveUp({ ...item, id: 'elsewhere', dedupeId: 'an event' }, 'too large');
  await spool.giveUp({ ...item, id: 'unnamed' }, 'too large');
  const read = (id: string) => JSON.parse(fs.readFileSync(`${root}/dead/${id}.json`, 'utf8'));
  expect(read(item.id)).toMatchObject({ dedupeId: '1', raw: { update: 1 }, deadReason: 'it fails' });
  expect([read('elsewhere').dedupeId, read('unnamed').dedupeId]).toEqual(['an event', '']);
  expect(store.names('dead').sort()).toEqual([item.id, 'elsewhere', 'unnamed'].sort());
});

it('stores of a message only what it has, with numbers that rise however the clock goes', async () => {
  let now = NOW;
  const root = tempFolder();
  const told: string[] = [];
  const stop = listenForDamage(root, ({ why }) => told.push(why));
  const { spool, store } = await open({ root, now: () => now });
  await put(spool, 'task:a', 'plain');
  now -= 3_600_000;
  await put(spool, 'task:a', 'full', { notBefore: 1, group: 'g', orderKey: { source: 's', at: 1 }, raw: {} });
  const stored = (text: string) => store.read<Record<string, unknown>>('new', spoolKey(text)) ?? {};
  const common = ['acceptedAt', 'attempts', 'by', 'dedupeId', 'id', 'lane', 'message', 'seq'];
  expect([Object.keys(stored('plain')).sort(), stored('plain').seq]).toEqual([common, NOW * 1_000]);
  expect(Object.keys(stored('full')).sort()).toEqual([...common, 'group', 'notBefore', 'orderKey', 'raw'].sort());
  expect(stored('full').seq).toBe(NOW * 1_000 + 1);
  const { spool: after } = await open({ root, now: () => now });
  await put(after, 'task:b', 'after');
  expect((await after.unfinished()).map(({ message, seq }) => [message, seq])).toEqual([
    ['plain', NOW * 1_000],
    ['full', NOW * 1_000 + 1],
    ['after', NOW * 1_000 + 2],
  ]);
  stop();
  expect(told).toEqual([]);
});

it('gives nothing once it is closed, to whoever waits and when a time has come', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: NOW });
  const { spool } = await open();
  await put(spool, 'task:a', '1', { notBefore: NOW + 1_000 });
  const waiting = spool.claim('task:');
  spool.close();
  expect([await waiting, await spool.claim('task:'), vi.getTimerCount()]).toEqual([undefined, undefined, 0]);
});
