/**
 * What every engine must do, whatever it is made of. Engines bring a world: where it opens one on what the last one left, and where it
 * ends one as a crash does. Nothing here knows a file, a clock of its own or a second machine.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { OutboundMessage } from '../../src/channels/channel.ts';
import { MAX_CRASHES_ANSWERED } from '../../src/engine/crashes.ts';
import { type Engine, type Lease, type OutboxLease, type Share, spoolKey } from '../../src/engine/engine.ts';
import { LeaseLost } from '../../src/errors.ts';
import { quiet } from '../kit/quiet.ts';

export interface EngineWorld {
  /** On what is there; one at a time. */
  open(): Promise<Engine<string>>;
  /** Ends the open one at once: nothing is handed back, and nothing that it does from now on counts. */
  crash(): Promise<void>;
}

const ALEX: Share = { person: 'alex', isOwner: true };
const texts = (lease: Lease<string>) => lease.items.map((item) => item.message);
const ids = (lease: Lease<string>) => lease.items.map((item) => item.id);

async function put({ queue }: Engine<string>, lane: string, ...messages: string[]): Promise<void> {
  for (const text of messages) await queue.enqueue(lane, text, { by: ALEX, dedupeId: text });
}

async function claim({ queue }: Engine<string>, kind = 'task:'): Promise<Lease<string>> {
  const lease = await queue.claim(kind);
  if (!lease) throw new Error('the queue is closed');
  return lease;
}

async function finish(engine: Engine<string>, kind?: string): Promise<string[]> {
  const lease = await claim(engine, kind);
  await engine.queue.ack(lease, ids(lease));
  return texts(lease);
}

const answer = (id: string, chat = 'c1'): OutboundMessage => ({
  ...{ id, address: { channel: 'telegram', account: 'bot', chat }, text: `text of ${id}`, files: [] },
});

async function send({ outbox }: Engine<string>): Promise<OutboxLease> {
  const lease = await outbox.claim('');
  if (!lease) throw new Error('the outbox is closed');
  return lease;
}

/** Whether it is still waiting after what is due at once has been done. */
async function waits(promise: Promise<unknown>): Promise<boolean> {
  return (await Promise.race([promise.then(() => 'over'), quiet().then(() => 'waits')])) === 'waits';
}

export interface WorldOptions {
  /** Otherwise an error that only the engine hears of fails the test. */
  onError?: (error: unknown) => void;
  /** Whether the work on a message has its result; false unless told. */
  hasResult?: (message: string) => boolean;
}

