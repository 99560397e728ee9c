/** What an engine must do that several processes share; each engine here stands for one of them. */

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Engine, FairLimits, Lease, Share } from '../../src/engine/engine.ts';
import { LeaseLost } from '../../src/errors.ts';
import { quiet } from '../kit/quiet.ts';

export interface SharedWorld {
  /** Any number of them, on the same. */
  open(limits?: Record<string, FairLimits>): Promise<Engine<string>>;
}

const ALEX: Share = { person: 'alex', isOwner: true };
const member = (person: string): Share => ({ person, isOwner: false });

async function put({ queue }: Engine<string>, lane: string, by: Share, ...messages: string[]): Promise<void> {
  for (const text of messages) await queue.enqueue(lane, text, { by, dedupeId: text });
}

async function claim({ queue }: Engine<string>): Promise<Lease<string>> {
  const lease = await queue.claim('task:');
  if (!lease) throw new Error('the queue is closed');
  return lease;
}

async function waits(promise: Promise<unknown>): Promise<boolean> {
  return (await Promise.race([promise.then(() => 'over'), quiet().then(() => 'waits')])) === 'waits';
}

/** A machine that is busy for longer than a lease gives the work to another: that one finishes it. */
function lostOnly(error: unknown): false {
  if (error instanceof LeaseLost) return false;
  throw error;
}

