/** The spool's log under a disk that fails, hangs, fills up or loses power: what was acknowledged is there, what was refused is not. */
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { inspectSpool } from '../../../src/engine/local/inspect.ts';
import { acquireLock } from '../../../src/engine/local/lock.ts';
import { segmentNames } from '../../../src/engine/local/segment.ts';
import { openSpool } from '../../../src/engine/local/spool.ts';
import { openStore } from '../../../src/engine/local/store.ts';
import { listenForDamage } from '../../../src/lib/damage.ts';
import { eventually } from '../../helpers/eventually.ts';
import { tempFolder } from '../../helpers/temp.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const open = (root: string, segmentBytes?: number, torn: string[] = []) => {
  const stop = listenForDamage(root, ({ file }) => torn.push(file));
  const store = openStore({ root, freeBytes: 0, ...(segmentBytes === undefined ? {} : { segmentBytes }) });
  stop();
  return store;
};
const BY = { person: 'alex', isOwner: true };
const segments = (root: string) => segmentNames(path.join(root, 'log')).map((name) => `${name}.jsonl`);
const newest = (root: string) => path.join(root, 'log', segments(root).at(-1) ?? '');
const failing = (code: string) => Object.assign(new Error(code), { code });

describe('what is put', () => {
  it('is synced before it is acknowledged, and so is the name of a new file', async () => {
    const root = tempFolder();
    const order: string[] = [];
    const { fdatasyncSync, fdatasync } = fs;
    vi.spyOn(fs, 'fdatasyncSync').mockImplementation((fd) => {
      fdatasyncSync(fd);
      order.push('file');
    });
    vi.spyOn(fs, 'fdatasync').mockImplementation((fd, done) =>
      fdatasync(fd, (error) => {
        order.push('file');
        done(error);
      }),
    );
    const folders: number[] = [];
    const openSync = fs.openSync;
    vi.spyOn(fs, 'openSync').mockImplementation((...given) => {
      const fd = openSync(...given);
      if (given[0] === path.join(root, 'log')) folders.push(fd);
      return fd;
    });
    const store = open(root);
    await store.put('new', 'a', { n: 1 });
    order.push('acknowledged');
    expect(order).toEqual(['file', 'acknowledged']);
    expect(folders).toHaveLength(1);
    await Promise.all(['b', 'c', 'd'].map((name) => store.put('new', name, {}).then(() => order.push(name))));
    expect(order.slice(2)).toEqual(['file', 'b', 'c', 'd']);
    expect(folders).toHaveLength(1);
    await store.close();
  });

  it('is acknowledged to nobody before it is durable, not even as a duplicate', async () => {
    const spool = await openSpool<string>({ store: open(tempFolder()), onDead: () => undefined });
    const { fdatasync } = fs;
    const held: (() => void)[] = [];
    vi.spyOn(fs, 'fdatasyncSync').mockImplementation(() => {
      throw failing('EIO');
    });
    vi.spyOn(fs, 'fdatasync').mockImplementation((fd, done) => void held.push(() => fdatasync(fd, done)));
    const told: string[] = [];
    const put = (id: string) =>
      spool.enqueue('lane', id, { by: BY, dedupeId: id }).then((outcome) => told.push(`${id} ${outcome}`));
    const all = [put('a'), put('b'), put('a')];
    await eventually(() => expect(held).toHaveLength(1));
    expect(told).toEqual([]);
    held[0]?.();
    await Promise.all(all);
    expect(told.sort()).toEqual(['a accepted', 'a duplicate', 'b accepted']);
  });

  it('is taken when it comes again after a put that failed: at the write, or at the sync', async () => {
    const root = tempFolder();
    const spool = await openSpool<string>({ store: open(root), onDead: () => undefined });
    const put = (id: string) => spool.enqueue('lane', id, { by: BY, dedupeId: id });
    await put('first');
    vi.spyOn(fs, 'writeSync').mockImplementationOnce(() => {
      throw failing('ENOSPC');
    });
    await expect(put('a')).rejects.toMatchObject({ code: 'ENOSPC' });
    vi.restoreAllMocks();
    expect(await put('a')).toBe('accepted');
    for (const name of ['fdatasyncSync', 'fdatasync'] as const) {
      vi.spyOn(fs, 'fdatasyncSync').mockImplementationOnce(() => {
        throw failing('EIO');
      });
      vi.spyOn(fs, 'fdatasync').mockImplementationOnce((_fd, done) => done(failing('EIO')));
      await expect(put(name)).rejects.toMatchObject({ code: 'EIO' });
      vi.restoreAllMocks();
      // What the kernel has said once of a file it may not say again: the log goes on in another one.
      expect(await put(name)).toBe('accepted');
    }
    expect(segments(root).length).toBeGreaterThan(1);
    const found = inspectSpool(root).map(({ value }) => (value as { message: string }).message);
    expect(found).toEqual(['first', 'a', 'fdatasyncSync', 'fdatasync']);
  });

  it('of several together loses only what there was no room for', async () => {
    const root = tempFolder();
    const store = open(root);
    await store.put('new', 'before', {});
    const { writeSync } = fs;
    vi.spyOn(fs, 'writeSync').mockImplementation(((fd: number, data: Buffer, ...rest: [number, number, number]) => {
      if (data.includes('"large"')) throw failing('ENOSPC');
      return writeSync(fd, data, ...rest);
    }) as typeof fs.writeSync);
    const outcomes = await Promise.allSettled(['small', 'large', 'other'].map((key) => store.put('new', key, {})));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(store.names('new')).toEqual(['before', 'small', 'other']);
    await store.close();
    expect(open(root).names('new')).toEqual(['before', 'small', 'other']);
  });

  it('may be an answer also when there is no space for new messages', async () => {
    const store = openStore({ root: tempFolder(), freeBytes: Number.MAX_SAFE_INTEGER });
    await expect(store.put('new', 'a', {})).rejects.toMatchObject({ name: 'NoSpaceError' });
    await store.put('out', 'answer', { n: 1 });
    expect(store.read('out', 'answer')).toEqual({ n: 1 });
  });
});

