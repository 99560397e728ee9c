/** `viber uninstall`: says what is here, removes what it is told to, and nothing else, also when it is killed. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { UNIT_NAME } from '../../src/cli/service/files.ts';
import { acquireLock } from '../../src/engine/local/lock.ts';
import { isOwnName, openHome } from '../../src/workspace/home.ts';
import { tempFolder, tree } from '../helpers/temp.ts';
import { viber as ran, viberProcess } from '../helpers/viber.ts';

async function machine() {
  const folder = tempFolder();
  const [home, bin] = [path.join(folder, 'home'), path.join(folder, 'bin')];
  await openHome(home);
  fs.mkdirSync(bin);
  fs.writeFileSync(path.join(bin, 'systemctl'), `#!/bin/sh\necho "$*" >> ${folder}/systemctl.log\n`, { mode: 0o755 });
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: folder, OPENVIBER_COMMAND: 'viber' };
  const viber = (words: string[], more: Record<string, string> = {}) =>
    ran(home, ['uninstall', ...words], { env: { ...env, ...more } });
  /** Killed at a point of its work. */
  const cut = async (point: string) => {
    const { signal } = await viberProcess(home, ['uninstall', '--delete-home', '--yes'], {
      env: { ...env, OPENVIBER_CRASH_AT: point },
    });
    expect(signal).toBe('SIGKILL');
  };
  const unit = path.join(folder, '.config/systemd/user', UNIT_NAME);
  const install = () => {
    fs.mkdirSync(path.dirname(unit), { recursive: true });
    fs.writeFileSync(unit, `# Home: ${home}\n`);
  };
  return { folder, home, viber, cut, unit, install };
}

test('without options only says what is here and what stays to be done', async () => {
  const { home, folder, viber, unit, install } = await machine();
  install();
  fs.writeFileSync(path.join(home, 'config.yaml'), 'channels: { telegram: { token: "1:a" } }\n');
  const before = tree(folder);
  const { code, out } = await viber([]);
  expect(code).toBe(0);
  for (const words of [
    `Service: ${unit}`,
    'uninstall --service',
    `Home: ${home}`,
    'uninstall --delete-home',
    'viber backup FILE',
    'Telegram',
  ])
    expect(out).toContain(words);
  expect(tree(folder)).toEqual(before);
  expect(JSON.parse((await viber(['--json'])).out)).toMatchObject({ home, service: unit, worktrees: [], remains: [] });
});

test('asks before it removes, and without a terminal needs --yes', async () => {
  const { home, viber } = await machine();
  const { code, out } = await viber(['--delete-home']);
  expect([code, out]).toEqual([1, expect.stringContaining('Nothing was changed. Add --yes to do it.')]);
  expect(out).toContain(`Would delete ${home} with everything in it.`);
  expect(fs.existsSync(home)).toBe(true);
});

test('removes the service and the home, and says what is left', async () => {
  const { home, folder, viber, unit, install } = await machine();
  install();
  const { code, out } = await viber(['--service', '--delete-home', '--yes']);
  expect([code, fs.existsSync(home), fs.existsSync(unit)]).toEqual([0, false, false]);
  expect(fs.readFileSync(path.join(folder, 'systemctl.log'), 'utf8')).toContain('disable --now');
  expect(out).toContain('Neither a home nor a service is here.');
  expect(out).toContain('Delete this folder yourself');
  expect(fs.readdirSync(folder).filter((name) => name.startsWith('home'))).toEqual([]);
});

test('names the home that a restore has moved aside, and the command that deletes it', async () => {
  const { home, folder, viber } = await machine();
  const earlier = `${home}.before-20261128T120000Z`;
  fs.mkdirSync(earlier);
  fs.mkdirSync(path.join(folder, 'other.before-20261128T120000Z'));
  const { out } = await viber(['--delete-home', '--yes']);
  expect(out).toContain(`Deleted ${home} with everything in it.`);
  expect(out).toContain(
    `An earlier home, with conversations, memory and .env: ${earlier}\n  rm -r "${earlier}" deletes it.`,
  );
  expect(out).not.toContain('other.before');
  expect(JSON.parse((await viber(['--json'])).out)).toMatchObject({ earlier: [earlier] });
});

