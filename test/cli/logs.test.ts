/** `viber logs`: of a running gateway, which keeps its lines, and of a service, with a stand-in for its supervisor. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../../src/cli/logs.ts';
import { UNIT_NAME } from '../../src/cli/service/files.ts';
import { linesAfter } from '../../src/features/board/log-lines.ts';
import { createLog } from '../../src/log.ts';
import type { RunningGateway } from '../../src/runtime/contract/cli.ts';
import { printed } from '../helpers/cli.ts';
import { tempFolder } from '../helpers/temp.ts';

interface Asked {
  home?: string;
  values?: Record<string, string>;
  switches?: string[];
  json?: boolean;
  env?: NodeJS.ProcessEnv;
  gateway?: Partial<RunningGateway>;
  onLine?: (line: string) => void;
}

async function logs({ home = tempFolder(), values = {}, switches = [], json = false, env, gateway, onLine }: Asked) {
  const asked = { values, switches: new Set(switches), json, env: env ?? { HOME: home, XDG_CONFIG_HOME: home } };
  const services = { gateway: async () => gateway as RunningGateway | undefined };
  return printed(run, home, { ...asked, ...(onLine && { print: onLine }) }, services);
}

const running: Partial<RunningGateway> = { request: async (name, asked) => (name === 'logs' ? linesAfter(asked) : {}) };

test('shows the newest lines of a running gateway, from a level on, without secrets', async () => {
  const log = createLog({ level: 'debug', pretty: false, write: () => undefined });
  log.info('first');
  log.warn({ chat: 1 }, 'second 123456:abcdefghijklmnopqrstuvwxyzabcdefgh');
  log.error('third');
  log.debug('fourth');
  const { code, lines } = await logs({ values: { lines: '3' }, gateway: running });
  expect(code).toBe(0);
  expect(lines).toEqual([
    expect.stringMatching(/^\d\d:\d\d:\d\d warn second \[secret\] {2}chat=1$/),
    expect.stringMatching(/ error third$/),
    expect.stringMatching(/ debug fourth$/),
  ]);
  const warnings = await logs({ values: { lines: '1', level: 'warn' }, gateway: running, json: true });
  expect(warnings.lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 50, msg: 'third' }),
  ]);
  expect((await logs({ values: { lines: '0' }, gateway: running })).lines).toEqual([]);
});

test('goes on with what comes, over a restart, until the gateway has ended', async () => {
  const answers = [
    { lines: [{ at: 7, text: '{"level":30,"time":0,"msg":"before"}' }], next: 8 },
    { lines: [], next: 8 },
    // It has begun anew.
    { lines: [], next: 1 },
    { lines: [{ at: 0, text: '{"level":30,"time":0,"msg":"after"}' }], next: 1 },
  ];
  let isOver = false;
  const gateway: Partial<RunningGateway> = {
    async request(_name, asked) {
      const answer = answers.shift();
      if (!answer) throw Object.assign(new Error('gone'), { code: 'ECONNREFUSED', asked });
      isOver = answers.length === 0;
      return answer;
    },
  };
  const seen: string[] = [];
  const both = Promise.withResolvers<void>();
  void logs({
    switches: ['follow'],
    gateway,
    onLine(line) {
      seen.push(line);
      if (seen.length === 2) both.resolve();
    },
  });
  await both.promise;
  expect(isOver).toBe(true);
  expect(seen).toEqual(['00:00:00 info before', '00:00:00 info after']);
});

test('reads the log of the service of this home, and leaves out what is below the level', async () => {
  const home = tempFolder();
  const bin = path.join(home, 'bin');
  fs.mkdirSync(bin);
  fs.mkdirSync(path.join(home, 'systemd/user'), { recursive: true });
  fs.writeFileSync(path.join(home, 'systemd/user', UNIT_NAME), `# Home: ${home}\n`);
  const written = [
    '{"level":30,"time":0,"msg":"one"}',
    'a crash of Node',
    '{"level":50,"time":0,"msg":"two"}',
    '{"level":30,"time":0,"msg":"three"}',
  ];
  fs.writeFileSync(
    path.join(bin, 'journalctl'),
    `#!/bin/sh\necho "$*" > ${home}/asked\ncat <<'END'\n${written.join('\n')}\nEND\n`,
    { mode: 0o755 },
  );
  const before = process.env.PATH;
  process.env.PATH = `${bin}:${before}`;
  onTestFinished(() => {
    process.env.PATH = before;
  });
  if (process.platform !== 'linux') return;
  expect((await logs({ home, values: { level: 'error' } })).lines).toEqual(['a crash of Node', '00:00:00 error two']);
  expect((await logs({ home, values: { lines: '1' } })).lines).toEqual(['00:00:00 info three']);
  expect(fs.readFileSync(path.join(home, 'asked'), 'utf8')).toContain('--lines=1');
  const followed = await logs({ home, switches: ['follow'], json: true });
  expect(followed.lines).toHaveLength(4);
  expect(fs.readFileSync(path.join(home, 'asked'), 'utf8')).toContain('--follow');
});

test('says what to do where there is neither, and which levels and numbers there are', async () => {
  const { code, lines } = await logs({});
  expect([code, lines]).toEqual([1, [expect.stringMatching(/^Neither a service.*viber start/)]]);
  await expect(logs({ values: { level: 'loud' } })).rejects.toThrow(
    'trace, debug, info, warn, error, fatal, not "loud"',
  );
  for (const many of ['-1', 'x', '1.5', '1000000'])
    await expect(logs({ values: { lines: many } })).rejects.toThrow('a number up to 100,000');
});
