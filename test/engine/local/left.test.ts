/** What an earlier process left in the spool: taken up as it stood, with the crashes counted, and told of where it was damaged. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { bury, deadLetters, deadReason, type SpoolFile } from '../../../src/engine/local/dead-letters.ts';
import { recoverSpool } from '../../../src/engine/local/recovery.ts';
import { segmentNames } from '../../../src/engine/local/segment.ts';
import { openStore, type SpoolStore } from '../../../src/engine/local/store.ts';
import { StorageError } from '../../../src/errors.ts';
import { type Damage, listenForDamage } from '../../../src/lib/damage.ts';
import { isText, shape } from '../../../src/lib/shape.ts';
import { tempFolder } from '../../helpers/temp.ts';
import { WRONG } from '../../helpers/wrong-places.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const open = (root: string, segmentBytes = 8_000_000) => openStore({ root, freeBytes: 0, segmentBytes });
const names = (root: string) => segmentNames(path.join(root, 'log'));
const newest = (root: string) => path.join(root, 'log', `${names(root).at(-1)}.jsonl`);
const linesOf = (file: string) => fs.readFileSync(file, 'utf8').trimEnd().split('\n');
const modeOf = (file: string) => fs.statSync(file).mode & 0o777;
const failing = (code: string) => Object.assign(new Error(code), { code });

/** These files are another user's. */
function denied(files: readonly string[]): void {
  for (const name of ['openSync', 'readFileSync'] as const) {
    const real = fs[name] as (...given: unknown[]) => unknown;
    vi.spyOn(fs, name).mockImplementation(((...given: unknown[]) => {
      if (files.includes(String(given[0]))) throw failing('EACCES');
      return real(...given);
    }) as never);
  }
}

/** What is told while a spool is opened. */
function told(root: string): Damage[] {
  const found: Damage[] = [];
  const stop = listenForDamage(root, (damage) => found.push(damage));
  open(root);
  stop();
  return found;
}

const file = (id: string, more: Partial<SpoolFile<string>> = {}): SpoolFile<string> => ({
  ...{ id, dedupeId: id, lane: 'task:a', seq: 1, attempts: 0, message: `text of ${id}` },
  ...{ acceptedAt: '2026-01-30T10:00:00.000Z', ...more },
});

describe('the next segment', () => {
  it('holds each as it stood: what waits, was in work and waits again, is in work, or is on its way', async () => {
    const root = tempFolder();
    let store = open(root, 1_000);
    for (const name of ['waits', 'back', 'works']) await store.put('new', name, { name, text: 'é' });
    await store.put('out', 'answer', { name: 'answer' });
    store.move('cur', 'back');
    store.move('new', 'back');
    store.move('cur', 'works');
    await store.put('new', 'large', { name: 'large', text: 'x'.repeat(1_000) });
    // The next one is put into another segment.
    await store.put('new', 'last', { name: 'last' });
    const look = () => ({
      ...{ new: store.names('new'), cur: store.names('cur'), out: store.names('out') },
      inWork: ['waits', 'back', 'works', 'large', 'last'].filter((name) => store.wasInWork(name)),
      read: ['waits', 'back', 'large', 'last'].map((name) => store.read<{ name: string }>('new', name)?.name),
    });
    const before = look();
    expect(before).toEqual({
      ...{ new: ['waits', 'back', 'large', 'last'], cur: ['works'], out: ['answer'] },
      ...{ inWork: ['back', 'works'], read: ['waits', 'back', 'large', 'last'] },
    });
    expect(names(root)).toHaveLength(2);
    expect(linesOf(newest(root)).map((line) => JSON.parse(line).op)).toEqual([
      ...['begin', 'put', 'put', 'move', 'put', 'put', 'put', 'put'],
    ]);
    await store.close();
    store = open(root, 1_000);
    expect(look()).toEqual(before);
  });
});

