/** A server that has done what it was asked, and whose reply never arrives: it is asked again, and does it no second time. */
import { describe, expect, it } from 'vitest';
import type { Engine, Share } from '../../../src/engine/engine.ts';
import { startProxy } from '../../helpers/proxy.ts';
import { hasRedis, startRedis, WITHOUT_REDIS } from '../../helpers/redis.ts';
import { claim, redisWorld } from './world.ts';

const ALEX: Share = { person: 'alex', isOwner: true };
const ANSWER = { id: 'a', address: { channel: 'test', account: 'bot', chat: 'c' }, text: 'Done.', files: [] };

function put(engine: Engine<string>, lane: string, text: string) {
  return engine.queue.enqueue(lane, text, { by: ALEX, dedupeId: text });
}

describe.skipIf(!hasRedis)(`a reply that is lost${WITHOUT_REDIS}`, () => {
  async function createWorld() {
    const server = await startRedis();
    const proxy = await startProxy(server.port);
    const near = await redisWorld(server.url).open({ leaseMs: 6_000 });
    const far = await redisWorld(`redis://127.0.0.1:${proxy.port}`).open({ leaseMs: 6_000, waits: { sweepMs: 300 } });
    return { near, far, loseReplyTo: proxy.loseReplyTo };
  }

  it('of one that took a lane counts no crash, and gives the lane to it', async () => {
    const { near, far, loseReplyTo } = await createWorld();
    await put(near, 'task:a', '1');
    const lost = loseReplyTo('"maxCrashes"');
    const lease = await claim(far);
    await lost;
    expect(lease).toMatchObject({ lane: 'task:a', isAgain: false, items: [{ message: '1', attempts: 0 }] });
    await far.queue.ack(lease, [lease.items[0]?.id ?? '']);
    expect(await near.queue.stats()).toEqual({ waiting: 0 });
  });

  it('of a message that was finished is no loss of its lane, and what waits behind it goes on', async () => {
    const { near, far, loseReplyTo } = await createWorld();
    for (const text of ['1', '2']) await put(near, 'task:a', text);
    const lease = await claim(far);
    const lost = loseReplyTo('"ids"');
    await far.queue.ack(lease, [lease.items[0]?.id ?? '']);
    await lost;
    expect(lease.lost.aborted).toBe(false);
    const next = await claim(near);
    expect(next.items).toMatchObject([{ message: '2', attempts: 0 }]);
    // Whoever owned a lane before has finished nothing of what came later.
    const later = { epoch: lease.epoch, ids: [next.items[0]?.id ?? ''] };
    expect((await far.queue.lanes.run('finish', 'task:a', later)).what).toBe('lost');
  });

  it('of an answer that was delivered is no loss either', async () => {
    const { near, far, loseReplyTo } = await createWorld();
    await near.outbox.add(ANSWER, 'a');
    const sending = await far.outbox.claim('');
    if (!sending) throw new Error('the outbox is closed');
    const lost = loseReplyTo('"ids"');
    await far.outbox.finish(sending);
    await lost;
    expect(await near.outbox.stats()).toEqual({ waiting: 0, unsure: 0, dead: 0 });
  });

  it('of a part that may or may not have arrived counts it once', async () => {
    const { near, far, loseReplyTo } = await createWorld();
    await near.outbox.add(ANSWER, 'a');
    const sending = await far.outbox.claim('');
    if (!sending) throw new Error('the outbox is closed');
    await far.outbox.intent(sending, 0);
    const lost = loseReplyTo('"unsure"');
    await far.outbox.outcome(sending, 0, 'unsure');
    await lost;
    await far.outbox.release(sending);
    const again = await far.outbox.claim('');
    expect(again?.parts.get(0)).toMatchObject({ unsure: 1, open: false });
  });

  it('of a message that was put says that it was accepted, once', async () => {
    const { near, far, loseReplyTo } = await createWorld();
    const lost = loseReplyTo('"dedupeId"');
    expect(await put(far, 'task:a', '1')).toBe('accepted');
    await lost;
    expect(await put(far, 'task:a', '1')).toBe('duplicate');
    expect((await claim(near)).items).toMatchObject([{ message: '1' }]);
  });

  it('of one that took a lock has it held by nobody for ever', async () => {
    const { near, far, loseReplyTo } = await createWorld();
    const lost = loseReplyTo('"holder"');
    const first = await far.lock('x', async (fence) => fence.epoch);
    await lost;
    expect(await near.lock('x', async (fence) => fence.epoch)).toBeGreaterThan(first);
  });
});
