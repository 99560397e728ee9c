/** `viber mcp`: servers in the configuration, what they offer, and logins from a terminal. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { withEnvFile } from '../../src/config/env-file.ts';
import { run } from '../../src/features/mcp/cli/run.ts';
import { openHome } from '../../src/workspace/home.ts';
import { startOAuth } from '../emulators/mcp-oauth.ts';
import { printed } from '../helpers/cli.ts';
import { PROGRAM } from '../helpers/program.ts';
import { tempFolder } from '../helpers/temp.ts';

const SERVER = path.join(import.meta.dirname, '..', 'fixtures', 'mcp', 'server.mjs');

let home: string;
beforeEach(async () => {
  home = tempFolder();
  await openHome(home);
  fs.writeFileSync(path.join(home, 'config.yaml'), '# mine\nlanguage: en # for all\n');
});

const config = () => fs.readFileSync(path.join(home, 'config.yaml'), 'utf8');
const secrets = () => fs.readFileSync(path.join(home, '.env'), 'utf8');

const viber = (args: string[], values: Record<string, string> = {}, env: NodeJS.ProcessEnv = {}) =>
  printed(run, home, { args, values, env: withEnvFile(env, home) });

test('adds a program, shows its tools, and removes it; what people wrote stays', async () => {
  const added = await viber(['add', 'docs', process.execPath, SERVER]);
  expect(added.text).toContain('docs is connected and has');
  expect(added.text).toMatch(/\n {2}\w+/);
  expect(config()).toMatch(/^# mine\nlanguage: en # for all\nmcp:\n {2}docs:\n {4}command: /);
  await expect(viber(['add', 'docs', 'other'])).rejects.toThrow('There is a server docs already');
  expect((await viber(['list'])).text).toContain('docs is connected');
  await expect(viber(['remove', 'dosc'])).rejects.toThrow('Did you mean docs?');
  expect((await viber(['remove', 'docs'])).text).toContain('Removed docs.');
  expect(config()).toContain('# mine\nlanguage: en # for all\n');
  expect(config()).not.toContain('docs');
  expect((await viber(['list'])).text).toContain('No tool server is set up yet');
});

test('a key in a header and values of variables go into .env, not into the configuration', async () => {
  await viber(['add', 'web', 'http://127.0.0.1:9/mcp'], { header: 'Authorization: Bearer very-secret-key' });
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what stands in the configuration
  expect(config()).toContain('Authorization: Bearer ${MCP_WEB_AUTHORIZATION}');
  expect(config()).not.toContain('very-secret');
  expect(secrets()).toContain('MCP_WEB_AUTHORIZATION=very-secret-key');
  expect(fs.statSync(path.join(home, '.env')).mode & 0o777).toBe(0o600);
  await viber(
    ['add', 'prog', process.execPath, SERVER],
    { env: 'DOCS_KEY' },
    { DOCS_KEY: 'value-of-it', PATH: process.env.PATH },
  );
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what stands in the configuration
  expect(config()).toContain('DOCS_KEY: ${DOCS_KEY}');
  expect(secrets()).toContain('DOCS_KEY=value-of-it');
  for (const name of ['web', 'prog']) await viber(['remove', name]);
  expect(secrets()).not.toMatch(/MCP_WEB|DOCS_KEY/);
});

test('a server that is not there is added, and says why', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  const port = typeof address === 'object' ? address?.port : 0;
  const { text, code } = await viber(['add', 'web', `http://127.0.0.1:${port}/mcp`]);
  expect(text).toContain('nobody listens there');
  expect(code).toBe(0);
  expect((await viber(['list'])).code).toBe(1);
});

test.each<[string[], Record<string, string>, string]>([
  [['add', 'Bad_Name', 'x'], {}, 'expected a name of a-z'],
  [['add', 'docs'], {}, 'Say where docs is'],
  [['add', 'docs', 'https://a.example/mcp', 'more'], {}, 'Give the address alone'],
  [['add', 'docs', 'npx'], { header: 'A: b' }, '--header is for servers at an address'],
  [['add', 'docs', 'https://a.example/mcp'], { env: 'A' }, '--env is for commands'],
  [['add', 'docs', 'https://a.example/mcp'], { header: 'nonsense' }, 'A header is a name'],
  [['add', 'docs', 'npx'], { env: 'NOT_SET_HERE' }, "isn't set here"],
  [['add', 'docs', 'npx'], { transport: 'sse' }, '--transport is http or sse'],
  [['add', 'filesystem'], {}, 'Say which folders'],
  [['add', 'filesystem', '/nowhere/at/all'], {}, 'There is no folder'],
  [['login', 'nobody'], {}, "I can't find a server nobody"],
])('refuses %j %j', async (args, values, why) => {
  await expect(viber(args, values)).rejects.toThrow(why);
  expect(config()).toBe('# mine\nlanguage: en # for all\n');
});

/** Stands in for npm: "installs" the server of the fixtures, and writes down how it was called. */
function withNpm(script: string): NodeJS.ProcessEnv {
  const folder = tempFolder();
  fs.writeFileSync(path.join(folder, 'npm'), `#!/bin/sh\necho "$@" >> ${folder}/calls\n${script}\n`, { mode: 0o755 });
  const { PATH } = process.env;
  process.env.PATH = `${folder}:${PATH}`;
  onTestFinished(() => {
    process.env.PATH = PATH;
  });
  return { calls: path.join(folder, 'calls') };
}

