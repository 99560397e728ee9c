/** The spool's log by itself: which lines it writes, which files it keeps, and what it does when the disk takes nothing. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SpoolLog } from '../../../src/engine/local/log.ts';
import { segmentNames } from '../../../src/engine/local/segment.ts';
import { type Damage, damageText, listenForDamage } from '../../../src/lib/damage.ts';
import { tempFolder } from '../../helpers/temp.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const failing = (code: string) => Object.assign(new Error(code), { code });
const open = (folder: string, segmentBytes?: number) => new SpoolLog(folder, tempFolder(), segmentBytes);
const linesOf = (file: string): Record<string, unknown>[] =>
  fs
    .readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const changes = (log: SpoolLog) =>
  linesOf(log.file)
    .slice(1)
    .map(({ op, state, key, as }) => [op, state, key, as].filter((each) => each !== undefined).join(' '));

describe('a log', () => {
  it('says what has changed, and nothing where nothing has', async () => {
    const log = open(tempFolder());
    await log.put('new', 'a', 1);
    await log.put('out', 'b', 2);
    log.move('none', 'cur');
    log.move('a', 'cur');
    log.drop('new', 'a');
    log.drop('out', 'none');
    log.finish('out', 'b', 'b');
    log.finish('cur', 'a', 'a.other');
    expect(changes(log)).toEqual(['put new a', 'put out b', 'move cur a', 'done out b', 'done cur a a.other']);
    expect([log.wasFinished('b'), log.wasFinished('a'), log.wasFinished('a.other')]).toEqual([true, false, true]);
    expect([log.wasInWork('a'), log.read('new', 'none'), log.has('cur', 'a')]).toEqual([false, undefined, false]);
    expect(await log.close()).toBe(true);
  });

  it('begins without what an earlier process had only half written', () => {
    const folder = tempFolder();
    fs.writeFileSync(path.join(folder, '2026-01-31.2.jsonl.tmp'), 'half');
    fs.mkdirSync(path.join(folder, 'folder.tmp/in it'), { recursive: true });
    fs.writeFileSync(path.join(folder, '.tmp.note'), 'not of the log');
    const log = open(folder);
    expect(fs.readdirSync(folder).sort()).toEqual(['.tmp.note', path.basename(log.file)]);
  });

  it('has what it took over in a segment of its own', () => {
    const folder = tempFolder();
    const log = open(folder);
    const before = log.file;
    log.adopt([
      { state: 'new', key: 'a', value: 'é' },
      { state: 'out', key: 'a', value: 'answer' },
    ]);
    expect([log.file === before, changes(log)]).toEqual([false, ['put new a', 'put out a']]);
    const again = open(folder);
    expect([again.read('new', 'a'), again.read('out', 'a'), again.keys('cur')]).toEqual(['é', 'answer', []]);
  });

  it('keeps the files of the days that are asked for, and what is not its own', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-01-31T10:00:00Z') });
    const folder = tempFolder();
    const log = open(folder);
    await log.put('new', 'waits', 1);
    await log.put('new', 'a', 1);
    log.finish('new', 'a');
    // Nothing is being written any more.
    await new Promise((resolve) => setImmediate(resolve));
    const own = ['2026-01-29.12.jsonl', '2026-01-29.12.keys', '2026-01-29.1.jsonl.bad', '2026-01-29.1.keys.bad-2'];
    const others = ['x2026-01-29.1.jsonl', '2026-01-29.1.jsonl.note', '2026-01-30.1.jsonl', 'note.txt'];
    for (const name of [...own, ...others]) fs.writeFileSync(path.join(folder, name), '');
    fs.mkdirSync(path.join(folder, '2026-01-28.1.jsonl'));
    log.prune('2026-01-30');
    expect(fs.readdirSync(folder).sort()).toEqual([...others, '2026-01-30.1.keys', '2026-01-31.1.jsonl'].sort());
    expect([log.wasFinished('a'), log.file]).toEqual([true, path.join(folder, '2026-01-31.1.jsonl')]);
    // The day is over: it is closed, so that it is removed with its time.
    vi.setSystemTime(Date.parse('2026-02-01T00:00:01Z'));
    log.prune('2026-01-30');
    expect([path.basename(log.file), changes(log), log.wasFinished('a')]).toEqual([
      ...['2026-02-01.1.jsonl', ['put new waits'], true],
    ]);
    vi.setSystemTime(Date.parse('2026-03-15T00:00:01Z'));
    log.prune('2026-02-14');
    expect(fs.readdirSync(folder).sort()).toEqual(
      ['2026-03-15.1.jsonl', 'note.txt', 'x2026-01-29.1.jsonl', '2026-01-29.1.jsonl.note'].sort(),
    );
    expect([log.wasFinished('a'), log.read('new', 'waits')]).toEqual([false, 1]);
  });

  it('is followed by another when it has grown by more than it may', async () => {
    const folder = tempFolder();
    const log = open(folder, 100);
    const names = () => segmentNames(folder).length;
    const { size } = fs.statSync(log.file);
    const text = 'x'.repeat(100 - size - '{"op":"put","state":"new","key":"a","value":""}\n'.length);
    await log.put('new', 'a', text);
    expect(fs.statSync(log.file).size).toBe(100);
    await log.put('new', 'b', 1);
    expect(names()).toBe(1);
    await log.put('new', 'c', 1);
    expect([names(), log.keys('new')]).toEqual([2, ['a', 'b', 'c']]);
  });
});

describe('when another program touches the files', () => {
  const begun = async (segmentBytes?: number) => {
    const root = tempFolder();
    const folder = path.join(root, 'log');
    fs.mkdirSync(folder);
    const log = open(folder, segmentBytes);
    await log.put('new', 'works', 'words');
    log.move('works', 'cur');
    await log.put('out', 'answer', 'é');
    const told: Damage[] = [];
    listenForDamage(root, (damage) => told.push(damage));
    return { root, folder, log, told, texts: () => told.map((damage) => damageText(damage, root)) };
  };
  /** As git and Syncthing do it. */
  const replace = (file: string, text = fs.readFileSync(file, 'utf8')) => {
    fs.writeFileSync(`${file}.x`, text);
    fs.renameSync(`${file}.x`, file);
  };
  const left = (folder: string) => {
    const after = open(folder);
    return [...after.keys('new'), ...after.keys('cur'), ...after.keys('out')];
  };

  it('a file that was replaced is followed by another before a put is acknowledged, and that is told', async () => {
    const { folder, log, told, texts } = await begun();
    const first = log.file;
    const stale = fs.readFileSync(first, 'utf8');
    log.finish('out', 'answer');
    replace(first, stale);
    await log.put('new', 'next', 1);
    // A kill in this moment.
    expect([segmentNames(folder).length, left(folder), open(folder).wasFinished('answer')]).toEqual([
      ...[2, ['next', 'works'], true],
    ]);
    expect(texts()).toEqual([
      `The file log/${path.basename(first)} was replaced by another program while the gateway ran. Lost: nothing that was acknowledged. ` +
        `Everything unfinished is in ${path.basename(log.file)}.`,
    ]);
    await log.put('new', 'more', 2);
    expect([log.read('cur', 'works'), log.read('new', 'more'), left(folder), told.length]).toEqual([
      ...['words', 2, ['next', 'more', 'works'], 1],
    ]);
  });

  it('a file that was replaced while nothing came is followed by another at the end, and when days are looked at', async () => {
    for (const end of [(log: SpoolLog) => log.close(), (log: SpoolLog) => log.prune('2026-01-01')]) {
      const { folder, log } = await begun();
      await new Promise((resolve) => setImmediate(resolve));
      replace(
        log.file,
        linesOf(log.file)
          .slice(0, 1)
          .map((line) => `${JSON.stringify(line)}\n`)
          .join(''),
      );
      expect(left(folder)).toEqual([]);
      await end(log);
      expect(left(folder)).toEqual(['works', 'answer']);
    }
  });

  it('a folder that was removed or moved away is made again', async () => {
    for (const take of [
      (root: string) => fs.rmSync(path.join(root, 'log'), { recursive: true }),
      (root: string) => fs.renameSync(path.join(root, 'log'), path.join(root, 'log-old')),
      (root: string) => fs.rmSync(root, { recursive: true }),
    ]) {
      const { root, folder, log, texts } = await begun();
      take(root);
      await log.put('new', 'next', 1);
      expect([left(folder), fs.statSync(folder).mode & 0o777]).toEqual([['next', 'works', 'answer'], 0o700]);
      expect(texts()).toEqual([expect.stringContaining('Lost: which messages of the last days were answered.')]);
    }
  });

  it('a put is refused while nothing can take the place of a file that was removed, and taken afterwards', async () => {
    const { folder, log } = await begun();
    const before = log.keys('new');
    fs.rmSync(folder, { recursive: true });
    vi.spyOn(fs, 'renameSync').mockImplementation(() => {
      throw failing('ENOSPC');
    });
    await expect(log.put('new', 'next', 1)).rejects.toMatchObject({ name: 'StorageError', code: 'ENOSPC' });
    expect(log.keys('new')).toEqual(before);
    vi.restoreAllMocks();
    await log.put('new', 'next', 1);
    expect(left(folder)).toEqual(['next', 'works', 'answer']);
  });

  it('the next segment comes after every file that was put there, which a start would read', async () => {
    const { folder, log } = await begun();
    const day = path.basename(log.file).slice(0, 10);
    fs.copyFileSync(log.file, path.join(folder, `${day}.12.jsonl`));
    fs.writeFileSync(path.join(folder, `${day}.14.keys`), 'other\n');
    fs.rmSync(log.file);
    await log.put('new', 'next', 1);
    expect([path.basename(log.file), left(folder)]).toEqual([`${day}.15.jsonl`, ['next', 'works', 'answer']]);
    const keysAlone = tempFolder();
    fs.writeFileSync(path.join(keysAlone, `${day}.3.keys`), 'other\n');
    const after = open(keysAlone);
    expect([path.basename(after.file), after.wasFinished('other')]).toEqual([`${day}.4.jsonl`, true]);
  });

  it('looking costs one call for each batch', async () => {
    const { log } = await begun();
    const look = vi.spyOn(fs, 'lstatSync');
    await Promise.all(['a', 'b', 'c'].map((key) => log.put('new', key, 1)));
    expect(look).toHaveBeenCalledTimes(1);
  });
});