test('a home behind a link goes with its link', async () => {
  const { home, folder, viber } = await machine();
  fs.renameSync(home, path.join(folder, 'elsewhere'));
  fs.symlinkSync('elsewhere', home);
  expect((await viber(['--delete-home', '--yes'])).code).toBe(0);
  expect(fs.readdirSync(folder).filter((name) => /home|elsewhere/.test(name))).toEqual([]);
});

test.each([
  [
    'a folder that is no home',
    (home: string) => fs.rmSync(home, { recursive: true }),
    "isn't the home of a viber alone",
    1,
  ],
  [
    'work of a project',
    (home: string) => fs.mkdirSync(path.join(home, 'worktrees/a'), { recursive: true }),
    'Work of projects is in',
    1,
  ],
])('refuses %s and removes nothing', async (_what, change, why, code) => {
  const { home, viber } = await machine();
  change(home);
  fs.mkdirSync(home, { recursive: true });
  fs.writeFileSync(path.join(home, 'mine'), '');
  expect(await viber(['--delete-home', '--yes'])).toMatchObject({ code, err: expect.stringContaining(why) });
  expect(fs.existsSync(path.join(home, 'mine'))).toBe(true);
});

test('refuses the folder of its user, of the program, and a home in use', async () => {
  const { home, viber } = await machine();
  expect((await viber(['--delete-home', '--yes'], { HOME: home })).err).toContain("isn't the home of a viber alone");
  const lock = acquireLock(path.join(home, 'run'));
  expect((await viber(['--delete-home', '--yes'])).code).toBe(3);
  fs.writeFileSync(path.join(home, 'run/gateway.json'), JSON.stringify({ pid: process.pid, startedAt: 'x' }));
  const running = await viber(['--delete-home', '--yes']);
  expect([running.code, running.err]).toEqual([3, expect.stringContaining(`process ${process.pid}`)]);
  lock.release();
  expect(fs.existsSync(path.join(home, 'workspace'))).toBe(true);
  expect((await viber(['--program', '--yes'])).err).toContain('is no package of npm');
});

test('cut off in the middle, it leaves no part of a home in its place, and the next one removes the rest', async () => {
  const { home, folder, viber, cut } = await machine();
  await cut('uninstall-moved');
  expect(fs.existsSync(home)).toBe(false);
  expect((await viber([])).out).toContain('Rest of a deleted home: home.deleting-');
  expect((await viber(['--delete-home', '--yes'])).code).toBe(0);
  expect(fs.readdirSync(folder).filter((name) => name.startsWith('home'))).toEqual([]);
});

/** Puts what a person might: at the top of a home, and in a folder of the gateway. */
function putOwn(home: string) {
  fs.writeFileSync(path.join(home, 'thesis.txt'), 'mine');
  fs.mkdirSync(path.join(home, 'photos'));
  fs.writeFileSync(path.join(home, 'photos/cat.jpg'), 'cat');
  fs.symlinkSync('../elsewhere', path.join(home, 'Skills'));
  fs.writeFileSync(path.join(home, 'workspace/notes.md'), 'the viber has these');
  return ['Skills', 'photos', 'photos/cat.jpg', 'thesis.txt'];
}

