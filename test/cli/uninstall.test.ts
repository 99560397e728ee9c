/** `viber uninstall`: says what is here, removes what it is told to, and nothing else, also when it is killed. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { UNIT_NAME } from '../../src/cli/service/files.ts';
import { acquireLock } from '../../src/engine/local/lock.ts';
import { isOwnName, openHome } from '../../src/workspace/home.ts';
import { PROGRAM } from '../helpers/program.ts';
import { tempFolder, tree } from '../helpers/temp.ts';

async function machine() {
  const folder = tempFolder();
  const [home, bin] = [path.join(folder, 'home'), path.join(folder, 'bin')];
  await openHome(home);
  fs.mkdirSync(bin);
  fs.writeFileSync(path.join(bin, 'systemctl'), `#!/bin/sh\necho "$*" >> ${folder}/systemctl.log\n`, { mode: 0o755 });
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: folder, OPENVIBER_COMMAND: 'viber' };
  const viber = (words: string[], more: Record<string, string> = {}) => {
    const ran = spawnSync(process.execPath, [PROGRAM, 'uninstall', ...words, '--home', home], {
      env: { ...env, ...more },
      encoding: 'utf8',
    });
    return { code: ran.status, signal: ran.signal, out: ran.stdout, err: ran.stderr };
  };
  const unit = path.join(folder, '.config/systemd/user', UNIT_NAME);
  const install = () => {
    fs.mkdirSync(path.dirname(unit), { recursive: true });
    fs.writeFileSync(unit, `# Home: ${home}\n`);
  };
  return { folder, home, viber, unit, install };
}

test('without options only says what is here and what stays to be done', async () => {
  const { home, folder, viber, unit, install } = await machine();
  install();
  fs.writeFileSync(path.join(home, 'config.yaml'), 'channels: { telegram: { token: "1:a" } }\n');
  const before = tree(folder);
  const { code, out } = viber([]);
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
  expect(JSON.parse(viber(['--json']).out)).toMatchObject({ home, service: unit, worktrees: [], remains: [] });
});

test('asks before it removes, and without a terminal needs --yes', async () => {
  const { home, viber } = await machine();
  const { code, out } = viber(['--delete-home']);
  expect([code, out]).toEqual([1, expect.stringContaining('Nothing was changed. Add --yes to do it.')]);
  expect(out).toContain(`Would delete ${home} with everything in it.`);
  expect(fs.existsSync(home)).toBe(true);
});

test('removes the service and the home, and says what is left', async () => {
  const { home, folder, viber, unit, install } = await machine();
  install();
  const { code, out } = viber(['--service', '--delete-home', '--yes']);
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
  const { out } = viber(['--delete-home', '--yes']);
  expect(out).toContain(`Deleted ${home} with everything in it.`);
  expect(out).toContain(
    `An earlier home, with conversations, memory and .env: ${earlier}\n  rm -r "${earlier}" deletes it.`,
  );
  expect(out).not.toContain('other.before');
  expect(JSON.parse(viber(['--json']).out)).toMatchObject({ earlier: [earlier] });
});

test('a home behind a link goes with its link', async () => {
  const { home, folder, viber } = await machine();
  fs.renameSync(home, path.join(folder, 'elsewhere'));
  fs.symlinkSync('elsewhere', home);
  expect(viber(['--delete-home', '--yes']).code).toBe(0);
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
  expect(viber(['--delete-home', '--yes'])).toMatchObject({ code, err: expect.stringContaining(why) });
  expect(fs.existsSync(path.join(home, 'mine'))).toBe(true);
});

test('refuses the folder of its user, of the program, and a home in use', async () => {
  const { home, viber } = await machine();
  expect(viber(['--delete-home', '--yes'], { HOME: home }).err).toContain("isn't the home of a viber alone");
  const lock = acquireLock(path.join(home, 'run'));
  expect(viber(['--delete-home', '--yes']).code).toBe(3);
  fs.writeFileSync(path.join(home, 'run/gateway.json'), JSON.stringify({ pid: process.pid, startedAt: 'x' }));
  const running = viber(['--delete-home', '--yes']);
  expect([running.code, running.err]).toEqual([3, expect.stringContaining(`process ${process.pid}`)]);
  lock.release();
  expect(fs.existsSync(path.join(home, 'workspace'))).toBe(true);
  expect(viber(['--program', '--yes']).err).toContain('is no package of npm');
});

test('cut off in the middle, it leaves no part of a home in its place, and the next one removes the rest', async () => {
  const { home, folder, viber } = await machine();
  expect(viber(['--delete-home', '--yes'], { OPENVIBER_CRASH_AT: 'uninstall-moved' }).signal).toBe('SIGKILL');
  expect(fs.existsSync(home)).toBe(false);
  expect(viber([]).out).toContain('Rest of a deleted home: home.deleting-');
  expect(viber(['--delete-home', '--yes']).code).toBe(0);
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
  expect(viber([]).out).toContain("deletes it, and leaves what isn't the gateway's: Skills, photos, thesis.txt");
  expect(JSON.parse(viber(['--json']).out)).toMatchObject({ home, foreign: ['Skills', 'photos', 'thesis.txt'] });
  const { code, out } = viber(['--delete-home', '--yes']);
  expect(code).toBe(0);
  expect(out).toContain(`Deleted ${home} and left what isn't the gateway's: Skills, photos, thesis.txt`);
  expect(out).toContain(`${home} only holds what isn't the gateway's: Skills, photos, thesis.txt`);
  expect(out).toContain('Neither a home nor a service is here.');
  const names = fs.readdirSync(home, { recursive: true, encoding: 'utf8' }).sort();
  expect(names).toEqual(own);
  expect(fs.readFileSync(path.join(home, 'photos/cat.jpg'), 'utf8')).toBe('cat');
  expect(fs.readdirSync(folder).filter((name) => name.startsWith('home'))).toEqual(['home']);
  expect(JSON.parse(viber(['--json']).out)).not.toHaveProperty('home');
  expect(viber(['--delete-home', '--yes'])).toMatchObject({ code: 1 });
  expect(fs.readdirSync(home, { recursive: true, encoding: 'utf8' }).sort()).toEqual(own);
});

test.each(['uninstall-moved', 'uninstall-put-back', 'uninstall-put-back:3'])(
  'killed at %s, it loses none of that, and the next one puts it back',
  async (point) => {
    const { home, folder, viber } = await machine();
    const own = putOwn(home);
    expect(viber(['--delete-home', '--yes'], { OPENVIBER_CRASH_AT: point }).signal).toBe('SIGKILL');
    expect(viber([]).out).toContain('Rest of a deleted home: home.deleting-');
    expect(viber(['--delete-home', '--yes']).code).toBe(0);
    expect(fs.readdirSync(home, { recursive: true, encoding: 'utf8' }).sort()).toEqual(own);
    expect(fs.readdirSync(folder).filter((name) => name.startsWith('home'))).toEqual(['home']);
  },
);

test('killed, and another home made since: what was there comes beside what is there, whatever it is called', async () => {
  const { home, viber } = await machine();
  fs.writeFileSync(path.join(home, 'thesis.txt'), 'first');
  viber(['--delete-home', '--yes'], { OPENVIBER_CRASH_AT: 'uninstall-moved' });
  await openHome(home);
  fs.writeFileSync(path.join(home, 'thesis.txt'), 'second');
  expect(viber(['--delete-home', '--yes']).code).toBe(0);
  expect(fs.readdirSync(home).map((name) => fs.readFileSync(path.join(home, name), 'utf8'))).toEqual([
    ...['second', 'first'],
  ]);
});

test('a home behind a link that something is left in keeps its link', async () => {
  const { home, folder, viber } = await machine();
  fs.writeFileSync(path.join(home, 'thesis.txt'), 'mine');
  fs.renameSync(home, path.join(folder, 'elsewhere'));
  fs.symlinkSync('elsewhere', home);
  expect(viber(['--delete-home', '--yes']).code).toBe(0);
  expect([fs.readlinkSync(home), fs.readdirSync(home)]).toEqual(['elsewhere', ['thesis.txt']]);
});

test('knows every name that a new home has', async () => {
  const { home } = await machine();
  expect(fs.readdirSync(home).filter((name) => !isOwnName(name))).toEqual([]);
});

test('removes a home of a newer format, whole', async () => {
  const { home, viber } = await machine();
  fs.writeFileSync(path.join(home, 'home.json'), '{"format":99}');
  expect(viber(['--delete-home', '--yes']).code).toBe(0);
  expect(fs.existsSync(home)).toBe(false);
});

test('leaves a folder that is around the person’s own alone, also where links lead to that', async () => {
  const { folder, home, viber } = await machine();
  const link = path.join(folder, 'by-link');
  fs.symlinkSync(home, link);
  fs.writeFileSync(path.join(home, 'thesis.txt'), 'mine');
  for (const own of [link, path.join(link, 'agents')])
    expect(viber(['--delete-home', '--yes'], { HOME: own }).err).toContain("isn't the home of a viber alone");
  expect(fs.readFileSync(path.join(home, 'thesis.txt'), 'utf8')).toBe('mine');
});

test('leaves the service of another home alone', async () => {
  const { home, viber, unit, install } = await machine();
  install();
  fs.writeFileSync(unit, `# Home: ${home}2\n`);
  expect(viber(['--service'])).toMatchObject({ code: 0, out: 'No service is installed.\n' });
  expect(fs.existsSync(unit)).toBe(true);
});
