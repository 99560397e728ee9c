/**
 * `engine.replicas: 1`: nothing is accepted that a copy has not written, and a copy that is away costs time alone. Runs where the server
 * can be asked for that (Redis 7.2, Valkey 8): `REDIS_SERVER=/path/to/valkey-server`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Engine, Share } from '../../../src/engine/engine.ts';
import { StorageError } from '../../../src/errors.ts';
import { hasCopies, type RedisServer, SAFE, startRedis } from '../../helpers/redis.ts';
import { claim, type RedisWorld, redisWorld } from './world.ts';

const ALEX: Share = { person: 'alex', isOwner: true };

interface Pair {
  primary: RedisServer;
  copy: RedisServer;
  world: RedisWorld;
  errors: unknown[];
}

async function startPair(): Promise<Pair> {
  const primary = await startRedis();
  const copy = await startRedis([...SAFE, '--replicaof', `127.0.0.1 ${primary.port}`]);
  const asked = new Redis(copy.url);
  onTestFinished(() => asked.disconnect());
  await expect.poll(() => asked.info('replication')).toContain('master_link_status:up');
  const errors: unknown[] = [];
  return { primary, copy, errors, world: redisWorld(primary.url, { onError: (error) => void errors.push(error) }) };
}

const put = (engine: Engine<string>, text: string) =>
  engine.queue.enqueue('task:1', text, { by: ALEX, dedupeId: text });

/** What the turns of one engine took, each finished at once. */
function serve(engine: Engine<string>): { took: string[]; again: number } {
  const served = { took: [] as string[], again: 0 };
  const go = async () => {
    for (;;) {
      const lease = await engine.queue.claim('task:');
      if (!lease) return;
      served.took.push(...lease.items.map(({ message }) => message));
      await engine.queue.ack(
        lease,
        lease.items.map(({ id }) => id),
      );
    }
  };
  go().catch(() => undefined);
  return served;
}

describe.skipIf(!hasCopies)(
  'a server with a copy (left out where the server cannot say what a copy has written)',
  () => {
    it('has on the copy whatever was accepted, when it is lost', async () => {
      const { primary, copy, world } = await startPair();
      const engine = await world.open({ replicas: 1 });
      const texts = Array.from({ length: 50 }, (_, n) => `m${n}`);
      await Promise.all(texts.map((text) => put(engine, text)));
      await primary.kill();
      engine.cut();
      const heir = new Redis(copy.url);
      await heir.replicaof('NO', 'ONE');
      heir.disconnect();
      const next = await redisWorld(copy.url).open();
      const { took } = serve(next);
      await expect.poll(() => took.length).toBe(50);
      expect(new Set(took)).toEqual(new Set(texts));
    });

    it('accepts nothing while the copy is away, not even what it has been given again, and goes on with it then', async () => {
      const { copy, world, errors } = await startPair();
      const engine = await world.open({ replicas: 1 });
      await put(engine, 'before');
      process.kill(copy.pid, 'SIGSTOP');
      await expect(put(engine, 'in it')).rejects.toThrow(StorageError);
      // The platform gives it again, to another connection: known to the server, and on no copy yet.
      const second = await world.openSecond({ replicas: 1 });
      await expect(put(second, 'in it')).rejects.toThrow(StorageError);
      process.kill(copy.pid, 'SIGCONT');
      await expect.poll(() => put(engine, 'in it').catch(() => 'not yet')).toBe('duplicate');
      const { took } = serve(engine);
      await expect.poll(() => took).toEqual(['before', 'in it']);
      expect(errors.filter((error) => !(error instanceof StorageError))).toEqual([]);
    });

    it('does not take an absence of the copy for crashes of the worker', async () => {
      const { copy, world } = await startPair();
      const dead: unknown[] = [];
      const engine = await world.open({ replicas: 1, onDead: (...item) => void dead.push(item) });
      await put(engine, 'hello');
      process.kill(copy.pid, 'SIGSTOP');
      const taken = claim(engine);
      // The copy is away for longer than a lease.
      await sleep(8_000);
      process.kill(copy.pid, 'SIGCONT');
      const lease = await taken;
      expect(lease.items.map(({ message, attempts }) => ({ message, attempts }))).toEqual([
        { message: 'hello', attempts: 0 },
      ]);
      await engine.queue.ack(
        lease,
        lease.items.map(({ id }) => id),
      );
      expect(dead).toEqual([]);
      expect(await engine.queue.stats()).toEqual({ waiting: 0 });
    });

    it('sends nothing whose intent is on no copy, and sends it once when it is', async () => {
      const { copy, world } = await startPair();
      const engine = await world.open({ replicas: 1 });
      const address = { channel: 'telegram', account: 'bot', chat: 'c1' };
      await engine.outbox.add({ id: 'a1', address, text: 'hello', files: [] }, 'trace');
      const sending = await engine.outbox.claim('');
      if (!sending) throw new Error('the outbox is closed');
      process.kill(copy.pid, 'SIGSTOP');
      await expect(engine.outbox.intent(sending, 0)).rejects.toThrow(StorageError);
      await engine.outbox.release(sending);
      process.kill(copy.pid, 'SIGCONT');
      const next = await engine.outbox.claim('');
      if (!next) throw new Error('the outbox is closed');
      await engine.outbox.intent(next, 0);
      await engine.outbox.outcome(next, 0, 'sent', 'm1');
      await engine.outbox.finish(next);
      expect(await engine.outbox.stats()).toMatchObject({ waiting: 0, unsure: 0, dead: 0 });
    });
  },
);