const INSTALLS = `mkdir -p node_modules/@example/docs-server
echo '{"bin":{"other":"x.mjs","docs-server":"bin.mjs"}}' > node_modules/@example/docs-server/package.json
(echo '#!/usr/bin/env node'; echo 'await import("${SERVER}");') > node_modules/@example/docs-server/bin.mjs`;

test('a package with an exact version is installed once, and started without npm from then on', async () => {
  const { calls = '' } = withNpm(INSTALLS);
  const added = await viber(['add', 'docs', 'npx', '-y', '@example/docs-server@1.2.3', '--fast']);
  expect(added.text).toMatch(
    /Installing @example\/docs-server 1\.2\.3\. This can take a minute, once\.\ndocs is connected/,
  );
  expect(config()).toMatch(/command: npx\n {4}args:\n? *\[? *-? ?-y/);
  const listed = await viber(['list']);
  expect(listed.text).toMatch(/^docs is connected/);
  expect(fs.readFileSync(calls, 'utf8').trim().split('\n')).toHaveLength(1);
  // The folder may be deleted at any time.
  fs.rmSync(path.join(home, 'cache/servers'), { recursive: true });
  expect((await viber(['list'])).text).toContain('docs is connected');
  expect(fs.readFileSync(calls, 'utf8').trim().split('\n')).toHaveLength(2);
  // So may a file in it be damaged.
  const folder = path.join(home, 'cache/servers/@example+docs-server@1.2.3/node_modules/@example/docs-server');
  fs.writeFileSync(path.join(folder, 'package.json'), '{"bin":');
  expect((await viber(['list'])).text).toContain('docs is connected');
  expect(fs.readFileSync(calls, 'utf8').trim().split('\n')).toHaveLength(3);
});

test.each([
  ['exit 1', 'npm failed'],
  [
    'echo "npm error code ENOTFOUND" >&2; echo "npm error network request to https://r.example/x failed" >&2; exit 1',
    'request to https://r.example/x failed',
  ],
  ['exit 0', 'has no program'],
])('an install that fails (%s) says why, and leaves nothing', async (script, why) => {
  withNpm(script);
  const { text } = await viber(['add', 'docs', 'npx', '-y', '@example/docs-server@1.2.3']);
  expect(text).toContain(why);
  expect(fs.readdirSync(path.join(home, 'cache/servers'))).toEqual([]);
});

test('two that install the same package at once both start it', async () => {
  withNpm(`sleep 0.2\n${INSTALLS}`);
  fs.appendFileSync(
    path.join(home, 'config.yaml'),
    'mcp:\n  docs: {command: npx, args: [-y, "@example/docs-server@1.2.3"]}\n  more: {command: npx, args: [-y, "@example/docs-server@1.2.3"]}\n',
  );
  expect((await viber(['list'])).text).toMatch(/docs is connected[\s\S]*more is connected/);
  expect(fs.readdirSync(path.join(home, 'cache/servers'))).toEqual(['@example+docs-server@1.2.3']);
});

test('github without a token says in one sentence what is missing', async () => {
  const { text, code } = await viber(['add', 'github']);
  expect(text.split('\n')).toEqual([
    expect.stringContaining('Added github'),
    expect.stringMatching(/^GitHub needs a token: /),
    expect.stringContaining('after a restart'),
  ]);
  expect(code).toBe(0);
});

interface Terminal {
  child: ChildProcess;
  /** Resolves with the match in what it has written. */
  shown(pattern: RegExp): Promise<RegExpExecArray>;
}

function terminal(args: string[]): Terminal {
  const child = spawn(process.execPath, [PROGRAM, ...args, '--home', home], { stdio: ['pipe', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return {
    child,
    async shown(pattern) {
      for (;;) {
        const found = pattern.exec(text);
        if (found) return found;
        if (child.exitCode !== null) throw new Error(`ended without ${pattern}:\n${text}`);
        // It looks now and then.
        await sleep(20);
      }
    },
  };
}

test.each(['pastes the address', 'has the browser on the same machine'])('logs in where the person %s', async (how) => {
  const emulator = await startOAuth();
  onTestFinished(() => emulator.close());
  fs.appendFileSync(path.join(home, 'config.yaml'), `mcp:\n  linear:\n    url: ${emulator.url}\n`);
  expect((await viber(['list'])).text).toContain('linear needs a login: ');
  const { child, shown } = terminal(['mcp', 'login', 'linear']);
  const [link = ''] = await shown(/http:\/\/127\.0\.0\.1:\d+\/authorize\S+/);
  const address = await emulator.allow(link);
  if (how.startsWith('pastes')) {
    child.stdin?.write('http://127.0.0.1/else?state=1&code=2\n');
    await shown(/That isn't the address of this login/);
    child.stdin?.write(`  ${address}\n`);
  } else {
    expect((await fetch(address.replace('state=viber-', 'state=viber-x'))).status).toBe(404);
    expect(await (await fetch(address)).text()).toContain('You can close this page');
  }
  await shown(/linear is connected and has 2 tools/);
  if (child.exitCode === null) await once(child, 'exit');
  expect(child.exitCode).toBe(0);
  expect((await viber(['list'])).text).toContain('linear is connected and has 2 tools');
  await viber(['remove', 'linear']);
  expect(fs.readFileSync(path.join(home, 'access/mcp.json'), 'utf8')).not.toContain(emulator.issued[0]);
});
