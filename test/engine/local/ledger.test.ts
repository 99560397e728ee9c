import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openLedger } from '../../../src/engine/local/ledger.ts';
import { damageText, listenForDamage } from '../../../src/lib/damage.ts';
import { tempFolder } from '../../helpers/temp.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const BEFORE = new Date('2026-01-31T23:59:59.900Z');
const AFTER = new Date('2026-02-01T00:00:00.100Z');
const failing = (code: string) => Object.assign(new Error(code), { code });

describe('the ledger', () => {
  it('knows at midnight what was begun before it', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: BEFORE });
    const folder = tempFolder();
    const ledger = openLedger(folder, 1);
    for (const key of ['open', 'sent', 'twice']) await ledger.intent(key, 0);
    vi.setSystemTime(AFTER);
    ledger.outcome('sent', 0, 'sent', 'id-1');
    ledger.outcome('twice', 0, 'unsure');
    await ledger.intent('twice', 0);
    ledger.close();
    expect(fs.readdirSync(folder).sort()).toEqual(['2026-01-31.jsonl', '2026-02-01.jsonl']);
    const parts = openLedger(folder, 2).load(new Set(['open', 'sent', 'twice']));
    expect(parts.get('open')?.get(0)).toMatchObject({ open: true, unsure: 0, since: BEFORE.getTime() });
    expect(parts.get('sent')?.get(0)).toMatchObject({ open: false, sentId: 'id-1' });
    expect(parts.get('twice')?.get(0)).toMatchObject({ open: true, unsure: 1, since: BEFORE.getTime() });
  });

  it('syncs an intent in the file that holds it, also when the next day begins while it waits', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: BEFORE });
    const folder = tempFolder();
    const names = new Map<number, string>();
    const { openSync, fdatasync } = fs;
    vi.spyOn(fs, 'openSync').mockImplementation((...given) => {
      const fd = openSync(...given);
      names.set(fd, path.basename(String(given[0])));
      return fd;
    });
    const order: string[] = [];
    vi.spyOn(fs, 'fdatasync').mockImplementation((fd, done) => {
      order.push(names.get(fd) ?? '');
      fdatasync(fd, done);
    });
    const ledger = openLedger(folder, 1);
    const first = ledger.intent('a', 0).then(() => order.push('a'));
    const second = ledger.intent('b', 0).then(() => order.push('b'));
    vi.setSystemTime(AFTER);
    const third = ledger.intent('c', 0).then(() => order.push('c'));
    ledger.close();
    await Promise.all([first, second, third]);
    expect(order.filter((what) => what.endsWith('l')).sort()).toEqual(['2026-01-31.jsonl', '2026-02-01.jsonl']);
    expect(order.indexOf('a')).toBeGreaterThan(order.indexOf('2026-01-31.jsonl'));
    expect(order.indexOf('c')).toBeGreaterThan(order.indexOf('2026-02-01.jsonl'));
  });

  it.each([
    [
      'replaced by an older one',
      (file: string, older: string) => {
        fs.writeFileSync(`${file}.x`, `${older}{"of":"another"}\n`);
        fs.renameSync(`${file}.x`, file);
      },
    ],
    ['removed', (file: string) => fs.rmSync(file)],
    ['removed with its folder', (file: string) => fs.rmSync(path.dirname(file), { recursive: true })],
  ])('knows what was written to a file that another program has %s', async (_, take) => {
    const root = tempFolder();
    const folder = path.join(root, 'ledger');
    fs.mkdirSync(folder);
    const ledger = openLedger(folder, 1);
    await ledger.intent('a', 0);
    const file = path.join(folder, fs.readdirSync(folder)[0] ?? '');
    const older = fs.readFileSync(file, 'utf8');
    ledger.outcome('a', 0, 'unsure');
    await ledger.intent('a', 0);
    const told: string[] = [];
    listenForDamage(root, (damage) => told.push(damageText(damage, root)));
    take(file, older);
    ledger.outcome('a', 0, 'sent', 'id-1');
    await ledger.intent('b', 0);
    const parts = openLedger(folder, 2).load(new Set(['a', 'b']));
    expect(parts.get('a')?.get(0)).toMatchObject({ open: false, unsure: 1, sentId: 'id-1' });
    expect(parts.get('b')?.get(0)).toMatchObject({ open: true });
    expect(told[0]).toContain('was replaced or removed by another program while the gateway ran. Lost: nothing');
    ledger.close();
  });

  it('has the name of a new file on the disk before an intent in it counts', async () => {
    const folder = tempFolder();
    const { openSync } = fs;
    const opened: string[] = [];
    vi.spyOn(fs, 'openSync').mockImplementation((...given) => {
      opened.push(String(given[0]));
      return openSync(...given);
    });
    // The folder is opened for its sync alone.
    const ledger = openLedger(folder, 1);
    await ledger.intent('a', 0);
    expect(opened).toContain(folder);
    await ledger.intent('b', 0);
    expect(opened.filter((name) => name === folder)).toHaveLength(1);
    ledger.close();
  });

  it('loses no line behind one that was torn, by a crash or by a full disk', async () => {
    const folder = tempFolder();
    const first = openLedger(folder, 1);
    await first.intent('a', 0);
    first.close();
    const file = path.join(folder, fs.readdirSync(folder)[0] ?? '');
    fs.appendFileSync(file, '{"key":"a","part":0,"wh');
    const second = openLedger(folder, 2);
    second.outcome('a', 0, 'sent', 'id-a');
    const { writeSync } = fs;
    const short = (fd: number, data: Uint8Array) => writeSync(fd, data, 0, 20, null);
    const full = (fd: number, data: Uint8Array): number => {
      short(fd, data);
      throw failing('ENOSPC');
    };
    vi.spyOn(fs, 'writeSync')
      .mockImplementationOnce(short as typeof fs.writeSync)
      .mockImplementationOnce(full as typeof fs.writeSync);
    expect(() => second.outcome('b', 0, 'unsure')).toThrow('ENOSPC');
    vi.restoreAllMocks();
    second.outcome('b', 0, 'sent', 'id-b');
    const parts = openLedger(folder, 3).load(new Set(['a', 'b']));
    expect([parts.get('a')?.get(0)?.sentId, parts.get('b')?.get(0)?.sentId]).toEqual(['id-a', 'id-b']);
    second.close();
  });

  it('tells every one who waits when the disk fails, and goes on afterwards', async () => {
    const ledger = openLedger(tempFolder(), 1);
    await ledger.intent('before', 0);
    vi.spyOn(fs, 'fdatasync').mockImplementationOnce((_fd, done) => done(failing('EIO')));
    const both = await Promise.allSettled([ledger.intent('a', 0), ledger.intent('b', 0)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await ledger.intent('c', 0);
    ledger.close();
  });

  it('tells of one message what it has of it, and of no other', async () => {
    const folder = tempFolder();
    fs.writeFileSync(path.join(folder, 'notes.txt'), 'not a day');
    const ledger = openLedger(folder, 7);
    await ledger.intent('a', 0);
    ledger.outcome('b', 0, 'sent', 'id-b');
    ledger.outcome('a', 0, 'sent', '');
    expect(ledger.lines('a').map(({ what, epoch, id }) => ({ what, epoch, id }))).toEqual([
      { what: 'intent', epoch: 7, id: undefined },
      { what: 'sent', epoch: 7, id: '' },
    ]);
    expect([...ledger.load(new Set(['a'])).keys()]).toEqual(['a']);
    ledger.close();
  });

  it('knows what was tried, and since when, by the lines of three days', () => {
    const folder = tempFolder();
    const line = (day: number, key: string, what: string, more: object = {}) =>
      fs.appendFileSync(
        path.join(folder, `2026-01-0${day}.jsonl`),
        `${JSON.stringify({ key, part: 0, what, at: `2026-01-0${day}T00:00:00.000Z`, ...more })}\n`,
      );
    line(1, 'old', 'intent');
    line(2, 'refused', 'intent');
    line(2, 'refused', 'refused');
    line(3, 'both', 'intent');
    line(3, 'both', 'unsure');
    line(4, 'both', 'intent');
    line(4, 'both', 'refused');
    line(4, 'bare', 'unsure');
    line(4, 'known', 'unsure');
    line(4, 'sent', 'sent');
    const keys = new Set(['old', 'refused', 'both', 'bare', 'known', 'sent']);
    const begunAt = (key: string) => (key === 'known' ? 42 : undefined);
    const parts = openLedger(folder, 1).load(keys, begunAt);
    expect(Object.fromEntries([...parts].map(([key, of]) => [key, of.get(0)]))).toEqual({
      refused: { unsure: 0, open: false },
      both: { unsure: 1, open: false, since: Date.parse('2026-01-03T00:00:00.000Z') },
      bare: { unsure: 1, open: false, since: Date.parse('2026-01-04T00:00:00.000Z') },
      known: { unsure: 1, open: false, since: 42 },
      sent: { unsure: 0, open: false, sentId: '' },
    });
    // Where nobody can say when it began, the line does.
    const alone = openLedger(folder, 1)
      .load(new Set(['bare']))
      .get('bare')
      ?.get(0);
    expect(alone?.since).toBe(Date.parse('2026-01-04T00:00:00.000Z'));
  });

  it('forgets the days before one, and reads nothing where nothing is asked', () => {
    const folder = tempFolder();
    for (const day of [1, 2, 3]) fs.writeFileSync(path.join(folder, `2026-01-0${day}.jsonl`), '');
    fs.writeFileSync(path.join(folder, '2026-01-01.txt'), 'kept');
    const ledger = openLedger(folder, 1);
    ledger.prune('2026-01-02');
    expect(fs.readdirSync(folder).sort()).toEqual(['2026-01-01.txt', '2026-01-02.jsonl', '2026-01-03.jsonl']);
    const reading = vi.spyOn(fs, 'readdirSync');
    expect(ledger.load(new Set())).toEqual(new Map());
    expect(reading).not.toHaveBeenCalled();
  });

  it('knows what happened before a clock went wrong and while it was, and forgets that by the time it was written', async () => {
    const folder = tempFolder();
    const first = openLedger(folder, 1);
    await first.intent('sent', 0);
    first.outcome('sent', 0, 'sent', 'id-1');
    first.close();
    const real = new Date();
    const days = ['2096-01-01', '2096-01-02', '2096-01-03', '2096-01-04'];
    for (const day of days) {
      vi.useFakeTimers({ toFake: ['Date'], now: new Date(`${day}T10:00:00Z`) });
      const ledger = openLedger(folder, 1);
      await ledger.intent(day, 0);
      ledger.close();
    }
    vi.useRealTimers();
    fs.writeFileSync(path.join(folder, '2096-01-05.sync-conflict-20261123-101010-ABCDEFG.jsonl'), 'a second version');
    const ledger = openLedger(folder, 2);
    const parts = ledger.load(new Set(['sent', ...days]));
    expect(parts.get('sent')?.get(0)?.sentId).toBe('id-1');
    expect(days.map((day) => parts.get(day)?.get(0)?.open)).toEqual([true, true, true, true]);
    const old = real.getTime() / 1000 - 40 * 86_400;
    for (const day of days.slice(1)) fs.utimesSync(path.join(folder, `${day}.jsonl`), old, old);
    ledger.prune(new Date(real.getTime() - 30 * 86_400_000).toISOString().slice(0, 10));
    expect(fs.readdirSync(folder).filter((name) => /^[-\d]+\.jsonl$/.test(name))).toEqual([
      `${real.toISOString().slice(0, 10)}.jsonl`,
      '2096-01-01.jsonl',
    ]);
  });

  it('writes on in the day before where a new day cannot be opened, and says so where there is none', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: BEFORE });
    const folder = tempFolder();
    const ledger = openLedger(folder, 1);
    await ledger.intent('a', 0);
    vi.setSystemTime(AFTER);
    vi.spyOn(fs, 'openSync').mockImplementation(() => {
      throw failing('EMFILE');
    });
    ledger.outcome('a', 0, 'sent', 'id-a');
    expect(() => openLedger(folder, 1).outcome('b', 0, 'unsure')).toThrow('EMFILE');
    vi.restoreAllMocks();
    expect(fs.readdirSync(folder)).toEqual(['2026-01-31.jsonl']);
    expect(
      ledger
        .load(new Set(['a']))
        .get('a')
        ?.get(0)?.sentId,
    ).toBe('id-a');
    ledger.close();
  });
});