describe('a start', () => {
  it('reads one segment, however many there were', async () => {
    const root = tempFolder();
    const store = open(root, 2_000);
    for (let n = 0; n < 200; n++) {
      await store.put('new', `m${n}`, { text: 'x'.repeat(100) });
      if (n % 10 !== 0) store.finish('new', `m${n}`);
    }
    await store.close();
    expect(segments(root).length).toBeGreaterThan(5);
    for (const name of segments(root).slice(0, -1)) fs.truncateSync(path.join(root, 'log', name), 0);
    const again = open(root, 2_000);
    expect(again.names('new')).toEqual(Array.from({ length: 20 }, (_, n) => `m${n * 10}`));
    for (let n = 0; n < 200; n++) expect(again.wasFinished(`m${n}`), `m${n}`).toBe(n % 10 !== 0);
    expect(again.read('new', 'm190')).toEqual({ text: 'x'.repeat(100) });
  });

  it('does not begin a segment for each put when much is unfinished', async () => {
    const root = tempFolder();
    const store = open(root, 2_000);
    for (let n = 0; n < 100; n++) await store.put('new', `m${n}`, { text: 'x'.repeat(1000) });
    expect(segments(root).length).toBeLessThan(60);
    expect(store.names('new')).toHaveLength(100);
  });

  it('makes the keys of a segment anew when their file is gone', async () => {
    const root = tempFolder();
    const store = open(root, 500);
    for (let n = 0; n < 20; n++) {
      await store.put('new', `m${n}`, { text: 'x'.repeat(100) });
      store.finish('new', `m${n}`);
    }
    await store.close();
    for (const name of fs.readdirSync(path.join(root, 'log')).filter((file) => file.endsWith('.keys')))
      fs.rmSync(path.join(root, 'log', name));
    const again = open(root, 500);
    for (let n = 0; n < 20; n++) expect(again.wasFinished(`m${n}`)).toBe(true);
  });

  it('cuts a torn end off, wherever it was torn, a record over several pages too', async () => {
    const root = tempFolder();
    const store = open(root);
    await store.put('new', 'kept', { text: 'k' });
    const whole = fs.statSync(newest(root)).size;
    await store.put('new', 'torn', { text: 'é'.repeat(6_000) });
    await store.close();
    const bytes = fs.readFileSync(newest(root));
    for (let size = bytes.length - 1; size > whole; size -= 1_009) {
      const torn: string[] = [];
      fs.writeFileSync(newest(root), bytes.subarray(0, size));
      const again = open(root, undefined, torn);
      expect([again.names('new'), torn]).toEqual([['kept'], [newest(root)]]);
      await again.put('new', 'next', {});
      await again.close();
      expect(open(root).names('new')).toEqual(['kept', 'next']);
      fs.writeFileSync(newest(root), bytes);
    }
  });

  it('with zeros or noise where lines were loses those lines alone, keeps them, and says which file', async () => {
    const root = tempFolder();
    const store = open(root);
    for (const name of ['a', 'b', 'c']) await store.put('new', name, { name });
    await store.close();
    const text = fs.readFileSync(newest(root), 'utf8');
    const file = newest(root);
    const lines = text.split('\n');
    fs.writeFileSync(file, [lines[0], lines[1], '\0'.repeat(lines[2]?.length ?? 0), lines[3], 'noise', ''].join('\n'));
    const torn: string[] = [];
    const again = open(root, undefined, torn);
    expect([again.names('new'), torn]).toEqual([['a', 'c'], [file]]);
    await again.close();
    const second: string[] = [];
    expect([open(root, undefined, second).names('new'), second]).toEqual([['a', 'c'], []]);
    expect(fs.readFileSync(path.join(root, 'dead', `${path.basename(file)}.bad`), 'utf8')).toContain('noise');
  });

  it('finds an older spool, a file for each message, and takes it over', async () => {
    const root = tempFolder();
    for (const folder of ['tmp', 'new', 'cur', 'out', 'done/2026-01-30'])
      fs.mkdirSync(path.join(root, folder), { recursive: true });
    const item = (id: string, seq: number) => ({
      id,
      dedupeId: id,
      lane: 'a',
      seq,
      attempts: 0,
      message: id,
      acceptedAt: '2026-01-30T10:00:00Z',
    });
    fs.writeFileSync(path.join(root, 'new/n1.json'), JSON.stringify(item('n1', 2)));
    fs.writeFileSync(path.join(root, 'cur/c1.json'), JSON.stringify(item('c1', 1)));
    fs.writeFileSync(path.join(root, 'out/o1.json'), JSON.stringify({ key: 'o1' }));
    fs.writeFileSync(path.join(root, 'new/half.json'), '{"id":"ha');
    fs.writeFileSync(path.join(root, 'done/2026-01-30/d1.json'), '{}');
    const torn: string[] = [];
    const store = open(root, undefined, torn);
    expect([store.names('new'), store.names('cur'), store.names('out')]).toEqual([['n1'], ['c1'], ['o1']]);
    expect([store.wasFinished('d1'), torn]).toEqual([true, [path.join(root, 'new/half.json')]]);
    await store.close();
    const again = open(root);
    expect([again.names('new'), again.names('cur'), again.wasFinished('d1')]).toEqual([['n1'], ['c1'], true]);
    expect(fs.readdirSync(path.join(root, 'new'))).toEqual(['half.json.bad']);
    expect(fs.existsSync(path.join(root, 'out'))).toBe(false);
    const spool = await openSpool<string>({ store: again, onDead: () => undefined });
    expect((await spool.claim(''))?.items[0]).toMatchObject({ message: 'c1', attempts: 1 });
  });

  it('has a higher epoch each time', () => {
    const run = tempFolder();
    const epochs = Array.from({ length: 3 }, () => {
      const lock = acquireLock(run);
      lock.release();
      return lock.epoch;
    });
    expect(epochs).toEqual([1, 2, 3]);
  });
});

