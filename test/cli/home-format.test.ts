/**
 * Homes of every format that there has been, kept in test/fixtures/homes: each is migrated with a copy first, loses
 * nothing however often it is killed, and goes on as if nothing had been.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { migrateHome } from '../../src/cli/migrate-home.ts';
import { acquireLock } from '../../src/engine/local/lock.ts';
import { FORMAT_FILE, HOME_FORMAT, homeFormat } from '../../src/workspace/format.ts';
import { openHome } from '../../src/workspace/home.ts';
import { copyOldHome, OLD_HOMES } from '../helpers/old-homes.ts';
import { tempFolder, tree } from '../helpers/temp.ts';
import { viber as ran } from '../helpers/viber.ts';

const COPY = `before-format-${HOME_FORMAT}`;
const OLDER = ['format-1-files', 'format-1'];

function homeOf(name: string): string {
  const home = path.join(tempFolder(), 'home');
  copyOldHome(name, home);
  return home;
}

const viber = (home: string, words: string[]) => ran(home, words, { env: { OPENVIBER_COMMAND: 'viber', TZ: 'UTC' } });

/** Any command that works on a home; this one changes nothing else. */
const MIGRATE = ['jobs', 'list'];

/** What people have in it, wherever it is. */
const mine = (home: string) => ({
  memory: fs.readFileSync(path.join(home, 'workspace/MEMORY.md'), 'utf8'),
  soul: fs.readFileSync(path.join(home, 'workspace/SOUL.md'), 'utf8'),
  log: fs.readFileSync(path.join(home, 'workspace/memory/2026-01-02.md'), 'utf8'),
  same: fs.realpathSync(path.join(home, 'vibers/default')) === fs.realpathSync(path.join(home, 'workspace')),
});

/** What a home holds, without what each opening of one makes anew, and without times. */
const shape = (home: string) =>
  Object.fromEntries(Object.entries(tree(home)).filter(([name]) => !/^(run|cache)\/|\.sqlite/.test(name)));

test('each format that there has been has a home here', () => {
  const names = fs.readdirSync(OLD_HOMES);
  const formats = new Set(names.map((name) => Number(/^format-(\d+)/.exec(name)?.[1])));
  expect([...formats].sort()).toEqual(Array.from({ length: HOME_FORMAT }, (_, n) => n + 1));
  for (const name of names) expect(homeFormat(path.join(OLD_HOMES, name)), name).toBe(Number(name[7]));
});

test('a new home has the format of today, and one that has not begun has none', async () => {
  const home = path.join(tempFolder(), 'home');
  expect(homeFormat(home)).toBeUndefined();
  fs.mkdirSync(path.join(home, 'skills'), { recursive: true });
  fs.writeFileSync(path.join(home, 'config.yaml'), '{}');
  expect(homeFormat(home)).toBeUndefined();
  await openHome(home);
  expect(JSON.parse(fs.readFileSync(path.join(home, FORMAT_FILE), 'utf8'))).toEqual({ format: HOME_FORMAT });
  expect((await viber(home, MIGRATE)).err).toBe('');
  expect(fs.existsSync(path.join(home, COPY))).toBe(false);
});