describe('a segment that is over', () => {
  it('and that may not be read is named, and what is unfinished is there', async () => {
    const root = tempFolder();
    let store = open(root, 100);
    await store.put('new', 'a', { text: 'x'.repeat(100) });
    store.finish('new', 'a');
    await store.put('new', 'b', {});
    await store.close();
    const first = path.join(root, 'log', names(root)[0] ?? '');
    fs.rmSync(`${first}.keys`);
    denied([`${first}.jsonl`]);
    const found: Damage[] = [];
    listenForDamage(root, (damage) => found.push(damage));
    store = open(root);
    expect([store.names('new'), store.find('none')]).toEqual([['b'], undefined]);
    expect(found).toMatchObject([
      { file: `${first}.jsonl`, why: 'cannot be read by this user', lost: 'the list of answered messages' },
    ]);
    vi.restoreAllMocks();
    expect(open(root).wasFinished('a')).toBe(true);
  });
});

describe('the note of an orderly end', () => {
  const close = async (root: string) => {
    const store = open(root);
    await store.put('new', 'a', {});
    await store.close();
  };
  const isClean = (root: string) => open(root).endedCleanly;

  it('is believed once', async () => {
    const root = tempFolder();
    expect(isClean(root)).toBe(false);
    await close(root);
    expect([modeOf(path.join(root, 'closed')), isClean(root), fs.existsSync(path.join(root, 'closed'))]).toEqual([
      ...[0o600, true, false],
    ]);
    expect(isClean(root)).toBe(false);
  });

  it('is not believed when anything was written since', async () => {
    const root = tempFolder();
    await close(root);
    fs.appendFileSync(newest(root), '{"op":"move","state":"cur","key":"a"}\n');
    expect(isClean(root)).toBe(false);
  });

  it.each(['', '\n', 'something else'])('is not believed when it reads %j', async (text) => {
    const root = tempFolder();
    await close(root);
    fs.writeFileSync(path.join(root, 'closed'), text);
    expect(isClean(root)).toBe(false);
  });

  it('is not believed when the log is gone, or is a folder, and is when it went earlier and was written again', async () => {
    const root = tempFolder();
    await close(root);
    fs.rmSync(newest(root));
    expect(isClean(root)).toBe(false);
    const other = tempFolder();
    await close(other);
    fs.rmSync(newest(other));
    fs.mkdirSync(newest(other));
    expect(isClean(other)).toBe(false);
    const gone = tempFolder();
    const store = open(gone);
    await store.put('new', 'a', {});
    fs.rmSync(newest(gone));
    await store.close();
    expect([names(gone).length, isClean(gone), open(gone).names('new')]).toEqual([1, true, ['a']]);
  });

  it('is not believed where it may not be read, and does not keep the gateway from its start', async () => {
    const root = tempFolder();
    await close(root);
    denied([path.join(root, 'closed')]);
    expect([isClean(root), fs.existsSync(path.join(root, 'closed'))]).toEqual([false, false]);
  });

  it('is left out where the disk does not take it', async () => {
    const root = tempFolder();
    const store = open(root);
    vi.spyOn(fs, 'writeFileSync').mockImplementationOnce(() => {
      throw failing('ENOSPC');
    });
    await store.close();
    expect(isClean(root)).toBe(false);
    const broken = open(root);
    vi.spyOn(fs, 'writeFileSync').mockImplementationOnce(() => {
      throw new Error('no error of the system');
    });
    await expect(broken.close()).rejects.toThrow('no error of the system');
  });
});

