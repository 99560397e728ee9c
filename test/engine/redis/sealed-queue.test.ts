/** Messages and answers of several gateways, while somebody else writes to their server. */
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openRedisEngine, type RedisEngine, type RedisEngineOptions } from '../../../src/engine/redis/engine.ts';
import { hasRedis, startRedis, WITHOUT_REDIS } from '../../helpers/redis.ts';

const secret = Buffer.alloc(32, 7);
const by = { person: 'alex', isOwner: true };
const FOREIGN = 'it carries no seal of this home: somebody else put it there';

async function world() {
  const server = await startRedis();
  const open = async (more: Partial<RedisEngineOptions<string>>): Promise<RedisEngine<string>> => {
    const engine = await openRedisEngine<string>({
      ...{ url: server.url, leaseMs: 5_000, shards: 1, replicas: 0, dedupeDays: 1, ...more },
      onDead: () => undefined,
      onError: (error) => {
        throw error;
      },
    });
    onTestFinished(() => engine.close());
    return engine;
  };
  const other = new Redis(server.url);
  onTestFinished(() => other.disconnect());
  return { open, other };
}

/** What is handed out until `last` is. */
async function handedOut({ queue }: RedisEngine<string>, last: string): Promise<string[]> {
  const found: string[] = [];
  while (!found.includes(last)) {
    const lease = await queue.claim('task:');
    if (!lease) break;
    found.push(...lease.items.map(({ message }) => message));
    await queue.ack(
      lease,
      lease.items.map(({ id }) => id),
    );
  }
  return found;
}

const put = ({ queue }: RedisEngine<string>, lane: string, message: string, dedupeId: string) =>
  queue.enqueue(`task:${lane}`, message, { dedupeId, by });

describe.skipIf(!hasRedis)(`what others put on the server${WITHOUT_REDIS}`, () => {
  test('is no message: written anew, changed, moved to another lane, or no JSON at all', async () => {
    const { open, other } = await world();
    const [ours, theirs] = [await open({ secret }), await open({})];
    await put(theirs, 'a', 'forged', 'forged');
    await theirs.cut();
    for (const lane of ['b', 'c', 'd']) await put(ours, lane, `true ${lane}`, `true ${lane}`);
    const items = (await other.keys('*item:*')).toSorted();
    const holding = async (text: string) => {
      for (const key of items) if ((await other.hget(key, 'message')) === JSON.stringify(text)) return key;
      throw new Error(`nothing holds ${text}`);
    };
    await other.hset(await holding('true b'), 'message', '"changed"');
    await other.hset(await holding('true c'), 'message', 'no JSON');
    const [from, to] = [await holding('true d'), await holding('forged')];
    const { message = '', seal = '' } = await other.hgetall(from);
    await other.hset(to, { message, seal });
    await put(ours, 'e', 'last', 'last');
    expect((await handedOut(ours, 'last')).toSorted()).toEqual(['last', 'true d']);
    const dead = async () => (await ours.queue.deadLetters()).map(({ reason }) => reason);
    await expect.poll(dead).toEqual([FOREIGN, FOREIGN, FOREIGN]);
  });

  test('is no answer', async () => {
    const { open } = await world();
    const [ours, theirs] = [await open({ secret }), await open({})];
    const answer = (id: string) => ({ id, address: { channel: 'telegram', conversation: id }, text: id }) as never;
    await theirs.outbox.add(answer('forged'), 't');
    await ours.outbox.add(answer('true'), 't');
    const lease = await ours.outbox.claim('["telegram",');
    expect(lease?.entry.key).toBe('true');
    const dead = async () => (await ours.queue.deadLetters()).map(({ reason }) => reason);
    await expect.poll(dead).toEqual([FOREIGN]);
  });

  test('is ours where an earlier version of this home put it there, at the first start', async () => {
    const { open } = await world();
    const before = await open({});
    await put(before, 'a', 'waits', 'waits');
    await before.cut();
    const ours = await open({ secret });
    await ours.sealOld();
    await put(ours, 'b', 'last', 'last');
    expect((await handedOut(ours, 'last')).toSorted()).toEqual(['last', 'waits']);
    expect(await ours.queue.deadLetters()).toEqual([]);
  });
});