describe.each(OLDER)('a home of %s', (name) => {
  test('is migrated with a copy first, and everything of it is there', async () => {
    const home = homeOf(name);
    const before = tree(home);
    const { code, err } = await viber(home, MIGRATE);
    expect(code).toBe(0);
    expect(homeFormat(home)).toBe(HOME_FORMAT);
    expect(mine(home)).toMatchObject({
      memory: expect.stringContaining('window seats'),
      soul: expect.stringContaining('short answers'),
      same: true,
    });
    expect(fs.lstatSync(path.join(home, 'workspace')).isDirectory()).toBe(true);
    // Links that led out of the folder that has moved.
    expect(fs.readFileSync(path.join(home, 'workspace/task.md'), 'utf8')).toContain('paint');
    expect(fs.readFileSync(path.join(home, 'workspace/session-log'), 'utf8')).toContain('buy paint');
    // What has moved is in the copy, byte for byte.
    const copied = fs.existsSync(path.join(home, COPY)) ? tree(path.join(home, COPY)) : {};
    for (const [file, text] of Object.entries(copied)) expect(before[file], file).toBe(text);
    expect(Object.keys(copied).length > 0).toBe(name === 'format-1-files');
    expect(err).toBe(
      name === 'format-1-files'
        ? `${home} is of format ${HOME_FORMAT} now. What it was before is in ${path.join(home, COPY)}; delete that when all is well.\n`
        : '',
    );
    // Once.
    const after = shape(home);
    expect((await viber(home, MIGRATE)).err).toBe('');
    expect(shape(home)).toEqual(after);
  });

  test('goes on: its task is listed, its message answered, its usage counted', async () => {
    const home = homeOf(name);
    const { out, code } = await viber(home, ['run', '--json', 'show the plan']);
    expect([code, JSON.parse(out).state]).toEqual([0, 'completed']);
    expect((await viber(home, ['tasks'])).out).toContain('20260102-abcde');
    expect((await viber(home, ['usage', '--days', '366', '--json'])).code).toBe(0);
    expect((await viber(home, ['doctor', '--json'])).code).toBe(0);
  });

  test('is read as it is by what only looks', async () => {
    const home = homeOf(name);
    for (const words of [['queue'], ['trace'], ['status']]) await viber(home, words);
    expect(shape(home)).toEqual(shape(homeOf(name)));
    expect(homeFormat(home)).toBe(1);
  });

  /** Migrates, does nothing else, and is killed at a point. */
  function cut(home: string, point: string): NodeJS.Signals | null {
    const code = `const { migrateHome } = await import(${JSON.stringify(path.resolve('src/cli/migrate-home.ts'))}); await migrateHome(${JSON.stringify(home)});`;
    const env = { PATH: process.env.PATH, OPENVIBER_CRASH_AT: `migrate-${point}` };
    const { signal, status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      env,
      encoding: 'utf8',
    });
    if (signal === null) expect([status, stderr]).toEqual([0, '']);
    return signal;
  }

  const POINTS = ['begun', 'copying', 'copied', 'unlinked', 'moved', 'linked', 'done'];
  test.each(POINTS)('killed at %s, and at the next point too, it becomes the same', async (first) => {
    const whole = homeOf(name);
    await migrateHome(whole);
    const seconds = name === 'format-1-files' ? [undefined, POINTS[POINTS.indexOf(first) + 1]] : [undefined];
    for (const second of seconds) {
      const home = homeOf(name);
      const killed = [first, ...(second === undefined ? [] : [second])].map((point) => cut(home, point));
      if (name === 'format-1-files') expect(killed[0]).toBe('SIGKILL');
      await migrateHome(home);
      expect(shape(home), `${first} ${second}`).toEqual(shape(whole));
      expect(mine(home)).toMatchObject({ same: true, memory: expect.stringContaining('window seats') });
      expect(homeFormat(home)).toBe(HOME_FORMAT);
    }
  });

  test('that a gateway holds is left alone', async () => {
    const home = homeOf(name);
    fs.mkdirSync(path.join(home, 'run'), { recursive: true });
    const lock = acquireLock(path.join(home, 'run'));
    await viber(home, ['skills', 'list']);
    expect(homeFormat(home)).toBe(1);
    lock.release();
    await viber(home, ['skills', 'list']);
    expect(homeFormat(home)).toBe(HOME_FORMAT);
  });

  test('comes back out of a backup, and is migrated then', async () => {
    const home = homeOf(name);
    const file = path.join(path.dirname(home), 'b.tgz');
    expect((await viber(home, ['backup', file])).code).toBe(0);
    expect(homeFormat(home)).toBe(1);
    const other = path.join(tempFolder(), 'home');
    expect((await viber(other, ['restore', file])).code).toBe(0);
    expect((await viber(other, MIGRATE)).code).toBe(0);
    expect(homeFormat(other)).toBe(HOME_FORMAT);
    expect(mine(other)).toMatchObject({ memory: expect.stringContaining('window seats'), same: true });
  });
});

