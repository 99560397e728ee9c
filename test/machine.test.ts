/** What the tests may not lean on: the default port, somebody's home, settings of git, npm or the desktop. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { defaults } from './helpers/defaults.ts';
import { tempFolder } from './helpers/temp.ts';

it('no test can listen on the default port', async () => {
  const server = createServer().listen(defaults.http.port, defaults.http.host);
  await expect(once(server, 'listening')).rejects.toThrow('EADDRINUSE');
});

it('no test finds a home, and nobody can make it', () => {
  expect(() => fs.readdirSync(os.homedir())).toThrow('ENOTDIR');
  expect(() => fs.mkdirSync(path.join(os.homedir(), '.openviber'), { recursive: true })).toThrow('ENOTDIR');
});

it('no test has an identity of git, or what npm and the desktop tell their children', () => {
  const folder = tempFolder();
  execFileSync('git', ['init', '-q'], { cwd: folder });
  expect(() => execFileSync('git', ['config', 'user.name'], { cwd: folder, stdio: 'ignore' })).toThrow(
    'Command failed',
  );
  expect(Object.keys(process.env).filter((name) => /^(npm_|XDG_)/i.test(name))).toEqual([]);
});
