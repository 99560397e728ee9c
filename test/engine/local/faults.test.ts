/** Crashes, full and failing disks and wrong clocks, at any moment of the spool's log. */
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { spoolKey } from '../../../src/engine/engine.ts';
import { inspectSpool, inspectUnfinished } from '../../../src/engine/local/inspect.ts';
import { segmentNames } from '../../../src/engine/local/segment.ts';
import { openSpool } from '../../../src/engine/local/spool.ts';
import { openStore } from '../../../src/engine/local/store.ts';
import { listenForDamage } from '../../../src/lib/damage.ts';
import { tempFolder } from '../../helpers/temp.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const open = (root: string, segmentBytes = 8_000_000) => openStore({ root, freeBytes: 0, segmentBytes });
const files = (root: string) => fs.readdirSync(path.join(root, 'log')).sort();
const failing = (code: string) => Object.assign(new Error(code), { code });
const BY = { person: 'alex', isOwner: true };

/** Copies the folder before each call that changes files: what a crash right there leaves. */
function snapshots(root: string): string[] {
  const taken: string[] = [];
  const take = () => {
    const copy = tempFolder();
    fs.cpSync(root, copy, { recursive: true });
    taken.push(copy);
  };
  for (const name of ['writeSync', 'fsyncSync', 'renameSync', 'rmSync', 'rmdirSync'] as const) {
    const real = fs[name] as (...given: unknown[]) => unknown;
    vi.spyOn(fs, name).mockImplementation(((...given: unknown[]) => {
      take();
      return real(...given);
    }) as never);
  }
  return taken;
}

describe('a crash between any two steps', () => {
  it('of a segment that is followed by another loses nothing and brings nothing back', async () => {
    const root = tempFolder();
    const store = open(root, 300);
    await store.put('new', 'waiting', { text: 'x' });
    await store.put('new', 'finished', { text: 'x'.repeat(300) });
    store.finish('new', 'finished');
    const taken = snapshots(root);
    await store.put('out', 'answer', { text: 'x'.repeat(300) });
    vi.restoreAllMocks();
    expect(taken.length).toBeGreaterThan(5);
    for (const copy of taken) {
      const after = open(copy, 300);
      expect([after.names('new'), after.read('new', 'waiting')]).toEqual([['waiting'], { text: 'x' }]);
      expect(after.wasFinished('finished')).toBe(true);
      await after.close();
    }
  });

  it('of taking over an older spool leaves each message in one place at least, and one alone in the end', async () => {
    const root = tempFolder();
    const item = (id: string, seq: number, attempts = 0) =>
      JSON.stringify({ id, dedupeId: id, lane: 'a', seq, attempts, message: id, acceptedAt: '2026-01-30T10:00:00Z' });
    for (const folder of ['tmp', 'new', 'cur', 'out', 'dead', 'done/2026-01-30'])
      fs.mkdirSync(path.join(root, folder), { recursive: true });
    fs.writeFileSync(path.join(root, 'tmp/half.json'), '{"id":"ha');
    fs.writeFileSync(path.join(root, 'new/n1.json'), item('n1', 2));
    // It had been counted as part of a crash, and not yet been removed from where it was.
    fs.writeFileSync(path.join(root, 'cur/c1.json'), item('c1', 1));
    fs.writeFileSync(path.join(root, 'new/c1.json'), item('c1', 1, 1));
    // It had been given up, and not yet been removed from where it was.
    fs.writeFileSync(path.join(root, 'cur/d1.json'), item('d1', 3, 2));
    fs.writeFileSync(path.join(root, 'dead/d1.json'), item('d1', 3, 3));
    fs.writeFileSync(path.join(root, 'out/o1.json'), JSON.stringify({ key: 'o1' }));
    fs.writeFileSync(path.join(root, 'done/2026-01-30/f1.json'), '{}');
    const taken = snapshots(root);
    await open(root).close();
    vi.restoreAllMocks();
    for (const copy of [...taken, root]) {
      const store = open(copy);
      expect([store.names('new').sort(), store.names('cur'), store.names('out')]).toEqual([
        ['c1', 'n1'],
        ['d1'],
        ['o1'],
      ]);
      expect([store.wasFinished('f1'), fs.existsSync(path.join(copy, 'new'))]).toEqual([true, false]);
      const dead: string[] = [];
      const spool = await openSpool<string>({ store, onDead: ({ id }) => dead.push(id) });
      expect((await spool.claim(''))?.items[0]).toMatchObject({ message: 'c1', attempts: 1 });
      expect([dead, store.names('cur')]).toEqual([['d1'], ['c1']]);
      spool.close();
      await store.close();
    }
  });

  it('of the very first start is no damage', () => {
    const root = tempFolder();
    const taken = snapshots(root);
    open(root);
    vi.restoreAllMocks();
    const told: string[] = [];
    for (const copy of taken) {
      const stop = listenForDamage(copy, ({ file }) => told.push(file));
      open(copy);
      stop();
    }
    expect(told).toEqual([]);
  });
});