describe('a damaged segment', () => {
  it('that was torn is told of, without a word to its owners', async () => {
    const root = tempFolder();
    await open(root).close();
    fs.appendFileSync(newest(root), '{"op":"put","sta');
    const [damage, ...more] = told(root);
    expect(more).toEqual([]);
    expect(damage).toEqual({
      file: newest(root),
      why: 'ended in the middle of a line, which was cut off',
      lost: 'nothing that was acknowledged, unless somebody has cut the file',
    });
    expect(linesOf(newest(root))).toHaveLength(1);
  });

  it.each(Object.entries(WRONG))(
    'with %s in its place, the next start takes a new one and what comes then is kept',
    async (_kind, make) => {
      const root = tempFolder();
      const first = open(root);
      await first.put('new', 'a', file('a'));
      await first.close();
      for (const each of ['closed', path.join('log', path.basename(newest(root)))]) {
        fs.rmSync(path.join(root, each));
        make(path.join(root, each));
      }
      const again = open(root);
      await again.put('new', 'b', file('b'));
      await again.close();
      const last = open(root);
      expect(last.has('new', 'b')).toBe(true);
      await last.close();
    },
  );

  const next = 'People who miss an answer have to write again.';
  const lost = 'messages that were not answered, and answers that were not delivered';

  it('with lines that cannot be read keeps them for its owner alone, and its owners are told how many', async () => {
    const root = tempFolder();
    await open(root).close();
    const damaged = newest(root);
    const movedTo = path.join(root, 'dead', `${path.basename(damaged)}.bad`);
    fs.appendFileSync(damaged, 'what is this\n{"op":"put"}\n');
    const why = 'has damaged lines (2)';
    expect(told(root)).toEqual([{ file: damaged, why, movedTo, lost, next, tell: true }]);
    expect([fs.readFileSync(movedTo, 'utf8'), modeOf(movedTo)]).toEqual(['what is this\n{"op":"put"}\n', 0o600]);
    expect(told(root)).toEqual([]);
  });

  it('that has lost its beginning is told of, and goes on with what it holds', async () => {
    const root = tempFolder();
    const store = open(root);
    await store.put('new', 'a', { text: 'a' });
    await store.close();
    const [, put] = linesOf(newest(root));
    const damaged = newest(root);
    fs.writeFileSync(damaged, `${put}\n`);
    expect(told(root)).toEqual([{ file: damaged, why: 'has lost its beginning', lost, next, tell: true }]);
    expect(fs.readdirSync(path.join(root, 'dead'))).toEqual([]);
    expect([open(root).names('new'), told(root)]).toEqual([['a'], []]);
  });
});

describe('what was given up', () => {
  it('is kept with the event, and without it where that cannot be written', async () => {
    const store = open(tempFolder());
    await bury(store, file('a', { raw: { update: 1 } }), 'it fails', 0);
    const grave = { ...file('a'), deadReason: 'it fails', diedAt: '1970-01-01T00:00:00.000Z' };
    const read = (name: string) => JSON.parse(fs.readFileSync(path.join(store.root, 'dead', `${name}.json`), 'utf8'));
    expect(read('a')).toEqual({ ...grave, raw: { update: 1 } });
    const raw: Record<string, unknown> = {};
    raw.itself = raw;
    await bury(store, file('b', { raw }), 'it fails', 0);
    expect(read('b')).toEqual({ ...grave, ...file('b') });
    expect([deadReason(store, 'a'), deadReason(store, 'c')]).toEqual(['it fails', undefined]);
  });

  it('is not tried a second time where the disk does not take it', async () => {
    const store = open(tempFolder());
    const put = vi.spyOn(store, 'put').mockRejectedValue(new StorageError('the disk is full'));
    await expect(bury(store, file('a', { raw: {} }), 'it fails', 0)).rejects.toThrow(StorageError);
    expect(put).toHaveBeenCalledTimes(1);
  });

  it('is listed whatever its file holds, and a damaged file or none gives no reason', () => {
    const store = open(tempFolder());
    const write = (name: string, text: string) => fs.writeFileSync(path.join(store.root, 'dead', name), text);
    write('answer.json', '{"reason":"the chat is gone","diedAt":"2026-01-30T10:00:00Z"}');
    write('bare.json', '{}');
    write('broken.json', '{"deadReason":');
    write('message.json', '{"deadReason":"it fails","reason":"another","diedAt":"2026-01-31T10:00:00Z"}');
    expect(deadLetters(store)).toEqual([
      { id: 'answer', reason: 'the chat is gone', diedAt: '2026-01-30T10:00:00Z' },
      { id: 'bare', reason: 'unknown', diedAt: '' },
      { id: 'broken', reason: 'unknown', diedAt: '' },
      { id: 'message', reason: 'it fails', diedAt: '2026-01-31T10:00:00Z' },
    ]);
    const again = open(store.root);
    const peeked = vi.spyOn(again, 'peek');
    const reasons = ['answer', 'bare', 'broken', 'message', 'none'].map((name) => deadReason(again, name));
    expect(reasons).toEqual([undefined, undefined, undefined, 'it fails', undefined]);
    expect(peeked).toHaveBeenCalledTimes(4);
  });
});

