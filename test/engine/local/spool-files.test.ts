/** The spool's files as others see them: read from outside, left by earlier versions, added to by day, damaged by whomever. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openCache } from '../../../src/engine/cache.ts';
import { inspectSpool, inspectUnfinished } from '../../../src/engine/local/inspect.ts';
import { DayFile } from '../../../src/engine/local/ledger.ts';
import {
  lastDayOf,
  nextName,
  openSegment,
  Segment,
  scanLines,
  segmentBytes,
  segmentNames,
} from '../../../src/engine/local/segment.ts';
import { LocalState } from '../../../src/engine/local/state.ts';
import { NoSpaceError, openStore } from '../../../src/engine/local/store.ts';
import { type Damage, listenForDamage } from '../../../src/lib/damage.ts';
import { isText, objectOf, shape } from '../../../src/lib/shape.ts';
import { tempFolder, put as write } from '../../helpers/temp.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const open = (root: string, segmentBytes = 8_000_000) => openStore({ root, freeBytes: 0, segmentBytes });
const failing = (code: string) => Object.assign(new Error(code), { code });
const modeOf = (file: string) => fs.statSync(file).mode & 0o777;

function heard(root: string, work: () => unknown): Damage[] {
  const damages: Damage[] = [];
  const stop = listenForDamage(root, (damage) => damages.push(damage));
  work();
  stop();
  return damages;
}

describe('whoever looks at a spool', () => {
  const told = (found: ReturnType<typeof inspectSpool>) => found.map(({ state, key }) => `${state} ${key}`);

  it('sees everything of all days, and of what is unfinished only that', async () => {
    const root = tempFolder();
    expect([inspectSpool(root), inspectUnfinished(root)]).toEqual([[], []]);
    const store = open(root, 400);
    for (const key of ['a1', 'a2', 'b1', 'gone']) await store.put('new', key, { key });
    await store.put('out', 'a1', { answer: 'a1' });
    await store.put('out', 'b1', { answer: 'b1' });
    store.move('cur', 'a2');
    store.finish('new', 'a1');
    store.finish('out', 'b1', 'b1.out');
    store.remove('new', 'gone');
    await store.put('dead', 'd1', { deadReason: 'it fails' });
    await store.put('unsure', 'u1', { reason: 'nobody knows' });
    await store.put('new', 'large', { text: 'x'.repeat(400) });
    await store.put('new', 'last', {});
    store.finish('new', 'last');
    write(root, 'done/2026-01-30/old.json', '{"key":"old"}');
    write(root, 'done/2026-01-30/note.txt', 'nothing of ours');
    write(root, 'dead/d2.json.bad', '{}');
    write(root, 'dead/torn.json', '{"deadReason":');
    expect(told(inspectSpool(root)).sort()).toEqual([
      ...['cur a2', 'dead d1', 'done a1', 'done b1', 'done last', 'done old', 'new b1', 'new large'],
      ...['out a1', 'unsure u1'],
    ]);
    expect(told(inspectUnfinished(root)).sort()).toEqual([
      'cur a2',
      'dead d1',
      'new b1',
      'new large',
      'out a1',
      'unsure u1',
    ]);
    expect(told(inspectSpool(root, 'a')).sort()).toEqual(['cur a2', 'done a1', 'out a1']);
    expect(told(inspectSpool(root, 'd'))).toEqual(['dead d1']);
    expect(inspectSpool(root, 'ol')).toEqual([
      { state: 'done', key: 'old', file: 'done/2026-01-30/old.json', value: { key: 'old' } },
    ]);
    const [newest] = segmentNames(path.join(root, 'log')).slice(-1);
    expect(inspectSpool(root, 'a2')).toEqual([
      { state: 'cur', key: 'a2', file: `log/${newest}.jsonl`, value: { key: 'a2' } },
    ]);
    await store.close();
  });

  it('hears of a disk that cannot be read', () => {
    const root = tempFolder();
    write(root, 'dead/a.json', '{}');
    vi.spyOn(JSON, 'parse').mockImplementationOnce(() => {
      throw new Error('no error of the system');
    });
    expect(() => inspectSpool(root)).toThrow('no error of the system');
    const opened = vi.spyOn(fs, 'openSync');
    for (const code of ['ENOENT', 'EIO'])
      opened.mockImplementationOnce(() => {
        throw failing(code);
      });
    expect(inspectSpool(root)).toEqual([]);
    expect(() => inspectSpool(root)).toThrow('EIO');
  });
});

describe('a spool of an earlier version', () => {
  it('is taken over, with what was finished, and what a person should look at stays', async () => {
    const root = tempFolder();
    write(root, 'new/a.json', '{"text":"a"}');
    write(root, 'new/b.json.bad', 'what is this');
    write(root, 'new/c.json.bad-2', 'what is this');
    write(root, 'new/d.tmp', 'half');
    write(root, 'new/torn.json', '{"text":');
    write(root, 'tmp/half.json', '{}');
    write(root, 'out/a.json', '{"text":"an answer"}');
    write(root, 'done/2026-01-30/f.json', '{}');
    write(root, 'done/no-day/g.json', '{}');
    fs.mkdirSync(path.join(root, 'done/2026-01-29'));
    write(root, 'cur', 'no folder');
    let store = open(root);
    const look = () => ({ new: store.read('new', 'a'), out: store.read('out', 'a'), cur: store.names('cur') });
    expect(look()).toEqual({ new: { text: 'a' }, out: { text: 'an answer' }, cur: [] });
    expect(['f', 'g'].map((key) => store.wasFinished(key))).toEqual([true, false]);
    expect(fs.readdirSync(path.join(root, 'new')).sort()).toEqual(['b.json.bad', 'c.json.bad-2', 'torn.json.bad']);
    expect(['tmp', 'out'].map((name) => fs.existsSync(path.join(root, name)))).toEqual([false, false]);
    // That version has run once more.
    write(root, 'done/2026-01-30/h.json', '{}');
    await store.close();
    store = open(root);
    expect([store.wasFinished('h'), store.wasFinished('f'), look().new]).toEqual([true, true, { text: 'a' }]);
    expect(store.prune(new Date('2026-03-01T10:00:00Z'))).toBe('2026-01-30');
    expect(fs.readdirSync(path.join(root, 'done')).sort()).toEqual(['2026-01-30', 'no-day']);
    store.prune(new Date('2026-03-02T10:00:00Z'));
    expect(fs.readdirSync(path.join(root, 'done'))).toEqual(['no-day']);
    await store.close();
  });
});

describe('a file of one day', () => {
  it('goes on behind a line that was torn, and keeps nothing of what the disk did not take', async () => {
    const folder = tempFolder();
    const file = path.join(folder, '2026-01-31.jsonl');
    const first = new DayFile(folder, '2026-01-31');
    first.append('whole\n');
    first.retire();
    new DayFile(folder, '2026-01-31').retire();
    expect(fs.readFileSync(file, 'utf8')).toBe('whole\n');
    fs.appendFileSync(file, 'torn');
    const day = new DayFile(folder, '2026-01-31');
    day.append('next\n');
    const { writeSync } = fs;
    vi.spyOn(fs, 'writeSync').mockImplementationOnce(((fd: number, data: Buffer) =>
      writeSync(fd, data, 0, 2)) as never);
    vi.spyOn(fs, 'writeSync').mockImplementationOnce(() => {
      throw failing('ENOSPC');
    });
    expect(() => day.append('lost\n')).toThrow('ENOSPC');
    vi.restoreAllMocks();
    day.append('last\n');
    await day.sync();
    day.retire();
    expect(fs.readFileSync(file, 'utf8')).toBe('whole\ntorn\nnext\nlast\n');
  });

  it('is closed once, when the last who waits for it has heard', async () => {
    const folder = tempFolder();
    const file = path.join(folder, '2026-01-31.jsonl');
    // The listing's own handle is gone by then.
    const targets = () =>
      fs.readdirSync('/proc/self/fd').flatMap((fd) => {
        const link = path.join('/proc/self/fd', fd);
        return fs.existsSync(link) ? fs.readlinkSync(link) : [];
      });
    const handles = () => targets().filter((target) => target === file).length;
    const day = new DayFile(folder, '2026-01-31');
    day.append('a\n');
    const synced = [day.sync(), day.sync()];
    day.retire();
    expect(handles()).toBe(1);
    await Promise.all(synced);
    expect(handles()).toBe(0);
    const idle = new DayFile(folder, '2026-01-31');
    idle.append('b\n');
    await idle.sync();
    expect(handles()).toBe(1);
    idle.retire();
    expect([handles(), fs.readFileSync(file, 'utf8')]).toEqual([0, 'a\nb\n']);
  });
});

describe('a segment', () => {
  it('has nothing of a text that the disk did not take, and takes none once it is closed', () => {
    const segment = Segment.whole(tempFolder(), '2026-01-31.1', ['begin\n']);
    expect([segment.append('é\n'), segment.size, segment.read(6, 2)]).toEqual([6, 9, 'é']);
    vi.spyOn(fs, 'writeSync').mockImplementationOnce(() => {
      throw failing('ENOSPC');
    });
    expect(() => segment.append('lost\n')).toThrow('ENOSPC');
    expect([segment.append('next\n'), fs.readFileSync(segment.file, 'utf8')]).toEqual([9, 'begin\né\nnext\n']);
    segment.cut(9);
    expect([segment.size, fs.statSync(segment.file).size, modeOf(segment.file)]).toEqual([9, 9, 0o600]);
    segment.close();
    expect(() => segment.append('late\n')).toThrow(expect.objectContaining({ code: 'EBADF' }));
    expect(() => segment.append('late\n')).toThrow(`${segment.file} is closed`);
  });

  it.each(['writeSync', 'fsyncSync', 'renameSync'] as const)('is not there where %s fails', (name) => {
    const folder = tempFolder();
    vi.spyOn(fs, name).mockImplementationOnce(() => {
      throw failing('ENOSPC');
    });
    expect(() => Segment.whole(folder, '2026-01-31.1', ['begin\n'])).toThrow('ENOSPC');
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it('is written whole however large it is', () => {
    const texts = Array.from({ length: 5 }, (_, n) => `${String(n).repeat(600_000)}\n`);
    const segment = Segment.whole(tempFolder(), '2026-01-31.1', texts);
    expect(fs.readFileSync(segment.file, 'utf8') === texts.join('')).toBe(true);
    expect(scanLines(segment.file).lines.map(({ offset, length }) => [offset, length])).toEqual(
      texts.map((_, n) => [n * 600_001, 600_000]),
    );
  });

  const about = {
    lost: 'all messages that were not answered, and answers that were not delivered',
    next: 'People who miss an answer have to write again.',
    tell: true,
  };
  it.each([
    ['is a folder', (file: string) => void fs.mkdirSync(file)],
    ['is not a regular file', (file: string) => fs.symlinkSync('/dev/null', file)],
  ])('whose place is taken by what %s is begun anew, and that is set aside', (why, take) => {
    const folder = tempFolder();
    const file = path.join(folder, '2026-01-31.1.jsonl');
    take(file);
    const damages = heard(folder, () => expect(openSegment(folder, '2026-01-31.1', 'begin\n').size).toBe(6));
    expect(damages).toEqual([{ ...about, file, why, movedTo: `${file}.bad` }]);
  });

  it.each(['EACCES', 'EPERM'])('that may not be opened (%s) is set aside; another error is thrown', (code) => {
    const folder = tempFolder();
    const file = path.join(folder, '2026-01-31.1.jsonl');
    fs.writeFileSync(file, 'begin\nline\n');
    const refuse = (with_: string) =>
      vi.spyOn(fs, 'openSync').mockImplementationOnce(() => {
        throw failing(with_);
      });
    refuse('EMFILE');
    expect(() => openSegment(folder, '2026-01-31.1', 'begin\n')).toThrow('EMFILE');
    refuse(code);
    const damages = heard(folder, () => expect(openSegment(folder, '2026-01-31.1', 'begin\n').size).toBe(6));
    const why = 'cannot be read by this user';
    expect(damages).toEqual([{ ...about, file, why, movedTo: `${file}.bad` }]);
  });

  it('that is no file, or is gone, has no bytes, and one that cannot be read is an error', () => {
    const folder = tempFolder();
    const file = path.join(folder, 'a');
    fs.writeFileSync(file, 'a\n\nb\ntorn');
    expect([
      segmentBytes(folder).length,
      segmentBytes(path.join(folder, 'none')).length,
      segmentBytes(file).length,
    ]).toEqual([0, 0, 9]);
    expect(scanLines(file)).toEqual({
      lines: [
        { offset: 0, length: 1, text: 'a' },
        { offset: 3, length: 1, text: 'b' },
      ],
      end: 5,
    });
    const read = vi.spyOn(fs, 'readFileSync');
    for (const code of ['ENOENT', 'EIO'])
      read.mockImplementationOnce(() => {
        throw failing(code);
      });
    expect(segmentBytes(file).length).toBe(0);
    expect(() => segmentBytes(file)).toThrow('EIO');
  });

  it('has a name that rises, whatever the clock does', () => {
    const folder = tempFolder();
    const names = ['2026-01-31.10', '2026-01-31.9', '2026-02-01.1', '2025-12-31.2'];
    for (const name of names) fs.writeFileSync(path.join(folder, `${name}.jsonl`), '');
    for (const other of ['2026-01-31.1.jsonl.bad', 'x2026-01-31.1.jsonl', '2026-01-31.jsonl', '2026-01-31.1.keys'])
      fs.writeFileSync(path.join(folder, other), '');
    expect(segmentNames(folder)).toEqual(['2025-12-31.2', '2026-01-31.9', '2026-01-31.10', '2026-02-01.1']);
    const next = (last: string | undefined) => nextName(last, '2026-01-31');
    expect([undefined, '2026-01-30.7', '2026-01-31.9', '2026-02-05.3'].map(next)).toEqual([
      ...['2026-01-31.1', '2026-01-31.1', '2026-01-31.10', '2026-02-05.4'],
    ]);
    const touched = new Date('2026-01-20T10:00:00Z');
    fs.utimesSync(path.join(folder, '2026-02-01.1.jsonl'), touched, touched);
    const dayOf = (name: string) => lastDayOf(folder, name, '2026-01-31');
    expect(['2026-02-01.1.jsonl', '2026-01-31.9.jsonl', '2026-03-01.1.jsonl'].map(dayOf)).toEqual([
      ...['2026-01-20', '2026-01-31', '2026-03-01'],
    ]);
  });
});

describe('what the store finds', () => {
  it('is the newest value of a message, in work, finished or given up, and no answer', async () => {
    const root = tempFolder();
    const store = open(root, 300);
    await store.put('new', 'a', { text: 'first' });
    await store.put('new', 'a', { text: 'second' });
    await store.put('out', 'a', { text: 'an answer' });
    await store.put('new', 'ab', { text: 'another' });
    store.move('cur', 'a');
    expect(store.find('a')).toEqual({ text: 'second' });
    store.finish('cur', 'a');
    for (let n = 0; n < 3; n++) await store.put('new', `filler-${n}`, { text: 'x'.repeat(300) });
    expect([segmentNames(path.join(root, 'log')).length > 2, store.find('a'), store.find('none')]).toEqual([
      ...[true, { text: 'second' }, undefined],
    ]);
    await store.put('dead', 'b', { text: 'given up' });
    const schema = shape<{ text: string }>(objectOf({ text: isText }));
    await store.put('new', 'odd', { text: 1 });
    expect([store.find('b'), store.find('b', schema), store.find('odd', schema)]).toEqual([
      ...[{ text: 'given up' }, { text: 'given up' }, undefined],
    ]);
    await store.close();
  });

  it('is set aside where it does not hold what it should: of a message as of an answer its owners hear', async () => {
    const root = tempFolder();
    const store = open(root);
    const schema = shape<{ text: string }>(objectOf({ text: isText }));
    for (const state of ['new', 'out'] as const) await store.put(state, 'odd', { text: 1 });
    const read = (state: 'new' | 'out') => expect(store.read(state, 'odd', schema)).toBeUndefined();
    const [message, answer] = heard(root, () => (['new', 'out'] as const).map(read));
    const why = 'has a line that does not hold what it should';
    const lost = 'a message that was accepted and not answered yet';
    const next = 'People who miss an answer have to write again.';
    const bad = (state: string) => path.join(root, 'dead', `odd.${state}.bad`);
    const file = path.join(root, 'log', `${segmentNames(path.join(root, 'log')).at(-1)}.jsonl`);
    expect(message).toEqual({ file, why, movedTo: bad('new'), lost, next, tell: true });
    expect(answer).toMatchObject({ movedTo: bad('out'), lost: 'an answer that was not delivered yet', tell: true });
    expect([fs.readFileSync(bad('new'), 'utf8'), modeOf(bad('out'))]).toEqual(['{"text":1}\n', 0o600]);
    expect([store.names('new'), store.has('out', 'odd'), store.read('new', 'none', schema)]).toEqual([
      ...[[], false, undefined],
    ]);
    await store.close();
  });

  it('among what was given up is there until somebody removes the file, and known while no file can be opened', async () => {
    const root = tempFolder();
    const store = open(root);
    await store.put('dead', 'a', {});
    await store.put('unsure', 'b', {});
    expect([store.has('dead', 'a'), store.has('unsure', 'b'), store.has('dead', 'b')]).toEqual([true, true, false]);
    const list = vi.spyOn(fs, 'readdirSync');
    for (const code of ['EMFILE', 'EIO'])
      list.mockImplementationOnce(() => {
        throw failing(code);
      });
    expect(store.names('dead')).toEqual(['a']);
    expect(() => store.names('dead')).toThrow('EIO');
    fs.rmSync(path.join(root, 'dead/a.json'));
    expect([store.has('dead', 'a'), store.names('dead')]).toEqual([false, []]);
    await store.close();
    const again = open(root);
    expect([again.has('unsure', 'b'), again.names('unsure')]).toEqual([true, ['b']]);
    await again.close();
  });
});

it('takes nothing new while the disk is nearly full, and looks again each time until there is room', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-01-31T10:00:00Z') });
  const root = tempFolder();
  const asked = vi.spyOn(fs, 'statfsSync').mockReturnValue({ bavail: 10, bsize: 100 } as never);
  const store = openStore({ root, freeBytes: 1_000 });
  await store.put('new', 'a', {});
  vi.setSystemTime(Date.now() + 1_000);
  await store.put('new', 'b', {});
  expect(asked).toHaveBeenCalledTimes(1);
  asked.mockReturnValue({ bavail: 9, bsize: 100 } as never);
  vi.setSystemTime(Date.now() + 1);
  const refusal = store.put('new', 'c', {});
  await expect(refusal).rejects.toThrow(NoSpaceError);
  await expect(refusal).rejects.toThrow(`less than 1000 bytes free below ${root} (limits.freeBytes)`);
  await store.put('out', 'c', {});
  asked.mockReturnValue({ bavail: 10, bsize: 100 } as never);
  await store.put('new', 'd', {});
  asked.mockImplementationOnce(() => {
    throw failing('EIO');
  });
  vi.setSystemTime(Date.now() + 1_001);
  await expect(store.put('new', 'e', {})).rejects.toMatchObject({ name: 'StorageError', code: 'EIO' });
  expect([store.names('new'), store.names('out')]).toEqual([['a', 'b', 'd'], ['c']]);
  await store.close();
});

it.each(['log', 'unsure', 'dead', 'ledger'])(
  'makes a folder where something else stands in place of spool/%s',
  (name) => {
    const root = tempFolder();
    fs.writeFileSync(path.join(root, name), 'no folder');
    const [damage] = heard(root, () => open(root));
    expect(damage).toMatchObject({ file: path.join(root, name), lost: `the contents of spool/${name}/` });
    expect(fs.statSync(path.join(root, name)).isDirectory()).toBe(true);
  },
);

it('gives of small state what the last change has left, also to whoever asks while it is being made', async () => {
  const folder = tempFolder();
  const state = new LocalState(openCache(folder));
  const changed = [state.set('a', '1'), state.add('a', 2), state.cas('a', '3', 'four')];
  expect([await state.get('a'), await Promise.all(changed), await state.get('none')]).toEqual([
    ...['four', [undefined, 3, true], undefined],
  ]);
  await state.close();
  const again = new LocalState(openCache(folder));
  expect(await again.get('a')).toBe('four');
  await again.close();
});
