import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { MAX_CRASHES } from '../../../src/engine/crashes.ts';
import { type Lease, type QueueItem, type Share, spoolKey } from '../../../src/engine/engine.ts';
import { inspectSpool } from '../../../src/engine/local/inspect.ts';
import { segmentNames } from '../../../src/engine/local/segment.ts';
import { openSpool, type Spool } from '../../../src/engine/local/spool.ts';
import { NoSpaceError, openStore } from '../../../src/engine/local/store.ts';
import { LeaseLost } from '../../../src/errors.ts';
import { listenForDamage } from '../../../src/lib/damage.ts';
import { tempFolder } from '../../helpers/temp.ts';
import { quiet } from '../../kit/quiet.ts';

interface Opened {
  spool: Spool<string>;
  dead: QueueItem<string>[];
  torn: string[];
}

async function open(root: string, freeBytes = 0): Promise<Opened> {
  const dead: QueueItem<string>[] = [];
  const torn: string[] = [];
  listenForDamage(root, ({ file }) => torn.push(file));
  const store = openStore({ root, freeBytes });
  return {
    spool: await openSpool<string>({ store, onDead: (item) => dead.push(item), suspectDelayMs: 5 }),
    dead,
    torn,
  };
}

const inState = (root: string, state: string) => inspectSpool(root).filter((found) => found.state === state);
const names = (root: string, state: string) => inState(root, state).map(({ key }) => key);
const ALEX: Share = { person: 'alex', isOwner: true };
const texts = (lease: Lease<string> | undefined) => lease?.items.map((item) => item.message);
const ids = (lease: Lease<string>) => lease.items.map((item) => item.id);

async function claim(spool: Spool<string>): Promise<Lease<string>> {
  const lease = await spool.claim('');
  if (!lease) throw new Error('the queue is closed');
  return lease;
}