describe('when the disk takes nothing', () => {
  const fail = (name: 'writeSync', times: number) => {
    const spy = vi.spyOn(fs, name);
    for (let n = 0; n < times; n++)
      spy.mockImplementationOnce(() => {
        throw failing('ENOSPC');
      });
  };

  it('what was finished is told before the next line, and that is read where it stands', async () => {
    const folder = tempFolder();
    const log = open(folder);
    await log.put('new', 'a', 1);
    fail('writeSync', 2);
    log.move('a', 'cur');
    log.finish('cur', 'a', 'né');
    expect([log.has('new', 'a'), changes(log)]).toEqual([false, ['put new a']]);
    await log.put('new', 'b', 'words');
    expect([log.read('new', 'b'), changes(log)]).toEqual([
      'words',
      ['put new a', 'move cur a', 'done cur a né', 'put new b'],
    ]);
    expect([await log.close(), open(folder).keys('new')]).toEqual([true, ['b']]);
  });

  it('its end says that not everything is there', async () => {
    const log = open(tempFolder());
    await log.put('new', 'a', 1);
    fail('writeSync', 2);
    log.move('a', 'cur');
    expect(await log.close()).toBe(false);
  });

  it('it goes on with the segment it has, and with another once it can', async () => {
    const folder = tempFolder();
    const log = open(folder, 1);
    await log.put('new', 'a', 1);
    const before = segmentNames(folder).length;
    const rename = vi.spyOn(fs, 'renameSync').mockImplementationOnce(() => {
      throw failing('ENOSPC');
    });
    await log.put('new', 'b', 2);
    expect([segmentNames(folder).length, log.keys('new')]).toEqual([before, ['a', 'b']]);
    await log.put('new', 'c', 3);
    expect([segmentNames(folder).length, log.read('new', 'a'), log.read('new', 'c')]).toEqual([...[before + 1, 1, 3]]);
    rename.mockImplementationOnce(() => {
      throw new Error('no error of the system');
    });
    await expect(log.put('new', 'd', 4)).rejects.toThrow('no error of the system');
    await log.put('new', 'e', 5);
    expect(log.keys('new')).toEqual(['a', 'b', 'c', 'e']);
  });

  it('a newer value that could not be synced leaves the older, which counts after a start too', async () => {
    const folder = tempFolder();
    const log = open(folder);
    await log.put('new', 'a', 'durable');
    vi.spyOn(fs, 'fdatasyncSync').mockImplementationOnce(() => {
      throw failing('EIO');
    });
    vi.spyOn(fs, 'fdatasync').mockImplementationOnce((_fd, done) => done(failing('EIO')));
    await expect(log.put('new', 'a', 'newer')).rejects.toMatchObject({ name: 'StorageError', code: 'EIO' });
    expect([log.read('new', 'a'), log.keys('new')]).toEqual(['durable', ['a']]);
    expect([segmentNames(folder).length, open(folder).read('new', 'a')]).toEqual([2, 'durable']);
  });

  it('an error that is none of the system is thrown', async () => {
    const log = open(tempFolder());
    await log.put('new', 'a', 1);
    vi.spyOn(fs, 'writeSync').mockImplementationOnce(() => {
      throw new Error('no error of the system');
    });
    expect(() => log.move('a', 'cur')).toThrow('no error of the system');
  });
});
