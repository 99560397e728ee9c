/** Small values of several gateways, while somebody else writes to their server. */
import fs from 'node:fs';
import path from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { homeKey } from '../../../src/app/processes/home-key.ts';
import { openRedisEngine } from '../../../src/engine/redis/engine.ts';
import { hasRedis, startRedis, WITHOUT_REDIS } from '../../helpers/redis.ts';
import { tempFolder } from '../../helpers/temp.ts';

async function world() {
  const server = await startRedis();
  const access = tempFolder();
  const open = async (secret = homeKey(access)) => {
    const engine = await openRedisEngine({
      ...{ url: server.url, leaseMs: 5_000, shards: 1, replicas: 0, dedupeDays: 1, secret },
      ...{ onDead: () => undefined, onError: () => undefined },
    });
    onTestFinished(() => engine.close());
    return engine.state;
  };
  const other = new Redis(server.url);
  onTestFinished(() => other.disconnect());
  const keyOf = (key: string) => `{viber:0}:state:${key}`;
  return { access, open, other, keyOf };
}

test.skipIf(!hasRedis)(
  `a decision or a button that was written there by others is not there${WITHOUT_REDIS}`,
  async () => {
    const { open, other, keyOf } = await world();
    const [one, two] = [await open(), await open()];
    const forged = JSON.stringify({ decision: { verdict: 'approve', by: 'x', name: 'x', at: 'x' } });
    for (const text of [forged, `${'A'.repeat(43)}${forged}`, '', 'x', 'ü'.repeat(43)]) {
      await other.set(keyOf('approval:a'), text);
      expect(await one.get('approval:a'), text).toBeUndefined();
      // It is no first decision either: what a person decides takes its place, once.
      expect(await one.create('approval:a', 'deny')).toBe(true);
      expect(await two.create('approval:a', 'approve')).toBe(false);
      expect(await two.get('approval:a')).toBe('deny');
      await other.del(keyOf('approval:a'));
    }
  },
);

test.skipIf(!hasRedis)(`what was sealed for one name is nothing under another${WITHOUT_REDIS}`, async () => {
  const { open, other, keyOf } = await world();
  const state = await open();
  await state.set('button:a', 'approve');
  await other.set(keyOf('button:b'), (await other.get(keyOf('button:a'))) ?? '');
  expect([await state.get('button:a'), await state.get('button:b')]).toEqual(['approve', undefined]);
  expect(await (await open(Buffer.alloc(32, 1))).get('button:a')).toBeUndefined();
});

test.skipIf(!hasRedis)(`values are changed and counted as ever${WITHOUT_REDIS}`, async () => {
  const { open } = await world();
  const [one, two] = [await open(), await open()];
  expect(await one.cas('a', undefined, '1')).toBe(true);
  expect(await two.cas('a', undefined, '2')).toBe(false);
  expect(await two.cas('a', '1', '2')).toBe(true);
  expect(await one.get('a')).toBe('2');
  await one.add('n', 2);
  expect(await two.add('n', 3)).toBe(5);
  await one.delete('a');
  expect(await two.get('a')).toBeUndefined();
});

test('the key is made once, for its owner alone, and made anew where it is torn', () => {
  const access = tempFolder();
  const key = homeKey(access);
  expect(key).toHaveLength(32);
  expect(homeKey(access)).toEqual(key);
  const file = path.join(access, 'server.key');
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  fs.truncateSync(file, 5);
  expect(homeKey(access)).toHaveLength(32);
  expect(fs.readdirSync(access)).toEqual(['server.key']);
});