describe('the names of files', () => {
  it('are on the disk before a put that needs them is acknowledged, and before what they replace is removed', async () => {
    const root = tempFolder();
    const log = path.join(root, 'log');
    const store = open(root, 50);
    await store.put('new', 'a', { text: 'x'.repeat(100) });
    const order: string[] = [];
    const folders = new Set<number>();
    const { openSync, fsyncSync, renameSync } = fs;
    vi.spyOn(fs, 'openSync').mockImplementation((...given) => {
      const fd = openSync(...given);
      if (given[0] === log) folders.add(fd);
      else folders.delete(fd);
      return fd;
    });
    vi.spyOn(fs, 'fsyncSync').mockImplementation((fd) => {
      fsyncSync(fd);
      order.push(folders.has(fd) ? 'folder' : 'file');
    });
    vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
      renameSync(from, to);
      order.push(path.extname(String(to)));
    });
    await store.put('new', 'b', {});
    order.push('acknowledged');
    expect(order).toEqual(['file', '.keys', 'folder', 'file', '.jsonl', 'folder', 'acknowledged']);
  });
});

describe('a disk that fails', () => {
  it('does not lose a message that was durable when its newer form could not be stored', async () => {
    const root = tempFolder();
    const store = open(root);
    await store.put('new', 'a', { attempts: 0 });
    vi.spyOn(fs, 'fdatasyncSync').mockImplementation(() => {
      throw failing('EIO');
    });
    vi.spyOn(fs, 'fdatasync').mockImplementation((_fd, done) => done(failing('EIO')));
    vi.spyOn(fs, 'renameSync').mockImplementation(() => {
      throw failing('EIO');
    });
    await expect(store.put('new', 'a', { attempts: 1 })).rejects.toMatchObject({ code: 'EIO' });
    await expect(store.put('new', 'b', {})).rejects.toMatchObject({ code: 'EIO' });
    vi.restoreAllMocks();
    expect(open(root).names('new')).toEqual(['a']);
  });

  it('at whatever call: what was acknowledged is there, and what was finished stays so', async () => {
    const step = fc.record({
      do: fc.constantFrom('put', 'put', 'finish', 'move'),
      key: fc.integer({ min: 0, max: 6 }),
    });
    const fault = fc.record({ at: fc.integer({ min: 0, max: 80 }), code: fc.constantFrom('ENOSPC', 'EIO') });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.array(fault, { maxLength: 6 }), async (steps, faults) => {
        const root = tempFolder();
        const store = open(root, 400);
        let calls = 0;
        const mayFail = () => {
          const found = faults.find(({ at }) => at === calls);
          calls++;
          if (found) throw failing(found.code);
        };
        const { fdatasync } = fs;
        for (const name of ['writeSync', 'fsyncSync', 'fdatasyncSync', 'renameSync'] as const) {
          const real = fs[name] as (...given: unknown[]) => unknown;
          vi.spyOn(fs, name).mockImplementation(((...given: unknown[]) => {
            mayFail();
            return real(...given);
          }) as never);
        }
        vi.spyOn(fs, 'fdatasync').mockImplementation((fd, done) => {
          try {
            mayFail();
            fdatasync(fd, done);
          } catch (error) {
            done(error as NodeJS.ErrnoException);
          }
        });
        const durable = new Set<string>();
        const finished = new Set<string>();
        let serial = 0;
        await Promise.all(
          steps.map(async ({ do: what, key }) => {
            const some = [...durable][key];
            if (what === 'put') {
              const name = `k${serial++}`;
              await store.put('new', name, { name }).then(
                () => durable.add(name),
                () => undefined,
              );
            } else if (some !== undefined && what === 'move') store.move('cur', some);
            else if (some !== undefined) {
              store.finish('new', some);
              durable.delete(some);
              finished.add(some);
            }
          }),
        );
        for (const { do: what, key } of steps) {
          const some = [...durable][key];
          if (what !== 'finish' || some === undefined) continue;
          store.finish('new', some);
          durable.delete(some);
          finished.add(some);
        }
        vi.restoreAllMocks();
        await store.put('out', 'last', {});
        const after = open(root, 400);
        expect(new Set([...after.names('new'), ...after.names('cur')])).toEqual(durable);
        for (const name of finished) expect(after.wasFinished(name)).toBe(true);
        await Promise.all([store.close(), after.close()]);
      }),
      { numRuns: Number(process.env.PROPERTY_RUNS ?? 60) },
    );
  });

  it('does not keep a gateway from its start when the keys of a segment have to be made anew', async () => {
    const root = tempFolder();
    const store = open(root, 100);
    for (const key of ['a', 'b', 'c']) {
      await store.put('new', key, { text: 'x'.repeat(100) });
      store.finish('new', key);
    }
    await store.close();
    for (const name of files(root)) if (name.endsWith('.keys')) fs.rmSync(path.join(root, 'log', name));
    vi.spyOn(fs, 'writeSync').mockImplementation(() => {
      throw failing('ENOSPC');
    });
    expect(open(root, 100).wasFinished('a')).toBe(true);
  });

  it('keeps a message that could not be given up where it was', async () => {
    const root = tempFolder();
    const item = {
      id: 'p',
      dedupeId: 'p',
      lane: 'a',
      seq: 1,
      attempts: 2,
      message: 'p',
      acceptedAt: '2026-01-30T10:00:00Z',
    };
    const store = open(root);
    await store.put('cur', 'p', item);
    const { renameSync } = fs;
    vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
      if (String(to).includes('dead')) throw failing('EIO');
      renameSync(from, to);
    });
    const dead: string[] = [];
    await expect(openSpool({ store, onDead: ({ id }) => dead.push(id) })).rejects.toMatchObject({ code: 'EIO' });
    expect([dead, open(root).names('cur')]).toEqual([[], ['p']]);
    vi.restoreAllMocks();
    const again = open(root);
    await openSpool({ store: again, onDead: ({ id }) => dead.push(id) });
    expect([dead, again.names('cur'), again.names('dead')]).toEqual([['p'], [], ['p']]);
  });

  it('without a handle that is free tells of what was given up as far as it is known', async () => {
    const store = open(tempFolder());
    await store.put('dead', 'a', {});
    vi.spyOn(fs, 'readdirSync').mockImplementation(() => {
      throw failing('EMFILE');
    });
    expect(store.names('dead')).toEqual(['a']);
  });

  it('is told of what is written after the end, and no other file gets it', async () => {
    const root = tempFolder();
    const store = open(root);
    await store.put('new', 'a', {});
    await store.close();
    const other = path.join(root, 'other');
    const fd = fs.openSync(other, 'w+');
    store.finish('new', 'a');
    await expect(store.put('new', 'b', {})).rejects.toMatchObject({ code: 'EBADF' });
    fs.closeSync(fd);
    expect([fs.readFileSync(other, 'utf8'), open(root).names('new')]).toEqual(['', ['a']]);
  });
});