describe('the inbox', () => {
  it('hands out what is written while it is synced, and takes it back from its owner when the disk fails', async () => {
    const root = tempFolder();
    const { spool } = await open(root);
    const { fdatasync } = fs;
    const synced = Promise.withResolvers<void>();
    const sync = (fail?: Error) =>
      vi.spyOn(fs, 'fdatasync').mockImplementationOnce((fd, done) => {
        void synced.promise.then(() => (fail ? done(fail) : fdatasync(fd, done)));
      });
    sync(Object.assign(new Error('EIO'), { code: 'EIO' }));
    const put = (text: string) => spool.enqueue('a', text, { by: ALEX, dedupeId: text, group: 'album' });
    const all = [put('one'), put('two')].map((each) => each.then(String, (error: unknown) => (error as Error).name));
    const lease = await claim(spool);
    expect(texts(lease)).toEqual(['one']);
    const states: string[] = [];
    lease.lost.addEventListener('abort', () => states.push('lost'));
    const stored = lease.stored().then(String, (error: unknown) => (error as Error).constructor);
    await new Promise(setImmediate);
    expect(states).toEqual([]);
    synced.resolve();
    expect(await Promise.all(all)).toEqual(['StorageError', 'StorageError']);
    expect(states).toEqual(['lost']);
    expect(await stored).toBe(LeaseLost);
    await expect(spool.ack(lease, ids(lease))).rejects.toThrow(LeaseLost);
    await spool.release(lease);
    expect(await spool.stats()).toEqual({ waiting: 0 });
    expect(await spool.look('a')).toEqual({ depth: 0, busy: false });
    expect(names(root, 'new')).toEqual([]);
    vi.restoreAllMocks();

    // The platform brings it again: it may have been worked on.
    expect(await put('one')).toBe('accepted');
    const again = await claim(spool);
    await again.stored();
    expect([texts(again), again.isAgain]).toEqual([['one'], true]);
    await spool.ack(again, ids(again));
    expect(await spool.enqueue('a', 'three', { by: ALEX, dedupeId: 'three' })).toBe('accepted');
    expect((await claim(spool)).isAgain).toBe(false);
  });

  it('is durable when enqueue resolves: it stands in the log, readable, with the raw event', async () => {
    const root = tempFolder();
    const { spool } = await open(root);
    expect(await spool.enqueue('a', 'hello', { by: ALEX, dedupeId: 'e1', raw: { update_id: 7 } })).toBe('accepted');
    const [found] = inState(root, 'new');
    expect(found?.key).toBe(spoolKey('e1'));
    expect(found?.value).toMatchObject({ message: 'hello', lane: 'a', attempts: 0, raw: { update_id: 7 } });
  });

  it('takes an event once: while it waits, in work, finished, and after a restart', async () => {
    const root = tempFolder();
    const first = await open(root);
    const put = (spool: Spool<string>) => spool.enqueue('a', 'hello', { by: ALEX, dedupeId: 'e1' });
    expect(await Promise.all([put(first.spool), put(first.spool)])).toEqual(['accepted', 'duplicate']);
    const lease = await claim(first.spool);
    expect(await put(first.spool)).toBe('duplicate');
    await first.spool.ack(lease, ids(lease));
    expect(await put(first.spool)).toBe('duplicate');
    const second = await open(root);
    expect(await put(second.spool)).toBe('duplicate');
    expect(names(root, 'new')).toEqual([]);
  });

  it('hands out a lane to one owner at a time, and other lanes meanwhile', async () => {
    const { spool } = await open(tempFolder());
    for (const [lane, text] of [
      ['a', '1'],
      ['a', '2'],
      ['b', '3'],
    ] as const)
      await spool.enqueue(lane, text, { by: ALEX, dedupeId: text });
    const a = await claim(spool);
    const b = await claim(spool);
    expect([texts(a), texts(b)]).toEqual([['1'], ['3']]);
    const next = spool.claim('');
    await spool.ack(a, ids(a));
    expect(texts(await next)).toEqual(['2']);
  });

  it('hands out neighbours of one group together once their time has come', async () => {
    const { spool } = await open(tempFolder());
    const notBefore = Date.now() + 60;
    await spool.enqueue('a', 'photo 1', { by: ALEX, dedupeId: '1', group: 'g', notBefore });
    await spool.enqueue('a', 'photo 2', { by: ALEX, dedupeId: '2', group: 'g', notBefore });
    await spool.enqueue('a', 'text', { by: ALEX, dedupeId: '3' });
    const lease = await claim(spool);
    expect(texts(lease)).toEqual(['photo 1', 'photo 2']);
    expect(Date.now()).toBeGreaterThanOrEqual(notBefore - 2);
    await spool.ack(lease, ids(lease));
    expect(texts(await spool.claim(''))).toEqual(['text']);
  });

  it('lets the owner take further messages of the lane into its lease, past others, and never those that are not due', async () => {
    const root = tempFolder();
    const { spool } = await open(root);
    for (const text of ['a', 'b', 'c', 'd']) await spool.enqueue('x', text, { by: ALEX, dedupeId: text });
    await spool.enqueue('x', 'late', { by: ALEX, dedupeId: 'late', notBefore: Date.now() + 60_000 });
    const lease = await claim(spool);
    const taken = await spool.extend(lease, (item) => item.message !== 'b');
    expect(taken.map((item) => item.message)).toEqual(['c', 'd']);
    expect(await spool.extend(lease, (item) => item.message === 'c')).toEqual([]);
    expect(names(root, 'cur')).toHaveLength(3);
    expect((await spool.look('x')).depth).toBe(2);
    // One of them is finished, the others are handed back: in their order, and none is lost.
    await spool.ack(lease, [spoolKey('c')]);
    await spool.release(lease);
    const again = await claim(spool);
    const rest = await spool.extend(again, () => true);
    expect([texts(again), rest.map((item) => item.message)]).toEqual([['a'], ['b', 'd']]);
    await expect(spool.extend(lease, () => true)).rejects.toThrow(LeaseLost);
    const after = await open(root);
    expect(texts(await claim(after.spool))).toEqual(['a']);
  });

  it('refuses the ack of an older lease, and ignores its release', async () => {
    const root = tempFolder();
    const { spool } = await open(root);
    await spool.enqueue('a', '1', { by: ALEX, dedupeId: '1' });
    const stale = await claim(spool);
    await spool.release(stale);
    const current = await claim(spool);
    await expect(spool.ack(stale, ids(stale))).rejects.toThrow(LeaseLost);
    expect(() => stale.check()).toThrow(LeaseLost);
    await spool.release(stale);
    expect(names(root, 'cur')).toHaveLength(1);
    await spool.ack(current, ids(current));
    expect(names(root, 'cur')).toEqual([]);
  });

  it('knows after a restart whose work waits, and takes up what an earlier version has stored', async () => {
    const root = tempFolder();
    const sam: Share = { person: 'sam', isOwner: false };
    const limits = { 'task:': { perPerson: 1, others: 3 } };
    const first = await open(root);
    for (const n of [1, 2]) await first.spool.enqueue(`task:sam${n}`, `sam ${n}`, { by: sam, dedupeId: `sam ${n}` });
    await first.spool.enqueue('task:old', 'old', { by: sam, dedupeId: 'old' });
    await first.spool.enqueue('task:alex', 'alex', { by: ALEX, dedupeId: 'alex' });
    const [segment = ''] = segmentNames(path.join(root, 'log'));
    const file = path.join(root, 'log', `${segment}.jsonl`);
    const without = (line: string) =>
      line.includes('"lane":"task:old"') ? line.replace(/"by":\{[^}]*\},?/, '') : line;
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').split('\n').map(without).join('\n'));
    const store = openStore({ root, freeBytes: 0 });
    const spool = await openSpool<string>({ store, onDead: () => undefined, limits });
    const next = async () => texts(await spool.claim('task:'))?.[0];
    const leases = [await spool.claim('task:'), await spool.claim('task:'), await spool.claim('task:')];
    expect(leases.map((lease) => texts(lease)?.[0])).toEqual(['sam 1', 'old', 'alex']);
    const waiting = next();
    const sams = leases[0] as Lease<string>;
    await spool.ack(sams, ids(sams));
    expect(await waiting).toBe('sam 2');
  });

  it('counts crashes before it tries again, and gives a message up after the third', async () => {
    const root = tempFolder();
    const first = await open(root);
    await first.spool.enqueue('a', 'poison', { by: ALEX, dedupeId: 'p' });
    await first.spool.enqueue('a', 'innocent', { by: ALEX, dedupeId: 'i' });
    await claim(first.spool);
    for (let crash = 1; crash < MAX_CRASHES; crash++) {
      const { spool, dead } = await open(root);
      const lease = await claim(spool);
      expect([texts(lease), lease.items[0]?.attempts, dead]).toEqual([['poison'], crash, []]);
    }
    const { spool, dead } = await open(root);
    expect(dead.map((item) => item.message)).toEqual(['poison']);
    expect(await spool.deadLetters()).toMatchObject([
      { id: spoolKey('p'), reason: expect.stringContaining('3 times') },
    ]);
    expect(texts(await spool.claim(''))).toEqual(['innocent']);
    expect(await spool.enqueue('a', 'poison', { by: ALEX, dedupeId: 'p' })).toBe('duplicate');
  });

  it('works on messages that were part of two crashes one at a time, so that the guilty one is found alone', async () => {
    const root = tempFolder();
    const first = await open(root);
    for (const lane of ['a', 'b']) await first.spool.enqueue(lane, lane, { by: ALEX, dedupeId: lane });
    await Promise.all([claim(first.spool), claim(first.spool)]);
    const second = await open(root);
    expect((await Promise.all([claim(second.spool), claim(second.spool)])).flatMap(texts)).toEqual(['a', 'b']);
    const { spool } = await open(root);
    const suspect = await claim(spool);
    await spool.enqueue('c', 'fresh', { by: ALEX, dedupeId: 'c' });
    expect(texts(suspect)).toEqual(['a']);
    expect(texts(await spool.claim(''))).toEqual(['fresh']);
    const other = spool.claim('');
    await spool.ack(suspect, ids(suspect));
    expect(texts(await other)).toEqual(['b']);
  });

  it('does not count an orderly release as a crash', async () => {
    const root = tempFolder();
    const first = await open(root);
    await first.spool.enqueue('a', '1', { by: ALEX, dedupeId: '1' });
    await first.spool.release(await claim(first.spool));
    first.spool.close();
    const { spool } = await open(root);
    expect((await claim(spool)).items[0]?.attempts).toBe(0);
  });

  it('moves a damaged line aside and names its file; the others are served', async () => {
    const root = tempFolder();
    const first = await open(root);
    await first.spool.enqueue('a', '1', { by: ALEX, dedupeId: '1' });
    await first.spool.enqueue('b', '2', { by: ALEX, dedupeId: '2' });
    const [name = ''] = segmentNames(path.join(root, 'log'));
    const segment = `${name}.jsonl`;
    const file = path.join(root, 'log', segment);
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"message":"1"', '"message":'));
    const { spool, torn } = await open(root);
    expect(torn).toEqual([file]);
    expect(texts(await spool.claim(''))).toEqual(['2']);
    expect(fs.readFileSync(path.join(root, 'dead', `${segment}.bad`), 'utf8')).toContain(spoolKey('1'));
    expect((await open(root)).torn).toEqual([]);
  });

  it('refuses when the disk is nearly full, and takes the same event later', async () => {
    const root = tempFolder();
    const full = await open(root, Number.MAX_SAFE_INTEGER);
    await expect(full.spool.enqueue('a', '1', { by: ALEX, dedupeId: '1' })).rejects.toBeInstanceOf(NoSpaceError);
    expect(names(root, 'new')).toEqual([]);
    const { spool } = await open(root);
    expect(await spool.enqueue('a', '1', { by: ALEX, dedupeId: '1' })).toBe('accepted');
  });

  it('takes an event that could not be stored when it comes again, and holds a second copy back until the first is durable', async () => {
    const store = openStore({ root: tempFolder(), freeBytes: 0 });
    const commit = Promise.withResolvers<void>();
    let isFull = true;
    const put: typeof store.put = async (...given) => {
      if (isFull) throw new Error('disk full');
      await commit.promise;
      return store.put(...given);
    };
    const spool = await openSpool<string>({ store: { ...store, put }, onDead: () => undefined });
    const enqueue = () => spool.enqueue('a', '1', { by: ALEX, dedupeId: '1' });
    await expect(enqueue()).rejects.toThrow('disk full');
    isFull = false;
    const told: string[] = [];
    const first = enqueue().then((outcome) => told.push(outcome));
    const second = enqueue().then((outcome) => told.push(outcome));
    await quiet();
    // Whoever is told of it would acknowledge it.
    expect(told).toEqual([]);
    commit.resolve();
    await Promise.all([first, second]);
    expect(told.sort()).toEqual(['accepted', 'duplicate']);
    expect(texts(await claim(spool))).toEqual(['1']);
  });

  it('finishes no message that its owner was not given', async () => {
    const root = tempFolder();
    const { spool } = await open(root);
    for (const id of ['1', '2']) await spool.enqueue('a', id, { by: ALEX, dedupeId: id });
    const lease = await claim(spool);
    expect(texts(lease)).toEqual(['1']);
    await spool.ack(lease, [spoolKey('2'), 'unknown']);
    expect(names(root, 'new')).toEqual([spoolKey('2')]);
    await spool.ack(lease, ids(lease));
    expect(texts(await claim(spool))).toEqual(['2']);
  });

  it('keeps each lane in order and loses nothing, whatever restarts, releases and crashes come between', async () => {
    const command = fc.oneof(
      { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), lane: fc.constantFrom('a', 'b', 'c') }) },
      { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('finish' as const, 'release' as const) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('crash' as const, 'duplicate' as const) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 40 }), async (commands) => {
        const root = tempFolder();
        let { spool } = await open(root);
        const expected = new Map<string, string[]>();
        const finished = new Map<string, string[]>();
        let serial = 0;
        let crashes = 0;
        let pending = 0;
        const step = async (finish: boolean) => {
          if (pending === 0) return;
          const lease = await claim(spool);
          if (!finish) return await spool.release(lease);
          pending -= lease.items.length;
          finished.set(lease.lane, [...(finished.get(lease.lane) ?? []), ...(texts(lease) ?? [])]);
          await spool.ack(lease, ids(lease));
        };
        for (const action of commands) {
          if (action.do === 'put') {
            const text = String(++serial);
            expected.set(action.lane, [...(expected.get(action.lane) ?? []), text]);
            await spool.enqueue(action.lane, text, { by: ALEX, dedupeId: text });
            pending++;
          } else if (action.do === 'duplicate') {
            if (serial > 0)
              expect(await spool.enqueue('a', 'x', { by: ALEX, dedupeId: String(serial) })).toBe('duplicate');
          } else if (action.do === 'crash') {
            if (crashes++ >= MAX_CRASHES - 1) continue;
            if (pending > 0) await claim(spool);
            spool.close();
            ({ spool } = await open(root));
          } else await step(action.do === 'finish');
        }
        while (pending > 0) await step(true);
        expect(finished).toEqual(expected);
        expect(names(root, 'new')).toEqual([]);
        expect(names(root, 'cur')).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

it('a store that is closed waits for what is being synced, also as the last thing its process does', async () => {
  const program = path.join(import.meta.dirname, '..', '..', 'helpers', 'close-store.ts');
  const child = spawn(process.execPath, [program, tempFolder()], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [[code], text] = await Promise.all([once(child, 'exit'), child.stdout.setEncoding('utf8').toArray()]);
  expect([code, text.join('')]).toEqual([0, 'closed']);
});
