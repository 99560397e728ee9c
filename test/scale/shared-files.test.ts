/** What two processes write at once into the same files of the home: nobody's line is lost. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openConversationSettings, openConversations } from '../../src/runtime/conversations/conversations.ts';
import { hasRedis, startRedis, WITHOUT_REDIS } from '../helpers/redis.ts';
import { tempFolder } from '../helpers/temp.ts';

const WRITER = path.join(import.meta.dirname, 'writer.ts');
const NAMES = ['one', 'two'];
const EACH = 100;

async function writer(...args: string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [WRITER, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

it.runIf(hasRedis)(`200 changes of two processes at once are all there${WITHOUT_REDIS}`, async () => {
  const redis = await startRedis();
  const root = tempFolder();
  fs.mkdirSync(path.join(root, 'access'));
  const children = await Promise.all(NAMES.map((name) => writer(root, redis.url, name, String(EACH))));
  const ends = children.map((child) => once(child, 'exit'));
  for (const child of children) child.stdin?.write('go\n');
  expect((await Promise.all(ends)).map(([code]) => code)).toEqual([0, 0]);

  const users = NAMES.flatMap((name) => Array.from({ length: EACH }, (_, n) => `${name}-${n}`)).toSorted();
  const read = (...file: string[]) => JSON.parse(fs.readFileSync(path.join(root, ...file), 'utf8'));
  const keys = (...file: string[]) => Object.keys(read(...file)).toSorted();
  const identities = users.map((user) => `telegram:${user}`);
  expect(keys('access', 'owners.json')).toEqual(identities);
  expect(keys('access', 'languages.json')).toEqual(identities);
  for (const file of ['zones.json', 'zones-asked.json']) expect(keys('access', file)).toHaveLength(users.length);
  expect(keys('slack.json')).toEqual(users);
  const asked: { who: string }[] = read('expected.json');
  expect(asked.map(({ who }) => who).toSorted()).toEqual(users);
  const bound = openConversations(root);
  const ofTasks = [0, 1, 2, 3].flatMap((n) => bound.bound(`20260101-aaaa${n}`).map(({ key }) => key));
  expect(ofTasks.toSorted()).toEqual(users);
  const chosen = openConversationSettings(path.join(root, 'settings'), () => ({}));
  for (let n = 0; n < EACH; n++)
    expect(chosen.get({ channel: 'telegram', account: '1', chat: String(n) })).toEqual({
      live: 'off',
      queue: 'collect',
    });
});
