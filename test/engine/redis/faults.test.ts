/** What a server and its processes go through: killed, stopped for too long, cut off. Real processes where it is they that suffer. */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Engine, Lease, Share } from '../../../src/engine/engine.ts';
import { prefixOf } from '../../../src/engine/redis/keys.ts';
import { LeaseLost } from '../../../src/errors.ts';
import { ownTime } from '../../helpers/own-time.ts';
import { startProxy } from '../../helpers/proxy.ts';
import { hasRedis, startRedis, WITHOUT_REDIS } from '../../helpers/redis.ts';
import { shiftedDate } from '../../helpers/shifted-date.ts';
import { claim, redisWorld, redisWorlds } from './world.ts';

const ALEX: Share = { person: 'alex', isOwner: true };

interface Worker {
  child: ChildProcess;
  events: { event: string; about: string }[];
  saw(event: string): string[];
}

async function startWorker(url: string, leaseMs: number, workMs: number): Promise<Worker> {
  const program = path.join(import.meta.dirname, 'worker.ts');
  const child = spawn(process.execPath, [program, url, String(leaseMs), String(workMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const events: Worker['events'] = [];
  createInterface({ input: child.stdout }).on('line', (line) => events.push(JSON.parse(line)));
  const saw = (event: string) => events.filter((each) => each.event === event).map(({ about }) => about);
  await expect.poll(() => saw('ready')).toHaveLength(1);
  return { child, events, saw };
}

async function put(engine: Engine<string>, lane: string, ...messages: string[]): Promise<void> {
  for (const text of messages) await engine.queue.enqueue(lane, text, { by: ALEX, dedupeId: text });
}

/** What was answered, in the order of the answers of each lane. */
async function answers(engine: Engine<string>, count: number): Promise<string[]> {
  const texts: string[] = [];
  while (texts.length < count) {
    const sending = await engine.outbox.claim('');
    if (!sending) break;
    texts.push(sending.entry.message.text);
    await engine.outbox.finish(sending);
  }
  return texts;
}

describe.skipIf(!hasRedis)(`processes on a server${WITHOUT_REDIS}`, () => {
  const createWorld = redisWorlds();

  it('lose nothing that they own when the clock is set forward', async () => {
    const RealDate = Date;
    let shift = 0;
    globalThis.Date = shiftedDate(() => RealDate.now() + shift);
    onTestFinished(() => {
      globalThis.Date = RealDate;
    });
    const engine = await createWorld().open({ leaseMs: 3_000 });
    await put(engine, 'task:a', 'hello');
    const lease = await claim(engine);
    await engine.lock('name', async (fence) => {
      shift = 3_600_000;
      // Beyond what both were given for: they are kept meanwhile.
      await sleep(4_000);
      fence.check();
      lease.check();
      expect([fence.lost.aborted, lease.lost.aborted]).toEqual([false, false]);
    });
    await engine.queue.release(lease);
    expect((await claim(engine)).items.map(({ message, attempts }) => [message, attempts])).toEqual([['hello', 0]]);
  });

  it('go on with the work of one that was killed, and lead in its place', async () => {
    const { url, open } = createWorld();
    const engine = await open({ leaseMs: 1_000 });
    // It finishes nothing, so that it can't be killed between an answer and its end, which another would then repeat.
    const first = await startWorker(url, 1_000, 3_600_000);
    await expect.poll(() => first.saw('leads')).not.toEqual([]);
    const second = await startWorker(url, 1_000, 20);
    const lanes = Array.from({ length: 8 }, (_, n) => `task:${n}`);
    for (const lane of lanes) await put(engine, lane, `${lane} 1`, `${lane} 2`);
    await expect.poll(() => first.saw('took').length).toBeGreaterThan(1);
    first.child.kill('SIGKILL');
    const all = await answers(engine, 16);
    // A busy machine may let its lease lapse, and it leads again.
    await expect.poll(() => second.saw('leads')).not.toEqual([]);
    for (const lane of lanes)
      expect(all.filter((text) => text.startsWith(`${lane} `))).toEqual([`${lane} 1`, `${lane} 2`]);
    await expect.poll(() => engine.queue.stats()).toEqual({ waiting: 0 });
    expect((await engine.outbox.stats()).waiting).toBe(0);
  });

  it('go on at once with the work of one of the same machine that was killed, however long its lease is', async () => {
    const leaseMs = 3_600_000;
    const { url, open } = createWorld();
    const engine = await open({ leaseMs });
    const first = await startWorker(url, leaseMs, 3_600_000);
    await expect.poll(() => first.saw('leads')).toHaveLength(1);
    for (const lane of ['task:a', 'task:b', 'task:c']) await put(engine, lane, lane);
    await expect.poll(() => first.saw('took').length).toBe(3);
    const second = await startWorker(url, leaseMs, 20);
    first.child.kill('SIGKILL');
    expect((await answers(engine, 3)).sort()).toEqual(['task:a', 'task:b', 'task:c']);
    await expect.poll(() => second.saw('leads')).toHaveLength(1);
    await expect.poll(() => engine.queue.stats()).toEqual({ waiting: 0 });
  });

  it('wait for no answer of one that was killed', async () => {
    const leaseMs = 3_600_000;
    const { url, open } = createWorld();
    const engine = await open({ leaseMs });
    const first = await startWorker(url, leaseMs, 3_600_000);
    await put(engine, 'task:a', '1');
    await expect.poll(() => first.saw('took')).toEqual(['1']);
    first.child.kill('SIGKILL');
    const began = ownTime();
    expect(await engine.queue.signal('task:a', 'stop')).toBe(true);
    expect(ownTime() - began).toBeLessThan(4_000);
    expect(await claim(engine)).toMatchObject({ items: [{ message: '1', isStopped: true }] });
  });

  it('leave to one that only hangs what it owns, for as long as its lease lasts', async () => {
    const leaseMs = 3_600_000;
    const { url, open } = createWorld();
    const engine = await open({ leaseMs });
    const first = await startWorker(url, leaseMs, 100);
    await put(engine, 'task:a', '1');
    await expect.poll(() => first.saw('took')).toEqual(['1']);
    first.child.kill('SIGSTOP');
    const second = await startWorker(url, leaseMs, 20);
    await put(engine, 'task:b', '2');
    await expect.poll(() => second.saw('done')).toEqual(['2']);
    // In this time it looks several times at who is there.
    await sleep(2_000);
    expect(second.saw('took')).toEqual(['2']);
    first.child.kill('SIGCONT');
    await expect.poll(() => first.saw('done')).toEqual(['1']);
  });

  it('have one answer to each message, though one of them was stopped for longer than its lease', async () => {
    const { url, open } = createWorld();
    const engine = await open({ leaseMs: 800 });
    const first = await startWorker(url, 800, 300);
    await put(engine, 'task:a', '1');
    await expect.poll(() => first.saw('took')).toEqual(['1']);
    first.child.kill('SIGSTOP');
    const second = await startWorker(url, 800, 300);
    await expect.poll(() => second.saw('took')).toEqual(['1']);
    first.child.kill('SIGCONT');
    await expect.poll(() => first.saw('refused')).toEqual(['1']);
    expect(first.saw('lost')).toEqual(['task:a']);
    expect(await answers(engine, 1)).toEqual(['1']);
    await expect.poll(() => engine.queue.stats()).toEqual({ waiting: 0 });
    expect((await engine.outbox.stats()).waiting).toBe(0);
  });

  it('give up a message that ends each of them, and take no other with it', async () => {
    const { url, open } = createWorld();
    const engine = await open({ leaseMs: 500 });
    await put(engine, 'task:p', 'poison');
    await put(engine, 'task:a', '1');
    for (let n = 0; n < 3; n++) {
      const { child } = await startWorker(url, 500, 50);
      await expect.poll(() => child.signalCode).toBe('SIGKILL');
    }
    const last = await startWorker(url, 500, 50);
    await expect.poll(() => last.saw('dead')).toEqual(['poison']);
    expect(await answers(engine, 1)).toEqual(['1']);
    expect(await engine.queue.deadLetters()).toMatchObject([
      { reason: 'the gateway ended 3 times while working on it' },
    ]);
    await expect.poll(() => engine.queue.stats()).toEqual({ waiting: 0 });
  });

  it('find a lane whose process ended before it could be queued', async () => {
    const engine = await createWorld().open({ waits: { sweepMs: 200 } });
    const about = { id: 'x', kind: 'task', class: 'o', person: 'alex', dedupeId: 'x' };
    await engine.queue.lanes.run('put', 'task:a', about, '"1"', '');
    expect((await claim(engine)).items[0]?.message).toBe('1');
  });

  it('ask the one that owns a lane, at once or where the word is lost within seconds', async () => {
    const world = createWorld({ onError: () => undefined });
    const [owner, other] = [await world.open({ leaseMs: 6_000 }), await world.openSecond({ leaseMs: 6_000 })];
    const asked: string[] = [];
    owner.queue.onSignal((lane, signal) => asked.push(`${lane} ${signal}`) > 0);
    await put(owner, 'task:a', '1');
    const lease = await claim(owner);
    owner.queue.show(lease, { runId: 'r', startedAt: 5 });
    await expect.poll(async () => (await other.queue.look('task:a')).view).toEqual({ runId: 'r', startedAt: 5 });
    const times: number[] = [];
    for (let n = 0; n < 100; n++) {
      const before = performance.now();
      expect(await other.queue.signal('task:a', 'steer')).toBe(true);
      times.push(performance.now() - before);
    }
    expect(asked).toHaveLength(100);
    const heard = times.sort((a, b) => a - b)[50] ?? Number.POSITIVE_INFINITY;
    // Nobody hears anything of anybody any more.
    const client = new Redis(world.url);
    onTestFinished(() => client.disconnect());
    await client.call('ACL', 'SETUSER', 'default', 'resetchannels');
    onTestFinished(() => void client.call('ACL', 'SETUSER', 'default', 'allchannels'));
    // The first is found by the next look, and the second a whole pause between two looks after it: a word needs no look.
    expect(await other.queue.signal('task:a', 'stop')).toBe(true);
    const before = performance.now();
    expect(await other.queue.signal('task:a', 'stop')).toBe(true);
    const found = performance.now() - before;
    expect(heard * 10).toBeLessThan(found);
  });

  it('keep the order and the one owner of a lane, while any of four ends at any time', async () => {
    const world = createWorld();
    const home = await world.open();
    const lanes = Array.from({ length: 12 }, (_, n) => `task:${n}`);
    const finished = new Map(lanes.map((lane): [string, string[]] => [lane, []]));
    const owners = new Map<string, Lease<string>>();
    let twice = 0;
    const loop = async (engine: Engine<string>) => {
      for (let lease = await engine.queue.claim('task:'); lease; lease = await engine.queue.claim('task:')) {
        const before = owners.get(lease.lane);
        if (before && isHeld(before)) twice++;
        owners.set(lease.lane, lease);
        // The work takes its time.
        await sleep(Math.random() * 20);
        try {
          const [item] = lease.items;
          await engine.queue.ack(lease, [item?.id ?? '']);
          owners.delete(lease.lane);
          finished.get(lease.lane)?.push(item?.message ?? '');
        } catch (error) {
          if (!(error instanceof LeaseLost) && !String(error).includes('Connection is closed')) throw error;
        }
      }
    };
    const start = async () => {
      const engine = await world.openSecond();
      for (let n = 0; n < 3; n++) void loop(engine).catch(() => 'it was cut off');
      return engine;
    };
    const engines = await Promise.all([start(), start(), start(), start()]);
    const messages = Array.from({ length: 8 }, (_, n) => String(n));
    await Promise.all(lanes.map((lane) => put(home, lane, ...messages.map((n) => `${lane} ${n}`))));
    for (let n = 0; n < 6; n++) {
      // One of them is cut off now and then.
      await sleep(100);
      const at = Math.floor(Math.random() * 4);
      await engines[at]?.cut();
      engines[at] = await start();
    }
    await expect.poll(() => home.queue.stats()).toEqual({ waiting: 0 });
    expect(twice).toBe(0);
    // What was finished as its owner was cut off is not told of here: nothing comes twice, and nothing out of its order.
    for (const [lane, all] of finished)
      expect(all).toEqual(messages.map((n) => `${lane} ${n}`).filter((text) => all.includes(text)));
  });
});

describe.skipIf(!hasRedis)(`a server that is away${WITHOUT_REDIS}`, () => {
  it('loses nothing when it is killed and comes back, takes nothing in meanwhile, and is seen to be away', async () => {
    const server = await startRedis();
    const engine = await redisWorld(server.url).open({ leaseMs: 6_000 });
    const worker = await startWorker(server.url, 6_000, 20);
    const put1 = (n: number) =>
      engine.queue.enqueue(`task:${n % 10}`, String(n), { by: ALEX, dedupeId: String(n) }).catch(() => 'again');
    const sent = Array.from({ length: 200 }, (_, n) => n);
    const delivering = answers(engine, 200);
    // What goes wrong meanwhile is said where it is waited for.
    delivering.catch(() => undefined);
    const taken = sent.map(async (n) => {
      // They come one after the other.
      await sleep(n * 10);
      // A platform brings again what was not acknowledged.
      while ((await put1(n)) === 'again') await sleep(100);
    });
    // It goes away in the midst of them.
    await sleep(700);
    await server.kill();
    await expect
      .poll(() => engine.ready())
      .toEqual({
        ok: false,
        detail: `the server at 127.0.0.1:${server.port} does not answer`,
      });
    expect((await engine.queue.stats()).waiting).toBeGreaterThanOrEqual(0);
    // It is away for so long.
    await sleep(1_500);
    await server.start();
    await Promise.all(taken);
    const all = await delivering;
    expect(all.map(Number).sort((a, b) => a - b)).toEqual(sent);
    for (let lane = 0; lane < 10; lane++) {
      const order = all.map(Number).filter((n) => n % 10 === lane);
      expect(order).toEqual(order.toSorted((a, b) => a - b));
    }
    expect(await engine.ready()).toEqual({ ok: true });
    expect(worker.saw('error')).toEqual([]);
  });

  it('does not acknowledge what it cannot store', async () => {
    const server = await startRedis();
    const engine = await redisWorld(server.url).open();
    await server.kill();
    const outcome = engine.queue.enqueue('task:a', '1', { by: ALEX, dedupeId: '1' });
    await expect(outcome).rejects.toThrow(`the engine at 127.0.0.1:${server.port} does not answer`);
    await server.start();
  });

  it('takes a lane from whoever is cut off from it, and refuses what comes of that work', async () => {
    const server = await startRedis();
    const proxy = await startProxy(server.port);
    const near = await redisWorld(server.url).open();
    const far = await redisWorld(`redis://127.0.0.1:${proxy.port}`).open();
    await put(near, 'task:a', '1', '2');
    const stale = await claim(far);
    const lost = new Promise((resolve) => stale.lost.addEventListener('abort', resolve));
    // Nothing comes through, and nobody is told.
    proxy.freeze();
    const current = await claim(near);
    expect([current.lane, current.epoch > stale.epoch, current.isAgain]).toEqual(['task:a', true, true]);
    await lost;
    expect(() => stale.check()).toThrow(LeaseLost);
    proxy.cut();
    await expect.poll(() => far.ready()).toEqual({ ok: true });
    await expect(far.queue.ack(stale, [stale.items[0]?.id ?? ''])).rejects.toThrow(LeaseLost);
    await expect(far.queue.extend(stale, () => true)).rejects.toThrow(LeaseLost);
    // Though it believed itself to be the owner.
    const asOwner = { epoch: stale.epoch, ids: [stale.items[0]?.id ?? ''], lane: 'task:a' };
    for (const script of ['finish', 'release', 'waiting', 'take', 'bury'])
      expect((await far.queue.lanes.run(script, 'task:a', asOwner)).what, script).toBe('lost');
    const fence = { key: `${prefixOf(0, 'in')}lane:task:a`, epoch: stale.epoch };
    const late = { lane: '["t"]', id: 'x', message: '{}', by: ALEX, dedupeId: 'x', fence };
    expect((await far.outbox.lanes.put(late)).what).toBe('lost');
    await near.queue.ack(current, [current.items[0]?.id ?? '']);
    expect((await claim(far)).items[0]?.message).toBe('2');
  });

  it('is reached again over sockets that were cut, and nothing is lost', async () => {
    const server = await startRedis();
    const proxy = await startProxy(server.port);
    const engine = await redisWorld(`redis://127.0.0.1:${proxy.port}`).open({ leaseMs: 2_000 });
    const worker = await startWorker(`redis://127.0.0.1:${proxy.port}`, 2_000, 5);
    const sent = Array.from({ length: 60 }, (_, n) => String(n));
    const delivering = answers(engine, 60);
    delivering.catch(() => undefined);
    for (const [at, text] of sent.entries()) {
      if (at % 15 === 7) proxy.cut();
      await put(engine, `task:${at % 3}`, text);
    }
    expect((await delivering).sort((a, b) => Number(a) - Number(b))).toEqual(sent);
    expect(worker.saw('dead')).toEqual([]);
  });
});

function isHeld(lease: Lease<string>): boolean {
  try {
    lease.check();
    return true;
  } catch (error) {
    if (error instanceof LeaseLost) return false;
    throw error;
  }
}