test('leaves what a person put at the top of the home, in its place, and names it before and after', async () => {
  const { home, folder, viber } = await machine();
  const own = putOwn(home);
  const managed = ['.env', 'config.yaml', 'config.yaml.bad-2', 'agents.schema.json', 'SOUL.md', 'receipts'];
  for (const name of [...managed, '.0123456789abcdef.tmp']) fs.writeFileSync(path.join(home, name), '');
  expect((await viber([])).out).toContain(
    "deletes it, and leaves what isn't the gateway's: Skills, photos, thesis.txt",
  );
  expect(JSON.parse((await viber(['--json'])).out)).toMatchObject({
    home,
    foreign: ['Skills', 'photos', 'thesis.txt'],
  });
  const { code, out } = await viber(['--delete-home', '--yes']);
  expect(code).toBe(0);
  expect(out).toContain(`Deleted ${home} and left what isn't the gateway's: Skills, photos, thesis.txt`);
  expect(out).toContain(`${home} only holds what isn't the gateway's: Skills, photos, thesis.txt`);
  expect(out).toContain('Neither a home nor a service is here.');
  const names = fs.readdirSync(home, { recursive: true, encoding: 'utf8' }).sort();
  expect(names).toEqual(own);
  expect(fs.readFileSync(path.join(home, 'photos/cat.jpg'), 'utf8')).toBe('cat');
  expect(fs.readdirSync(folder).filter((name) => name.startsWith('home'))).toEqual(['home']);
  expect(JSON.parse((await viber(['--json'])).out)).not.toHaveProperty('home');
  expect(await viber(['--delete-home', '--yes'])).toMatchObject({ code: 1 });
  expect(fs.readdirSync(home, { recursive: true, encoding: 'utf8' }).sort()).toEqual(own);
});

test.each(['uninstall-moved', 'uninstall-put-back', 'uninstall-put-back:3'])(
  'killed at %s, it loses none of that, and the next one puts it back',
  async (point) => {
    const { home, folder, viber, cut } = await machine();
    const own = putOwn(home);
    await cut(point);
    expect((await viber([])).out).toContain('Rest of a deleted home: home.deleting-');
    expect((await viber(['--delete-home', '--yes'])).code).toBe(0);
    expect(fs.readdirSync(home, { recursive: true, encoding: 'utf8' }).sort()).toEqual(own);
    expect(fs.readdirSync(folder).filter((name) => name.startsWith('home'))).toEqual(['home']);
  },
);

test('killed, and another home made since: what was there comes beside what is there, whatever it is called', async () => {
  const { home, viber, cut } = await machine();
  fs.writeFileSync(path.join(home, 'thesis.txt'), 'first');
  await cut('uninstall-moved');
  await openHome(home);
  fs.writeFileSync(path.join(home, 'thesis.txt'), 'second');
  expect((await viber(['--delete-home', '--yes'])).code).toBe(0);
  expect(fs.readdirSync(home).map((name) => fs.readFileSync(path.join(home, name), 'utf8'))).toEqual([
    ...['second', 'first'],
  ]);
});

test('a home behind a link that something is left in keeps its link', async () => {
  const { home, folder, viber } = await machine();
  fs.writeFileSync(path.join(home, 'thesis.txt'), 'mine');
  fs.renameSync(home, path.join(folder, 'elsewhere'));
  fs.symlinkSync('elsewhere', home);
  expect((await viber(['--delete-home', '--yes'])).code).toBe(0);
  expect([fs.readlinkSync(home), fs.readdirSync(home)]).toEqual(['elsewhere', ['thesis.txt']]);
});

test('knows every name that a new home has', async () => {
  const { home } = await machine();
  expect(fs.readdirSync(home).filter((name) => !isOwnName(name))).toEqual([]);
});

test('removes a home of a newer format, whole', async () => {
  const { home, viber } = await machine();
  fs.writeFileSync(path.join(home, 'home.json'), '{"format":99}');
  expect((await viber(['--delete-home', '--yes'])).code).toBe(0);
  expect(fs.existsSync(home)).toBe(false);
});

test('leaves a folder that is around the person’s own alone, also where links lead to that', async () => {
  const { folder, home, viber } = await machine();
  const link = path.join(folder, 'by-link');
  fs.symlinkSync(home, link);
  fs.writeFileSync(path.join(home, 'thesis.txt'), 'mine');
  for (const own of [link, path.join(link, 'agents')])
    expect((await viber(['--delete-home', '--yes'], { HOME: own })).err).toContain("isn't the home of a viber alone");
  expect(fs.readFileSync(path.join(home, 'thesis.txt'), 'utf8')).toBe('mine');
});

test('leaves the service of another home alone', async () => {
  const { home, viber, unit, install } = await machine();
  install();
  fs.writeFileSync(unit, `# Home: ${home}2\n`);
  expect(await viber(['--service'])).toMatchObject({ code: 0, out: 'No service is installed.\n' });
  expect(fs.existsSync(unit)).toBe(true);
});