export function engineContract(name: string, createWorld: (options?: WorldOptions) => EngineWorld): void {
  describe(`${name}: the queue`, () => {
    it('has a message durably when it says so', async () => {
      const world = createWorld();
      await put(await world.open(), 'task:a', '1');
      await world.crash();
      expect(texts(await claim(await world.open()))).toEqual(['1']);
    });

    it('tells its owner once a message is durable, and refuses whoever does not own it any more', async () => {
      const engine = await createWorld().open();
      await put(engine, 'task:a', '1');
      const lease = await claim(engine);
      await lease.stored();
      await engine.queue.release(lease);
      await expect(lease.stored()).rejects.toThrow(LeaseLost);
    });

    it('takes an event once: at the same time, while it waits, in work, finished, and after a start', async () => {
      const world = createWorld();
      const first = await world.open();
      const take = ({ queue }: Engine<string>) => queue.enqueue('task:a', '1', { by: ALEX, dedupeId: 'e1' });
      expect(await first.queue.seen('e1')).toBe(false);
      expect((await Promise.all([take(first), take(first)])).sort()).toEqual(['accepted', 'duplicate']);
      expect(await first.queue.seen('e1')).toBe(true);
      const lease = await claim(first);
      expect(await take(first)).toBe('duplicate');
      await first.queue.ack(lease, ids(lease));
      expect(await take(first)).toBe('duplicate');
      await first.close();
      const second = await world.open();
      expect([await take(second), await second.queue.seen('e1')]).toEqual(['duplicate', true]);
    });

    it('keeps the order of a lane and gives it to one owner; other lanes do not wait', async () => {
      const engine = await createWorld().open();
      await put(engine, 'task:a', '1', '2');
      await put(engine, 'task:b', '3');
      const a = await claim(engine);
      expect([texts(a), texts(await claim(engine))]).toEqual([['1'], ['3']]);
      const next = engine.queue.claim('task:');
      expect(await waits(next)).toBe(true);
      await engine.queue.ack(a, ids(a));
      expect(texts((await next) as Lease<string>)).toEqual(['2']);
    });

    it('gives lanes of a kind to those who ask for that kind', async () => {
      const engine = await createWorld().open();
      const command = engine.queue.claim('chat:');
      await put(engine, 'task:a', 'message');
      expect(await waits(command)).toBe(true);
      await put(engine, 'chat:a', 'command');
      expect(texts((await command) as Lease<string>)).toEqual(['command']);
    });

    it('hands out what one source has sent in the order in which it was sent, however it was stored', async () => {
      const world = createWorld();
      const engine = await world.open();
      const from = (source: string, at: number) =>
        engine.queue.enqueue('task:a', `${source}${at}`, {
          ...{ by: ALEX, dedupeId: `${source}${at}`, orderKey: { source, at } },
        });
      await put(engine, 'task:a', 'in work');
      const working = await claim(engine);
      for (const at of [30, 10]) await from('x', at);
      await put(engine, 'task:a', 'by arrival');
      await from('y', 5);
      for (const at of [20, 40]) await from('x', at);
      await engine.queue.ack(working, ids(working));
      const first = await claim(engine);
      expect(texts(first)).toEqual(['x10']);
      await engine.queue.release(first);
      const order: string[] = [];
      for (let n = 0; n < 3; n++) order.push(...(await finish(engine)));
      await engine.close();
      const after = await world.open();
      for (let n = 0; n < 3; n++) order.push(...(await finish(after)));
      expect(order).toEqual(['x10', 'x20', 'x30', 'by arrival', 'y5', 'x40']);
    });

    it('refuses what there is no place for, and knows a duplicate all the same', async () => {
      const engine = await createWorld().open();
      const take = (id: string) => engine.queue.enqueue('task:a', id, { by: ALEX, dedupeId: id, maxDepth: 2 });
      const outcomes = await Promise.all(['1', '2', '3'].map(take));
      expect([...outcomes, await take('1')]).toEqual(['accepted', 'accepted', 'full', 'duplicate']);
      await finish(engine);
      expect(await take('3')).toBe('accepted');
    });

    it('hands out neighbours of a group together, once their time has come', async () => {
      const engine = await createWorld().open();
      const notBefore = Date.now() + 80;
      for (const id of ['1', '2'])
        await engine.queue.enqueue('task:a', id, { by: ALEX, dedupeId: id, group: 'g', notBefore });
      await put(engine, 'task:a', '3');
      const lease = await claim(engine);
      expect([texts(lease), Date.now() >= notBefore - 2]).toEqual([['1', '2'], true]);
    });

    it('lets the owner take more of its lane, past others, and hands back what is not finished', async () => {
      const engine = await createWorld().open();
      await put(engine, 'task:a', '1', '2', '3');
      const lease = await claim(engine);
      const taken = await engine.queue.extend(lease, ({ message }) => message === '3');
      expect(taken.map(({ message }) => message)).toEqual(['3']);
      expect(await engine.queue.extend(lease, ({ message }) => message === '3')).toEqual([]);
      await engine.queue.ack(lease, [spoolKey('3')]);
      await engine.queue.release(lease);
      expect([await finish(engine), await finish(engine)]).toEqual([['1'], ['2']]);
      expect(await engine.queue.stats()).toEqual({ waiting: 0 });
    });

    it('gives a lane that was handed back when it is due again', async () => {
      const engine = await createWorld().open();
      await put(engine, 'task:a', '1');
      const retryAt = Date.now() + 80;
      await engine.queue.release(await claim(engine), { retryAt });
      const again = await claim(engine);
      expect([Date.now() >= retryAt - 2, again.items[0]?.attempts]).toEqual([true, 0]);
    });

    it('lets nobody change anything who has lost the lane', async () => {
      const engine = await createWorld().open();
      const { queue, outbox } = engine;
      await put(engine, 'task:a', '1', '2');
      const stale = await claim(engine);
      expect([stale.check(), stale.lost.aborted]).toEqual([undefined, false]);
      await queue.release(stale);
      const current = await claim(engine);
      expect(current.epoch).toBeGreaterThan(stale.epoch);
      expect(() => stale.check()).toThrow(LeaseLost);
      await expect(queue.ack(stale, ids(stale))).rejects.toThrow(LeaseLost);
      await expect(queue.extend(stale, () => true)).rejects.toThrow(LeaseLost);
      await expect(outbox.add(answer('late'), 't', { fence: stale })).rejects.toThrow(LeaseLost);
      expect((await outbox.stats()).waiting).toBe(0);
      // There is nothing to hand back: its owner keeps it.
      await queue.release(stale);
      expect(await queue.look('task:a')).toMatchObject({ busy: true, depth: 1 });
      await outbox.add(answer('in time'), 't', { fence: current });
      await queue.ack(current, ids(current));
      expect(await finish(engine)).toEqual(['2']);
    });

    it('calls again what was in work before, after a crash too, and not what only waited', async () => {
      const world = createWorld();
      let engine = await world.open();
      await put(engine, 'task:waited', 'waited');
      await engine.close();
      engine = await world.open();
      const waited = await claim(engine);
      expect([texts(waited), waited.isAgain]).toEqual([['waited'], false]);
      // Handed back by an orderly end: the next owner must look at what it left.
      await engine.queue.release(waited);
      await put(engine, 'task:new', 'new');
      await engine.close();
      engine = await world.open();
      const found = new Map<string, boolean>();
      for (let n = 0; n < 2; n++) {
        const lease = await claim(engine);
        found.set(lease.lane, lease.isAgain);
      }
      expect(found).toEqual(
        new Map([
          ['task:waited', true],
          ['task:new', false],
        ]),
      );
      await world.crash();
      engine = await world.open();
      const again = await claim(engine);
      expect([again.isAgain, again.items[0]?.attempts]).toEqual([true, 1]);
    });

    it.each([
      ['after its third crash', 3, []],
      ['whose run has its result, after its fifth', MAX_CRASHES_ANSWERED, ['result']],
      ['whose answer is on its way, after its fifth', MAX_CRASHES_ANSWERED, ['waits']],
      ['whose answer was sent, after its fifth', MAX_CRASHES_ANSWERED, ['waits', 'sent']],
    ])('gives up a message %s, once', async (_what, crashes, answered) => {
      const world = createWorld({ hasResult: (message) => message === 'poison' && answered.includes('result') });
      let engine = await world.open();
      await put(engine, 'task:a', 'poison', 'next');
      const id = spoolKey('poison');
      if (answered.includes('waits')) await engine.outbox.add(answer(id), 't');
      if (answered.includes('sent')) await engine.outbox.finish(await send(engine));
      for (let crash = 0; crash < crashes; crash++) {
        const lease = await claim(engine);
        expect([texts(lease), lease.items[0]?.attempts]).toEqual([['poison'], crash]);
        await world.crash();
        engine = await world.open();
      }
      expect(await finish(engine)).toEqual(['next']);
      const reason = `the gateway ended ${crashes} times while working on it`;
      expect(await engine.queue.deadLetters()).toMatchObject([{ id, reason }]);
    });

    it('begins again side by side what one crash has cut, and gives up the guilty one alone', async () => {
      const world = createWorld();
      let engine = await world.open();
      const lanes = ['a', 'b', 'c', 'd', 'e', 'poison'];
      for (const lane of lanes) await put(engine, `task:${lane}`, lane);
      for (const attempts of [0, 1]) {
        const all: Awaited<ReturnType<typeof claim>>[] = [];
        for (const _lane of lanes) all.push(await claim(engine));
        expect(all.flatMap(texts).sort()).toEqual(lanes);
        expect(all.map(({ items }) => items[0]?.attempts)).toEqual(lanes.map(() => attempts));
        await world.crash();
        engine = await world.open();
      }
      const done: string[] = [];
      for (let lease = await claim(engine); ; lease = await claim(engine)) {
        if (texts(lease).includes('poison')) break;
        done.push(...texts(lease));
        await engine.queue.ack(lease, ids(lease));
      }
      await world.crash();
      engine = await world.open();
      // Behind it in its lane: it is judged before.
      await put(engine, 'task:poison', 'z');
      while (done.length < lanes.length) done.push(...(await finish(engine)));
      expect(done.sort()).toEqual([...lanes.filter((lane) => lane !== 'poison'), 'z']);
      expect(await engine.queue.deadLetters()).toMatchObject([{ id: spoolKey('poison') }]);
    });

    it('asks the owner of a lane', async () => {
      const engine = await createWorld().open();
      const { queue } = engine;
      const asked: string[] = [];
      queue.onSignal((lane, signal) => {
        asked.push(`${lane} ${signal}`);
        return signal !== 'stop';
      });
      expect(await queue.signal('task:none', 'stop')).toBe(false);
      await put(engine, 'task:a', '1');
      expect(await queue.signal('task:a', 'steer')).toBe(false);
      await claim(engine);
      const answers = [await queue.signal('task:a', 'steer'), await queue.signal('task:a', 'stop')];
      expect([answers, asked]).toEqual([
        [true, false],
        ['task:a steer', 'task:a stop'],
      ]);
    });

    it('stops what waits, and nothing that comes later, also when it is started anew', async () => {
      const world = createWorld();
      let engine = await world.open();
      await put(engine, 'task:a', '1', '2');
      expect(await engine.queue.signal('task:a', 'stop')).toBe(true);
      expect(await engine.queue.look('task:a')).toEqual({ depth: 0, stopped: 2, busy: false });
      await put(engine, 'task:a', '3');
      expect(await engine.queue.look('task:a')).toEqual({ depth: 1, stopped: 2, busy: false });
      const all = async () => {
        const lease = await claim(engine);
        const items = [...lease.items, ...(await engine.queue.extend(lease, () => true))];
        return { lease, marks: items.map(({ message, isStopped = false }) => `${message} ${isStopped}`) };
      };
      const first = await all();
      expect(first.marks).toEqual(['1 true', '2 true', '3 false']);
      expect(await engine.queue.look('task:a')).toEqual({ depth: 0, busy: true });
      await engine.queue.release(first.lease);
      await world.crash();
      engine = await world.open();
      const again = await all();
      expect(again.marks).toEqual(['1 true', '2 true', '3 false']);
      await engine.queue.ack(again.lease, [spoolKey('1'), spoolKey('2')]);
      await engine.queue.release(again.lease);
      expect(await engine.queue.look('task:a')).toEqual({ depth: 1, busy: false });
      expect((await all()).marks).toEqual(['3 false']);
    });

    it('stops only what came in before something, by the count of its source where both have one', async () => {
      const engine = await createWorld().open();
      const { queue } = engine;
      const orderKey = (at: number) => ({ source: 'chat', at });
      await queue.enqueue('task:a', '1', { by: ALEX, dedupeId: '1', orderKey: orderKey(1) });
      await queue.enqueue('task:a', '3', { by: ALEX, dedupeId: '3', orderKey: orderKey(3) });
      await put(engine, 'task:a', 'elsewhere');
      const [, last] = await queue.unfinished();
      const before = { seq: (last?.seq ?? 0) + 1, orderKey: orderKey(2) };
      expect(await queue.signal('task:none', 'stop', before)).toBe(false);
      expect(await queue.signal('task:a', 'stop', { ...before, orderKey: orderKey(0), seq: 0 })).toBe(false);
      expect(await queue.signal('task:a', 'stop', before)).toBe(true);
      expect(await queue.look('task:a')).toEqual({ depth: 2, stopped: 1, busy: false });
      const lease = await claim(engine);
      const items = [...lease.items, ...(await queue.extend(lease, () => true))];
      expect(items.map(({ message, isStopped = false }) => `${message} ${isStopped}`)).toEqual([
        ...['1 true', '3 false', 'elsewhere false'],
      ]);
    });

    it('stops what was handed out to an owner that has not begun', async () => {
      const engine = await createWorld().open();
      const { queue } = engine;
      queue.onSignal(() => undefined);
      await put(engine, 'task:a', '1', '2');
      const lease = await claim(engine);
      expect([lease.items[0]?.isStopped, await queue.signal('task:a', 'stop')]).toEqual([undefined, true]);
      expect(lease.items[0]?.isStopped).toBe(true);
      expect((await queue.extend(lease, () => true)).map(({ isStopped }) => isStopped)).toEqual([true]);
      await queue.release(lease);
      expect((await claim(engine)).items[0]?.isStopped).toBe(true);
    });

    it('shows how a lane stands', async () => {
      const engine = await createWorld().open();
      const { queue } = engine;
      expect(await queue.look('task:a')).toEqual({ depth: 0, busy: false });
      await put(engine, 'task:a', '1', '2');
      expect(await queue.look('task:a')).toEqual({ depth: 2, busy: false });
      const lease = await claim(engine);
      queue.show(lease, { runId: 'r', startedAt: 1, tool: 'read' });
      const view = { runId: 'r', startedAt: 1, tool: 'read' };
      await expect.poll(() => queue.look('task:a')).toEqual({ depth: 1, busy: true, view });
      expect(await queue.stats()).toMatchObject({ waiting: 2, oldest: expect.any(Number) });
      expect((await queue.unfinished()).map(({ message }) => message)).toEqual(['1', '2']);
      await queue.release(lease);
      queue.show(lease, view);
      expect(await queue.look('task:a')).toEqual({ depth: 2, busy: false });
    });

    it('keeps what was given up, with the reason, until it was acknowledged and after', async () => {
      const world = createWorld();
      let engine = await world.open();
      await put(engine, 'task:a', '1');
      const lease = await claim(engine);
      expect(await engine.queue.reasonOf(spoolKey('1'))).toBeUndefined();
      await engine.queue.giveUp(lease.items[0] as Lease<string>['items'][0], 'it fails');
      await engine.queue.ack(lease, ids(lease));
      await world.crash();
      engine = await world.open();
      expect(await engine.queue.deadLetters()).toMatchObject([{ id: spoolKey('1'), reason: 'it fails' }]);
      expect(await engine.queue.reasonOf(spoolKey('1'))).toBe('it fails');
      expect(await engine.queue.enqueue('task:a', '1', { by: ALEX, dedupeId: '1' })).toBe('duplicate');
      expect(await engine.queue.find(spoolKey('1'))).toBe('1');
    });

    it('finds a message that waits, and one that is finished', async () => {
      const engine = await createWorld().open();
      await put(engine, 'task:a', '1');
      expect([await engine.queue.find(spoolKey('1')), await engine.queue.find(spoolKey('2'))]).toEqual([
        '1',
        undefined,
      ]);
      await finish(engine);
      expect(await engine.queue.find(spoolKey('1'))).toBe('1');
    });

    it('gives nothing any more once it is closed', async () => {
      const engine = await createWorld().open();
      const waiting = engine.queue.claim('task:');
      engine.queue.close();
      await put(engine, 'task:a', '1');
      expect([await waiting, await engine.queue.claim('task:')]).toEqual([undefined, undefined]);
    });
  });

  describe(`${name}: the outbox`, () => {
    it('has an answer durably when it says so, and once', async () => {
      const world = createWorld();
      let engine = await world.open();
      await Promise.all([engine.outbox.add(answer('1'), 't'), engine.outbox.add(answer('1'), 't')]);
      await world.crash();
      engine = await world.open();
      const lease = await send(engine);
      expect(lease.entry).toMatchObject({ key: '1', trace: 't', message: answer('1') });
      await engine.outbox.add(answer('1'), 't');
      await engine.outbox.finish(lease);
      await engine.outbox.add(answer('1'), 't', { isAgain: true });
      expect(await engine.outbox.stats()).toEqual({ waiting: 0, unsure: 0, dead: 0 });
    });

    it('keeps the order of an address; addresses do not wait for each other', async () => {
      const engine = await createWorld().open();
      for (const [id, chat] of [
        ['1', 'a'],
        ['2', 'a'],
        ['3', 'b'],
      ] as const)
        await engine.outbox.add(answer(id, chat), 't');
      const a = await send(engine);
      expect([a.entry.key, (await send(engine)).entry.key]).toEqual(['1', '3']);
      const next = engine.outbox.claim('');
      expect(await waits(next)).toBe(true);
      await engine.outbox.finish(a);
      expect((await next)?.entry.key).toBe('2');
    });

    it('knows after a crash which parts were sent, and of which that is not known', async () => {
      const world = createWorld();
      const engine = await world.open();
      // The first of an address may be on its way when it is stored; this one has somebody before it.
      await engine.outbox.add(answer('first'), 't');
      await engine.outbox.add(answer('1'), 't');
      await engine.outbox.finish(await send(engine));
      const lease = await send(engine);
      for (const part of [0, 1, 2]) await engine.outbox.intent(lease, part);
      await engine.outbox.outcome(lease, 0, 'sent', 'm7');
      await engine.outbox.outcome(lease, 1, 'unsure');
      await engine.outbox.intent(lease, 3);
      await engine.outbox.outcome(lease, 3, 'refused');
      await world.crash();
      const { parts } = await send(await world.open());
      const states = [0, 1, 2, 3].map((part) => parts.get(part));
      expect(states.map((state) => state?.sentId)).toEqual(['m7', undefined, undefined, undefined]);
      expect(states.map((state) => state?.unsure)).toEqual([0, 1, 0, 0]);
      expect(states.map((state) => state?.open)).toEqual([false, false, true, false]);
      expect(parts.has(4)).toBe(false);
    });

    it('treats the first part as begun where it may have been sent before a crash', async () => {
      const world = createWorld();
      const engine = await world.open();
      await engine.outbox.add(answer('1'), 't');
      await engine.outbox.intent(await send(engine), 0);
      await world.crash();
      expect((await send(await world.open())).parts.get(0)).toMatchObject({ open: true });
    });

    it.each(['dead', 'unsure'] as const)(
      'keeps what ends in %s until that is durable, and ends it again',
      async (to) => {
        const world = createWorld();
        let engine = await world.open();
        await engine.outbox.add(answer('1'), 't');
        await engine.outbox.giveUp(await send(engine), to, 'refused');
        await world.crash();
        engine = await world.open();
        const lease = await send(engine);
        expect(lease.entry.key).toBe('1');
        await engine.outbox.giveUp(lease, to, 'refused');
        await engine.outbox.finish(lease);
        await engine.outbox.add(answer('1'), 't', { isAgain: true });
        await engine.close();
        engine = await world.open();
        expect(await engine.outbox.stats()).toEqual({ waiting: 0, unsure: 0, dead: 0, [to]: 1 });
      },
    );

    it('lets nobody send who has lost the answer', async () => {
      const engine = await createWorld().open();
      const { outbox } = engine;
      await outbox.add(answer('1'), 't');
      const stale = await send(engine);
      await outbox.release(stale);
      const current = await send(engine);
      expect(() => stale.check()).toThrow(LeaseLost);
      await expect(outbox.intent(stale, 0)).rejects.toThrow(LeaseLost);
      await expect(outbox.outcome(stale, 0, 'sent', 'x')).rejects.toThrow(LeaseLost);
      await expect(outbox.giveUp(stale, 'dead', 'no')).rejects.toThrow(LeaseLost);
      await expect(outbox.finish(stale)).rejects.toThrow(LeaseLost);
      await outbox.release(stale);
      await outbox.finish(current);
      expect((await outbox.stats()).waiting).toBe(0);
    });

    it('gives nothing any more once it is closed', async () => {
      const engine = await createWorld().open();
      const waiting = engine.outbox.claim('');
      engine.outbox.close();
      await engine.outbox.add(answer('1'), 't');
      expect([await waiting, await engine.outbox.claim('')]).toEqual([undefined, undefined]);
    });
  });

  describe(`${name}: state`, () => {
    it('is created by one, and changed by whoever knows how it stands', async () => {
      const { state } = await createWorld().open();
      const made = await Promise.all(['a', 'b', 'c'].map((value) => state.create('k', value)));
      expect(made.filter(Boolean)).toHaveLength(1);
      expect(await state.get('k')).toBe('abc'[made.indexOf(true)]);
      await state.set('k', '1');
      expect([await state.cas('k', '2', 'x'), await state.cas('k', '1', '2')]).toEqual([false, true]);
      expect([await state.cas('none', 'x', 'y'), await state.cas('none', undefined, 'y')]).toEqual([false, true]);
      const changed = await Promise.all(['p', 'q'].map((value) => state.cas('k', '2', value)));
      expect(changed.filter(Boolean)).toHaveLength(1);
      await state.delete('k');
      expect([await state.get('k'), await state.get('none')]).toEqual([undefined, 'y']);
    });

    it('counts what many add at once', async () => {
      const { state } = await createWorld().open();
      await Promise.all(Array.from({ length: 20 }, (_, n) => state.add('sum', n)));
      expect([await state.add('sum', -90), await state.get('sum')]).toEqual([100, '100']);
    });

    it('forgets in time, and outlives its process', async () => {
      const world = createWorld();
      const first = await world.open();
      await first.state.set('short', 'x', 500);
      await first.state.set('long', 'y', 60_000);
      await first.state.add('count', 2);
      expect(await first.state.create('short', 'z')).toBe(false);
      await world.crash();
      const { state } = await world.open();
      await expect.poll(() => state.get('short')).toBeUndefined();
      expect([await state.get('long'), await state.add('count', 1)]).toEqual(['y', 3]);
      expect(await state.create('short', 'z')).toBe(true);
    });

    it('begins the time of a value anew with each change, and ends it with one that names none', async () => {
      const { state } = await createWorld().open();
      expect([await state.add('sum', 1, 60_000), await state.add('sum', 1, 60)]).toEqual([1, 2]);
      await expect.poll(() => state.get('sum')).toBeUndefined();
      expect(await state.add('sum', 1, 500)).toBe(1);
      expect(await state.add('sum', 0.2)).toBe(1.2);
      await state.set('k', 'a', 500);
      expect(await state.cas('k', 'a', 'b')).toBe(true);
      // The time of the first values passes.
      await sleep(600);
      expect([await state.get('sum'), await state.get('k')]).toEqual(['1.2', 'b']);
      expect(await state.cas('k', 'b', 'c', 60)).toBe(true);
      await expect.poll(() => state.get('k')).toBeUndefined();
      await state.set('gone', 'a', 20);
      await expect.poll(() => state.cas('gone', undefined, 'b')).toBe(true);
    });
  });

  describe(`${name}: locks, leads and news`, () => {
    it('lets one at a time do what has a name', async () => {
      const engine = await createWorld().open();
      let inside = 0;
      let most = 0;
      const work = async () => {
        most = Math.max(most, ++inside);
        // The work takes its time.
        await sleep(5);
        inside--;
        return inside;
      };
      // The work takes its time.
      const other = engine.lock('other', () => sleep(20, 'did not wait'));
      const failing = expect(engine.lock('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
      const done = await Promise.all([engine.lock('a', work), engine.lock('a', work), engine.lock('a', work)]);
      await failing;
      expect([done, most, await other]).toEqual([[0, 0, 0], 1, 'did not wait']);
      const [first, second] = [await engine.lock('a', async (fence) => fence), await engine.lock('a', async (f) => f)];
      expect(second.epoch).toBeGreaterThan(first.epoch);
      expect(() => first.check()).toThrow(LeaseLost);
    });

    it('has one leader, and another when that is gone', async () => {
      const engine = await createWorld().open();
      const leading: string[] = [];
      const begin = (who: string) =>
        engine.lead('poll', async (fence) => {
          fence.check();
          leading.push(who);
          await new Promise<void>((resolve) => fence.lost.addEventListener('abort', () => resolve()));
          expect(() => fence.check()).toThrow(LeaseLost);
          leading.push(`${who} left`);
        });
      const stops = [begin('a'), begin('b'), begin('c')];
      await expect.poll(() => leading).toEqual(['a']);
      await stops[1]?.call(undefined);
      await stops[0]?.call(undefined);
      await expect.poll(() => leading).toEqual(['a', 'a left', 'c']);
      await stops[2]?.call(undefined);
      expect(leading.at(-1)).toBe('c left');
    });

    it('has another leader when one fails, or ends by itself', async () => {
      const engine = await createWorld({ onError: () => undefined }).open();
      const leading: string[] = [];
      const stops = [
        engine.lead('poll', async () => {
          leading.push('fails');
          throw new Error('no');
        }),
        engine.lead('poll', async () => void leading.push('ends')),
        engine.lead('poll', async (fence) => {
          leading.push('stays');
          await new Promise<void>((resolve) => fence.lost.addEventListener('abort', () => resolve()));
        }),
      ];
      await expect.poll(() => leading).toEqual(['fails', 'ends', 'stays']);
      for (const stop of stops) await stop();
    });

    it('has another leader when the process of one has ended', async () => {
      const world = createWorld();
      const led = Promise.withResolvers<number>();
      const forEver = new Promise<void>(() => undefined);
      const lead = (engine: Engine<string>, on: (epoch: number) => void) =>
        engine.lead('poll', async (fence) => {
          on(fence.epoch);
          await Promise.race([forEver, new Promise((resolve) => fence.lost.addEventListener('abort', resolve))]);
        });
      lead(await world.open(), led.resolve);
      await led.promise;
      await world.crash();
      const again = Promise.withResolvers<number>();
      const stop = lead(await world.open(), again.resolve);
      await again.promise;
      await stop();
    });

    it('tells in the order in which it was published', async () => {
      const engine = await createWorld().open();
      const heard: string[] = [];
      engine.subscribe('news', (text) => heard.push(text));
      const all = Array.from({ length: 200 }, (_, n) => String(n));
      for (const text of all) engine.publish('news', text);
      await expect.poll(() => heard).toEqual(all);
    });

    it('tells those who listen for a topic, until they stop', async () => {
      const engine = await createWorld().open();
      const heard: string[] = [];
      const stop = engine.subscribe('news', (text) => heard.push(`1 ${text}`));
      engine.subscribe('news', (text) => heard.push(`2 ${text}`));
      engine.subscribe('other', (text) => heard.push(`other ${text}`));
      engine.publish('news', 'x');
      // Never before whoever publishes has gone on.
      expect(heard).toEqual([]);
      await expect.poll(() => heard.toSorted()).toEqual(['1 x', '2 x']);
      await stop();
      engine.publish('news', 'y');
      await expect.poll(() => heard.toSorted()).toEqual(['1 x', '2 x', '2 y']);
    });

    it('is ready until it is closed, and rises with each start', async () => {
      const world = createWorld();
      const first = await world.open();
      expect(await first.ready()).toEqual({ ok: true });
      await Promise.all([first.close(), first.close()]);
      expect((await first.ready()).ok).toBe(false);
      expect((await world.open()).epoch).toBeGreaterThan(first.epoch);
    });
  });
}
