/** An update by git, from a repository beside it, with a stand-in for npm: forward only, and the home stays as it is. */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { comesAfter } from '../../src/cli/published.ts';
import { updateCheckout, updatePackage } from '../../src/cli/update.ts';
import { isAlive } from '../../src/lib/processes.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import { eventually } from '../helpers/eventually.ts';
import { tempFolder, tree } from '../helpers/temp.ts';

const root = path.join(import.meta.dirname, '../..');

/** A folder with a home and a stand-in for npm. */
function machine(options: { npmFails?: string; npmAnswers?: string; npmCode?: number } = {}) {
  const folder = tempFolder();
  const [ours, home, bin] = ['ours', 'home', 'bin'].map((name) => path.join(folder, name)) as [string, string, string];
  const log = path.join(folder, 'npm.log');
  for (const each of [bin, home]) fs.mkdirSync(each);
  fs.writeFileSync(path.join(home, 'config.yaml'), '{}');
  fs.writeFileSync(log, '');
  const failure = options.npmFails === undefined ? '' : `[ "$1" = ${options.npmFails} ] && exit 1\n`;
  fs.writeFileSync(path.join(folder, 'view.json'), options.npmAnswers ?? '');
  const view = `[ "$1" = view ] && { cat "${folder}/view.json"; exit ${options.npmCode ?? 0}; }\n`;
  fs.writeFileSync(path.join(bin, 'npm'), `#!/bin/sh\necho "$PWD: $*" >> "${log}"\n${failure}${view}exit 0\n`, {
    mode: 0o755,
  });
  const env = { ...GIT, PATH: `${bin}:${process.env.PATH}`, HOME: folder };
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const context = (...switches: string[]) => ({
    ...{ home, env, switches: new Set(switches), messages: messagesIn('en'), print },
  });
  const npm = () => fs.readFileSync(log, 'utf8').trim().split('\n').filter(Boolean);
  return { folder, ours, home, bin, env, context, lines, npm };
}

const GIT = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
    ...{ cwd, env: { ...GIT, PATH: process.env.PATH }, encoding: 'utf8', stdio: 'pipe' },
  }).trim();
function commit(cwd: string, text: string): void {
  fs.writeFileSync(path.join(cwd, 'file'), text);
  git(cwd, 'add', '.');
  git(cwd, 'commit', '-m', text);
}

/** Made once, and copied for each test. */
const template = tempFolder(afterAll);
beforeAll(() => {
  const [bare, theirs, ours] = ['bare.git', 'theirs', 'ours'].map((name) => path.join(template, name)) as [
    string,
    string,
    string,
  ];
  git(template, 'init', '--bare', '-b', 'main', bare);
  git(template, 'clone', '-q', bare, theirs);
  git(theirs, 'checkout', '-q', '-B', 'main');
  commit(theirs, 'one');
  git(theirs, 'push', '-q', '-u', 'origin', 'main');
  git(template, 'clone', '-q', bare, ours);
  for (const each of [theirs, ours]) git(each, 'remote', 'set-url', 'origin', '../bare.git');
});

/** A machine with a checkout, and what others publish. */
function checkout(options: Parameters<typeof machine>[0] = {}) {
  const made = machine(options);
  fs.cpSync(template, made.folder, { recursive: true });
  const theirs = path.join(made.folder, 'theirs');
  const publish = (text: string) => {
    commit(theirs, text);
    git(theirs, 'push', '-q');
  };
  return { ...made, publish };
}

test('goes forward, installs, builds, and leaves the home alone', async () => {
  const { ours, home, publish, context, lines, npm } = checkout();
  const before = tree(home);
  expect(await updateCheckout(ours, context())).toBe(0);
  expect([lines.join('\n'), npm()]).toEqual([expect.stringContaining('is up to date with origin/main'), []]);
  publish('two');
  expect(await updateCheckout(ours, context('check'))).toBe(0);
  expect(fs.readFileSync(path.join(ours, 'file'), 'utf8')).toBe('one');
  expect(await updateCheckout(ours, context())).toBe(0);
  expect(fs.readFileSync(path.join(ours, 'file'), 'utf8')).toBe('two');
  expect(npm()).toEqual([`${ours}: ci`, `${ours}: run build`]);
  expect(lines.at(-1)).toContain('viber start');
  expect(tree(home)).toEqual(before);
});