describe('days', () => {
  it('what was finished before midnight stays finished for 30 days, and what is unfinished goes along', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-01-31T23:59:00Z') });
    const root = tempFolder();
    const store = open(root);
    for (const name of ['done', 'waiting', 'working']) await store.put('new', name, { name });
    store.move('cur', 'working');
    store.finish('new', 'done');
    vi.setSystemTime(new Date('2026-02-01T00:01:00Z'));
    await store.put('out', 'answer', { n: 1 });
    store.finish('cur', 'working', 'working.in');
    expect(segments(root)).toEqual(['2026-01-31.1.jsonl', '2026-02-01.1.jsonl']);
    await store.close();
    const again = open(root);
    expect([again.names('new'), again.names('cur'), again.names('out')]).toEqual([['waiting'], [], ['answer']]);
    expect(again.prune(new Date('2026-03-02T12:00:00Z'))).toBe('2026-01-31');
    expect([again.wasFinished('done'), again.wasFinished('working.in')]).toEqual([true, true]);
    again.prune(new Date('2026-03-03T12:00:00Z'));
    expect([again.wasFinished('done'), again.wasFinished('working.in')]).toEqual([false, true]);
    expect([again.names('new'), again.read('new', 'waiting')]).toEqual([['waiting'], { name: 'waiting' }]);
    await again.close();
  });

  it('a clock that is set back does not bring them out of order', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-02-02T10:00:00Z') });
    const root = tempFolder();
    const store = open(root, 50);
    await store.put('new', 'a', { text: 'x'.repeat(100) });
    vi.setSystemTime(new Date('2026-01-01T10:00:00Z'));
    await store.put('new', 'b', { text: 'x'.repeat(100) });
    await store.put('new', 'c', {});
    await store.close();
    expect(segments(root).every((name) => name.startsWith('2026-02-02.'))).toBe(true);
    expect(open(root).names('new')).toEqual(['a', 'b', 'c']);
  });
});