describe('much', () => {
  it('that is unfinished goes along into each next segment, in order', async () => {
    const root = tempFolder();
    const store = open(root, 2_000_000);
    const keys = Array.from({ length: 10_000 }, (_, n) => `m${n}`);
    await Promise.all(keys.map((key) => store.put('new', key, { key, text: 'x'.repeat(500) })));
    await store.put('out', 'huge', { text: 'é'.repeat(3_000_000) });
    await store.put('out', 'last', {});
    await store.close();
    const after = open(root);
    expect([after.names('new'), after.names('out')]).toEqual([keys, ['huge', 'last']]);
    expect(after.read('new', 'm9999')).toEqual({ key: 'm9999', text: 'x'.repeat(500) });
    expect(after.read<{ text: string }>('out', 'huge')?.text).toHaveLength(3_000_000);
    expect(inspectUnfinished(root)).toHaveLength(10_002);
  });
});

describe('names and clocks', () => {
  it('a key may hold quotes', async () => {
    const root = tempFolder();
    const store = open(root, 50);
    const key = 'a"b\\c';
    await store.put('new', key, { n: 1 });
    store.finish('new', key);
    expect([store.find(key), inspectSpool(root, 'a"b').map((found) => found.state)]).toEqual([{ n: 1 }, ['done']]);
    await store.put('new', 'other', {});
    await store.put('new', 'another', {});
    expect([store.find(key), open(root).wasFinished(key)]).toEqual([{ n: 1 }, true]);
  });

  it('segments that were begun while the clock was wrong are forgotten after 30 days as well', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2090-01-01T10:00:00Z') });
    const root = tempFolder();
    const store = open(root, 50);
    for (const key of ['a', 'b', 'c']) await store.put('new', key, { text: 'x'.repeat(100) });
    vi.useRealTimers();
    const before = segmentNames(path.join(root, 'log'));
    for (const name of before)
      fs.utimesSync(path.join(root, 'log', `${name}.jsonl`), 0, Date.now() / 1000 - 40 * 86_400);
    store.prune(new Date());
    const left = segmentNames(path.join(root, 'log'));
    expect([before.length > 1, left.length, store.names('new')]).toEqual([true, 1, ['a', 'b', 'c']]);
  });

  it('what was finished stays so for 30 days also where little happens', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-01-01T10:00:00Z') });
    const root = tempFolder();
    const store = open(root);
    await store.put('new', 'long', {});
    for (let day = 2; day <= 31; day++) {
      vi.setSystemTime(new Date(Date.UTC(2026, 0, day, 10)));
      store.prune(new Date());
    }
    store.finish('new', 'long');
    for (let day = 32; day <= 60; day++) {
      vi.setSystemTime(new Date(Date.UTC(2026, 0, day, 10)));
      store.prune(new Date());
      expect(store.wasFinished('long'), `day ${day}`).toBe(true);
    }
    expect(segmentNames(path.join(root, 'log')).length).toBeLessThan(34);
  });

  it('what is set aside is removed with its day, and what is not ours stays', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-10T10:00:00Z') });
    const root = tempFolder();
    const store = open(root);
    fs.mkdirSync(path.join(root, 'log/2026-01-01.1.jsonl.bad/in'), { recursive: true });
    fs.writeFileSync(path.join(root, 'log/.note'), '');
    store.prune(new Date());
    expect(files(root)).toEqual(['.note', '2026-03-10.1.jsonl']);
  });
});