export function sharedContract(name: string, createWorld: () => SharedWorld, isFair = true): void {
  describe(`${name}: several processes`, () => {
    it('take an event once between them, and what each takes in another finishes', async () => {
      const world = createWorld();
      const engines = await Promise.all([world.open(), world.open(), world.open()]);
      const slots = Array.from({ length: 300 }, (_, n) => `slot ${n}`);
      const outcomes = await Promise.all(
        engines.flatMap(({ queue }) =>
          slots.map((slot, n) => queue.enqueue(`task:${n % 20}`, slot, { by: ALEX, dedupeId: slot })),
        ),
      );
      expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(300);
      const done: string[] = [];
      const loop = async (engine: Engine<string>) => {
        for (let lease = await engine.queue.claim('task:'); lease; lease = await engine.queue.claim('task:')) {
          const { items } = lease;
          const ids = items.map(({ id }) => id);
          const isDone = await engine.queue.ack(lease, ids).then(() => true, lostOnly);
          if (isDone) done.push(...items.map(({ message }) => message));
        }
      };
      const loops = engines.map(loop);
      await expect.poll(() => done.length).toBe(300);
      expect(done.toSorted()).toEqual(slots.toSorted());
      for (const { queue } of engines) queue.close();
      await Promise.all(loops);
      expect(await engines[1]?.queue.seen('slot 7')).toBe(true);
      expect(await engines[2]?.queue.stats()).toEqual({ waiting: 0 });
    });

    it('have one first, lock and lead between them', async () => {
      const world = createWorld();
      const [a, b] = [await world.open(), await world.open()];
      for (let n = 0; n < 100; n++) {
        const first = await Promise.all([a.state.create(`approval ${n}`, 'a'), b.state.create(`approval ${n}`, 'b')]);
        expect(first.filter(Boolean)).toHaveLength(1);
      }
      await Promise.all([a, b].flatMap(({ state }) => Array.from({ length: 50 }, () => state.add('sum', 1))));
      expect(await a.state.get('sum')).toBe('100');
      let inside = 0;
      let most = 0;
      const work = async () => {
        most = Math.max(most, ++inside);
        // The work takes its time.
        await sleep(5);
        inside--;
      };
      await Promise.all([a, b, a, b].map((engine) => engine.lock('memory', work)));
      expect(most).toBe(1);
      const leading: string[] = [];
      const lead = (who: string, engine: Engine<string>) =>
        engine.lead('poll', async ({ lost }) => {
          leading.push(who);
          await new Promise((resolve) => lost.addEventListener('abort', resolve));
        });
      const stop = lead('a', a);
      await expect.poll(() => leading).toEqual(['a']);
      const stopOther = lead('b', b);
      await stop();
      await expect.poll(() => leading).toEqual(['a', 'b']);
      await stopOther();
    });

    it('tell each other news, and see and stop what another works on', async () => {
      const world = createWorld();
      const [a, b] = [await world.open(), await world.open()];
      const heard: string[] = [];
      b.subscribe('news', (text) => heard.push(text));
      a.publish('news', 'x');
      await expect.poll(() => heard).toEqual(['x']);
      a.queue.onSignal((lane, signal) => (lane === 'task:a' ? signal === 'stop' : undefined));
      await put(a, 'task:a', ALEX, '1', '2');
      const lease = await claim(a);
      expect(await b.queue.look('task:a')).toEqual({ depth: 1, busy: true });
      expect([await b.queue.signal('task:a', 'stop'), await b.queue.signal('task:a', 'steer')]).toEqual([true, false]);
      await a.queue.release(lease);
      // One whose owner has not begun is stopped when it does.
      await put(a, 'task:b', ALEX, '3');
      const others = [await claim(a), await claim(a)];
      const late = others.find(({ lane }) => lane === 'task:b');
      expect([await b.queue.signal('task:b', 'stop'), late?.items[0]?.isStopped]).toEqual([true, true]);
    });

    it.runIf(isFair)('hand out lanes in the turns of people, and to nobody more than their share of all', async () => {
      const world = createWorld();
      const limits = { 'task:': { perPerson: 2, others: 3 } };
      const [a, b] = [await world.open(limits), await world.open(limits)];
      for (let n = 0; n < 6; n++) await put(a, `task:kim${n}`, member('kim'), `kim ${n}`);
      await put(a, 'task:lee', member('lee'), 'lee');
      const first = [await claim(a), await claim(a), await claim(b)];
      expect(first.map(({ items }) => items[0]?.message)).toEqual(['kim 0', 'kim 1', 'lee']);
      const next = b.queue.claim('task:');
      expect(await waits(next)).toBe(true);
      await put(b, 'task:alex', ALEX, 'alex');
      expect((await next)?.lane).toBe('task:alex');
      const [kim] = first as [Lease<string>];
      await a.queue.ack(
        kim,
        kim.items.map(({ id }) => id),
      );
      expect((await claim(b)).lane).toBe('task:kim2');
    });

    it.runIf(isFair)('let nobody wait for all the lanes of somebody else', async () => {
      const world = createWorld();
      const [a, b] = [await world.open(), await world.open()];
      for (let n = 0; n < 40; n++) await put(a, `task:kim${n}`, member('kim'), `kim ${n}`);
      for (let n = 0; n < 3; n++) await put(b, `task:lee${n}`, member('lee'), `lee ${n}`);
      const order: string[] = [];
      for (let n = 0; n < 20; n++) order.push((await claim(n % 2 === 0 ? a : b)).lane);
      const lees = order.flatMap((lane, at) => (lane.startsWith('task:lee') ? [at] : []));
      expect(lees).toHaveLength(3);
      expect(lees[0]).toBeLessThan(10);
    });

    it('keep a place for owners in each of them', async () => {
      const world = createWorld();
      const engine = await world.open({ 'task:': { perPerson: 4, others: 1 } });
      await put(engine, 'task:kim', member('kim'), 'kim');
      await put(engine, 'task:lee', member('lee'), 'lee');
      const kim = await claim(engine);
      const next = engine.queue.claim('task:');
      expect(await waits(next)).toBe(true);
      await put(engine, 'task:alex', ALEX, 'alex');
      expect((await next)?.lane).toBe('task:alex');
      await engine.queue.release(kim);
      // It has waited longer, where one queue tells.
      expect((await claim(engine)).lane).toMatch(isFair ? /lee/ : /lee|kim/);
      expect(() => kim.check()).toThrow(LeaseLost);
    });
  });
}