it('whatever is put, moved, finished and cut off, a start finds what was acknowledged', async () => {
  const step = fc.record({
    do: fc.constantFrom('put', 'put', 'put', 'move', 'finish', 'drop', 'crash', 'tear'),
    key: fc.integer({ min: 0, max: 9 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const root = tempFolder();
      let store = open(root, 600);
      const state = new Map<string, 'new' | 'cur'>();
      const finished = new Set<string>();
      for (const { do: what, key: n } of steps) {
        const key = `k${n}`;
        const now = state.get(key);
        if (what === 'put') {
          await store.put('new', key, { key });
          state.set(key, 'new');
        } else if (what === 'move' && now) {
          const to = now === 'new' ? 'cur' : 'new';
          store.move(to, key);
          state.set(key, to);
        } else if (what === 'finish' && now) {
          store.finish(now, key);
          state.delete(key);
          finished.add(key);
        } else if (what === 'drop' && now) {
          store.remove(now, key);
          state.delete(key);
        } else if (what === 'crash' || what === 'tear') {
          if (what === 'tear') fs.appendFileSync(newest(root), '{"op":"put","state":"new","key":"never');
          store = open(root, 600);
        }
        expect(new Set([...store.names('new'), ...store.names('cur')])).toEqual(new Set(state.keys()));
      }
      const last = open(root, 600);
      for (const [key, at] of state) expect(last.read(at, key)).toEqual({ key });
      for (const key of finished) expect(last.wasFinished(key)).toBe(true);
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 60) },
  );
});