describe('another program that reads', () => {
  it('sees each message in one state while the gateway writes and begins segments', async () => {
    const root = tempFolder();
    const store = open(root, 200);
    for (let n = 0; n < 60; n++) {
      await store.put('new', `k${n}`, { n });
      if (n % 3 === 0) store.move('cur', `k${n}`);
      if (n % 3 === 1) store.finish('new', `k${n}`);
      const states = inspectSpool(root).map(({ state }) => state);
      expect(states).toHaveLength(n + 1);
      expect(inspectUnfinished(root)).toHaveLength(store.names('new').length + store.names('cur').length);
    }
  });

  it('does not see what was refused because the disk failed', async () => {
    const root = tempFolder();
    const spool = await openSpool<string>({ store: open(root), onDead: () => undefined });
    await spool.enqueue('a', 'first', { by: BY, dedupeId: 'first' });
    vi.spyOn(fs, 'fdatasyncSync').mockImplementationOnce(() => {
      throw failing('EIO');
    });
    vi.spyOn(fs, 'fdatasync').mockImplementationOnce((_fd, done) => done(failing('EIO')));
    await expect(spool.enqueue('a', 'x', { by: BY, dedupeId: 'x' })).rejects.toMatchObject({ code: 'EIO' });
    expect(inspectSpool(root).map(({ key }) => key)).toEqual([spoolKey('first')]);
  });
});