describe('a home of a newer format', () => {
  const newer = () => {
    const home = homeOf(`format-${HOME_FORMAT}`);
    fs.writeFileSync(path.join(home, FORMAT_FILE), JSON.stringify({ format: HOME_FORMAT + 1, more: true }));
    return home;
  };

  test('is refused in one sentence by every command that reads it, and not touched', async () => {
    const home = newer();
    const before = tree(home);
    for (const words of [
      ['start'],
      ['run', 'x'],
      ['doctor'],
      ['tasks'],
      ['backup', path.join(tempFolder(), 'b.tgz')],
      ['init'],
    ]) {
      const { code, out, err } = await viber(home, words);
      expect([code, out]).toEqual([1, '']);
      expect(err).toMatch(
        /^\S+ has format 3, and viber \S+ knows only up to 2: update the program \(viber update[^)]*\), or choose another home with --home\.\n$/,
      );
    }
    expect(tree(home)).toEqual(before);
    expect((await viber(home, ['version'])).code).toBe(0);
    expect((await viber(home, ['completion', 'bash'])).code).toBe(0);
  });

  test('is not restored, and the home that was there stays', async () => {
    const source = homeOf(`format-${HOME_FORMAT}`);
    const file = path.join(path.dirname(source), 'b.tgz');
    fs.writeFileSync(path.join(source, FORMAT_FILE), JSON.stringify({ format: HOME_FORMAT }));
    expect((await viber(source, ['backup', file])).code).toBe(0);
    const plain = path.join(path.dirname(source), 'b.tar');
    // The same length, so that the archive stays one.
    const text = spawnSync('gzip', ['-dc', file], { maxBuffer: 1e9 })
      .stdout.toString('latin1')
      .replace('{"format":2}', '{"format":7}');
    fs.writeFileSync(plain, Buffer.from(text, 'latin1'));
    fs.writeFileSync(file, spawnSync('gzip', ['-c', plain], { maxBuffer: 1e9 }).stdout);
    const home = homeOf(`format-${HOME_FORMAT}`);
    const { code, err } = await viber(home, ['restore', '--replace', file]);
    expect([code, err]).toEqual([1, expect.stringContaining('has format 7')]);
    expect(mine(home).memory).toContain('window seats');
    expect(fs.readdirSync(path.dirname(home))).toEqual(['home']);
  });
});

describe('a home.json', () => {
  test.each<[string, (file: string) => void]>([
    ['that is empty', (file) => fs.writeFileSync(file, '')],
    ['that is no JSON', (file) => fs.writeFileSync(file, '{"format":')],
    ['without a number', (file) => fs.writeFileSync(file, '{"format":"two"}')],
    ['that is a folder', (file) => fs.mkdirSync(file)],
    ['that leads to itself', (file) => fs.symlinkSync(FORMAT_FILE, file)],
    ['that leads nowhere', (file) => fs.symlinkSync('/nowhere/at/all', file)],
  ])('%s is set aside and named, and all is looked at again', async (_what, damage) => {
    const home = homeOf('format-1-files');
    damage(path.join(home, FORMAT_FILE));
    const { code, err } = await viber(home, MIGRATE);
    expect([code, err]).toEqual([0, expect.stringContaining(`${FORMAT_FILE}.bad`)]);
    expect(homeFormat(home)).toBe(HOME_FORMAT);
    expect(mine(home).same).toBe(true);
    expect((await viber(home, MIGRATE)).err).toBe('');
  });
});

test('a viber whose folder is a real one beside a real workspace stays as it is', async () => {
  const home = homeOf('format-1-files');
  fs.unlinkSync(path.join(home, 'workspace'));
  fs.mkdirSync(path.join(home, 'workspace'));
  expect((await viber(home, MIGRATE)).code).toBe(0);
  expect(homeFormat(home)).toBe(HOME_FORMAT);
  expect(fs.lstatSync(path.join(home, 'vibers/default')).isDirectory()).toBe(true);
  expect(fs.readFileSync(path.join(home, 'vibers/default/MEMORY.md'), 'utf8')).toContain('window seats');
});