test('has those that run go on as the newer one, and says which cannot', async () => {
  const { ours, home, publish, context, lines } = checkout();
  const program = `process.on('SIGUSR2', () => process.exit(7)); process.stdout.write('up'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  fs.mkdirSync(path.join(home, 'run'));
  const about = { pid: child.pid, startedAt: new Date().toISOString() };
  const note = (more: object) =>
    fs.writeFileSync(path.join(home, 'run/gateway.json'), JSON.stringify({ ...about, ...more }));
  note({});
  publish('two');
  await updateCheckout(ours, context());
  expect(lines.at(-1)).toBe(
    `The running gateway (process ${child.pid}) is still the old version: stop it and start it again.`,
  );
  note({ renewedBy: 'SIGUSR2' });
  publish('three');
  await updateCheckout(ours, context());
  expect(lines.at(-1)).toBe(`The running gateway (process ${child.pid}) continues as the new version in a moment.`);
  expect(await ended).toEqual([7, null]);
  // It is gone by the next time.
  publish('four');
  await updateCheckout(ours, context());
  expect(lines.at(-1)).toBe('Start it with viber start.');
});

test('throws away nothing of ours: changes, commits, a branch that follows none', async () => {
  const { ours, publish, context, npm } = checkout();
  publish('two');
  fs.writeFileSync(path.join(ours, 'file'), 'mine');
  await expect(updateCheckout(ours, context())).rejects.toThrow('has uncommitted changes');
  expect(fs.readFileSync(path.join(ours, 'file'), 'utf8')).toBe('mine');
  commit(ours, 'mine');
  await expect(updateCheckout(ours, context())).rejects.toThrow("has a commit that origin/main doesn't have");
  git(ours, 'checkout', '-q', '-b', 'own');
  await expect(updateCheckout(ours, context())).rejects.toThrow('has no upstream');
  expect(npm()).toEqual([]);
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'told to end by %s, it ends npm and what that started, says how to finish, and the next one finishes',
  async (signal) => {
    const { ours, bin, env, publish, context, lines, npm } = checkout();
    const stand = fs.readFileSync(path.join(bin, 'npm'), 'utf8');
    fs.writeFileSync(path.join(bin, 'npm'), '#!/bin/sh\nsleep 1000 &\necho "started $! $$"\nwait\n');
    publish('two');
    const update = `const { updateCheckout } = await import(${JSON.stringify(path.join(root, 'src/cli/update.ts'))});
      const { messagesIn } = await import(${JSON.stringify(path.join(root, 'src/messages/messages.ts'))});
      const { env } = process;
      process.exitCode = await updateCheckout(${JSON.stringify(ours)}, { home: env.HOME, env, switches: new Set(),
        messages: messagesIn('en'), print: (line) => console.log(line) });`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', update], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let out = '';
    const ended = once(child, 'exit');
    child.stdout.on('data', (chunk) => {
      out += String(chunk);
    });
    const pids = await eventually(() => {
      const found = /started (\d+) (\d+)/.exec(out);
      expect(found).not.toBeNull();
      return found?.slice(1).map(Number) ?? [];
    });
    onTestFinished(() => {
      for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    });
    child.kill(signal);
    expect(await ended).toEqual([128 + os.constants.signals[signal], null]);
    await eventually(() => expect(pids.filter((pid) => isAlive(pid))).toEqual([]));
    expect(out).toContain('Installing packages. This takes about two minutes.');
    expect(out).toContain(`An update was cut off. To finish it, run npm ci && npm run build in ${ours}.`);
    // The script in front of the program says so too, on any Node, while packages are missing.
    fs.copyFileSync(path.join(root, 'viber'), path.join(ours, 'viber'));
    fs.mkdirSync(path.join(ours, 'node_modules'));
    const script = spawnSync(path.join(ours, 'viber'), ['status'], { env, encoding: 'utf8' });
    expect([script.status, script.stderr]).toEqual([1, expect.stringContaining('run npm ci && npm run build in')]);
    fs.writeFileSync(path.join(bin, 'npm'), stand);
    expect(await updateCheckout(ours, context('check'))).toBe(0);
    expect(lines.at(-1)).toContain('An update was cut off.');
    expect(await updateCheckout(ours, context())).toBe(0);
    expect(npm()).toEqual([`${ours}: ci`, `${ours}: run build`]);
    expect(await updateCheckout(ours, context())).toBe(0);
    expect(lines.at(-1)).toContain('is up to date');
  },
);

test('says how to go back where the build fails', async () => {
  const { ours, publish, context, lines } = checkout({ npmFails: 'run' });
  const before = git(ours, 'rev-parse', '--short', 'HEAD');
  publish('two');
  expect(await updateCheckout(ours, context())).toBe(1);
  expect(lines.at(-1)).toContain(`reset --hard ${before}`);
});

/** A package in an own prefix, where npm answers as told. */
function installed(answer: string, code = 0) {
  const { ours, context, lines, npm } = machine({ npmAnswers: answer, npmCode: code });
  const prefix = path.join(ours, 'a prefix');
  const folder = path.join(prefix, 'lib/node_modules/openviber-gateway');
  fs.mkdirSync(folder, { recursive: true });
  return { prefix, update: (...switches: string[]) => updatePackage(folder, context(...switches)), lines, npm };
}
const answer = (version: string, url = 'git+https://github.com/openviber/gateway.git') =>
  JSON.stringify({ version, 'repository.url': url });
const VIEW = expect.stringMatching(/: view openviber-gateway@latest version repository\.url --json$/);

test('a package is updated by npm where it stands, when a newer one is published and it is told to', async () => {
  const { prefix, update, lines, npm } = installed(answer('9.1.2'));
  const command = `install --global --prefix ${prefix} openviber-gateway@9.1.2`;
  expect(await update()).toBe(0);
  expect(lines[0]).toContain(`9.1.2 is published. To update: npm ${command.replace(prefix, `"${prefix}"`)}`);
  expect(await update('check', 'yes')).toBe(0);
  expect(npm()).toEqual([VIEW, VIEW]);
  expect(await update('yes')).toBe(0);
  expect(npm().at(-1)).toBe(`${prefix}: ${command}`);
  const { ours, context } = machine();
  await expect(updatePackage(ours, context())).rejects.toThrow('the way it was installed');
});

test('nothing is offered where it is the newest', async () => {
  const { version } = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, '../../package.json'), 'utf8'));
  for (const published of [version, '0.0.1', `${version}-rc.1`]) {
    const { update, lines, npm } = installed(answer(published));
    expect(await update('yes')).toBe(0);
    expect([lines, npm()]).toEqual([[`viber ${version} is the newest that is published.`], [VIEW]]);
  }
});

test.each(
  // biome-ignore format: a row is a line
  [
    ['that is not published', JSON.stringify({ error: { code: 'E404', summary: 'Not found' } }), 1, "isn't published on npm"],
    ['without a newest version', '', 0, "isn't published on npm"],
    ['of somebody else who has the name', answer('9.9.9', 'git+https://github.com/somebody/else.git'), 0, 'comes from https://github.com/somebody/else'],
    ['without a repository', JSON.stringify({ version: '9.9.9' }), 0, 'comes from ?'],
    ['that nobody can ask for', JSON.stringify({ error: { code: 'ENOTFOUND', summary: 'no network' } }), 1, "npm doesn't say what is published: ENOTFOUND: no network"],
    ['of which npm says what it never says', '[1, 2]', 0, 'npm answered without a version'],
  ],
)('a package %s is not installed', async (_what, said, code, why) => {
  const { update, npm } = installed(said, code);
  await expect(update('yes')).rejects.toThrow(why);
  expect(npm()).toEqual([VIEW]);
});

test.each([
  ['1.2.3', '1.2.2', true],
  ['1.10.0', '1.9.9', true],
  ['1.2.3', '1.2.3', false],
  ['1.2.3', '1.2.3-rc.1', true],
  ['1.2.3-rc.1', '1.2.3', false],
  ['1.2.3-rc.10', '1.2.3-rc.9', true],
  ['1.2.4-rc.1', '1.2.3', true],
  ['0.9.0', '1.0.0', false],
])('%s comes after %s: %s', (a, b, isIt) => {
  expect(comesAfter(a, b)).toBe(isIt);
});