describe('messages of an earlier process', () => {
  const recover = (store: SpoolStore, dead: string[] = []) =>
    recoverSpool<string>({ store, schema: shape(isText), onDead: ({ id }) => dead.push(id) }, () => 0);

  it('come oldest first, in whatever order they stand', async () => {
    const store = open(tempFolder());
    for (const seq of [3, 1, 2]) await store.put('new', `${seq}`, file(`${seq}`, { seq }));
    await store.put('cur', '0', file('0', { seq: 0 }));
    expect((await recover(store)).map(({ id, attempts }) => [id, attempts])).toEqual([
      ['0', 1],
      ['1', 0],
      ['2', 0],
      ['3', 0],
    ]);
  });

  it('are given up by their own count, later where their answer is on its way or was sent', async () => {
    const store = open(tempFolder());
    for (const name of ['second', 'third', 'waits', 'sent', 'waits-5', 'sent-5'])
      await store.put('cur', name, file(name, { attempts: name === 'second' ? 1 : name.endsWith('5') ? 4 : 2 }));
    for (const name of ['waits', 'sent', 'waits-5', 'sent-5']) await store.put('out', name, {});
    for (const name of ['sent', 'sent-5']) store.finish('out', name, `${name}.out`);
    const dead: string[] = [];
    const left = await recover(store, dead);
    expect([dead.sort(), left.map(({ id, attempts }) => `${id} ${attempts}`).sort()]).toEqual([
      ['sent-5', 'third', 'waits-5'],
      ['second 2', 'sent 3', 'waits 3'],
    ]);
    expect([store.names('cur'), deadReason(store, 'waits-5')]).toEqual([
      [],
      'the gateway ended 5 times while working on it',
    ]);
  });

  it('are given up again after a crash that came before their people were told', async () => {
    const store = open(tempFolder());
    await store.put('cur', 'poison', file('poison', { attempts: 2 }));
    const told: string[] = [];
    const start = async (onDead: (of: { id: string }) => Promise<void>) => {
      expect(await recoverSpool<string>({ store: open(store.root), onDead }, () => 0)).toEqual([]);
    };
    await start(() => new Promise(() => undefined));
    await start(() => Promise.reject(new Error('the disk is full')));
    await start(async ({ id }) => void told.push(id));
    await start(async ({ id }) => void told.push(id));
    expect(told).toEqual(['poison']);
  });

  const sound = file('sound', {
    ...{ notBefore: 5, group: 'g', by: { person: 'alex', isOwner: true }, orderKey: { source: 's', at: 1 } },
  });
  it.each<[string, object]>([
    ['no id', { ...sound, id: '' }],
    ['no dedupe id', { ...sound, dedupeId: 1 }],
    ['no lane', { ...sound, lane: '' }],
    ['no number', { ...sound, seq: '1' }],
    ['no count of crashes', { ...sound, attempts: -1 }],
    ['no time', { ...sound, acceptedAt: 'yesterday' }],
    ['another message', { ...sound, message: { text: 'hello' } }],
    ['no time to wait for', { ...sound, notBefore: 'soon' }],
    ['no name of a group', { ...sound, group: 1 }],
    ['no person', { ...sound, by: { isOwner: true } }],
    ['no right', { ...sound, by: { person: 'alex' } }],
    ['no source', { ...sound, orderKey: { at: 1 } }],
    ['no place', { ...sound, orderKey: { source: 's' } }],
    ['nothing', {}],
  ])('that hold %s are set aside, and the others are served', async (_what, value) => {
    const root = tempFolder();
    const store = open(root);
    await store.put('new', 'sound', sound);
    await store.put('new', 'damaged', value);
    const damages: Damage[] = [];
    const stop = listenForDamage(root, (damage) => damages.push(damage));
    expect(await recover(store)).toEqual([sound]);
    stop();
    const movedTo = path.join(root, 'dead/damaged.new.bad');
    expect(damages).toMatchObject([{ file: newest(root), movedTo, tell: true }]);
    expect(JSON.parse(fs.readFileSync(movedTo, 'utf8'))).toEqual(value);
    expect(store.names('new')).toEqual(['sound']);
  });
});
