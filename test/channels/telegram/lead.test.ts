/** Two gateways with one bot over one engine: exactly one polls, and the other goes on when it is gone. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ChannelCallbacks } from '../../../src/channels/channel.ts';
import { createTelegram } from '../../../src/channels/telegram/adapter.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { silentLog } from '../../../src/log.ts';
import { startTelegram, type Telegram } from '../../emulators/telegram.ts';
import { type Member, memberOf, openSharedEngine } from '../../helpers/shared-engine.ts';
import { quiet } from '../../kit/quiet.ts';
import { ALEX, eventually } from './harness.ts';

interface Node extends Member {
  channel: ReturnType<typeof createTelegram>;
  /** What it has handed over, those that were known included. */
  got: string[];
  /** Its disk takes nothing any more, and its time stands still for whoever waits for it. */
  freeze(): void;
}

async function start(telegram: Telegram, engine: Engine<string>): Promise<Node> {
  const member = memberOf(engine);
  const got: string[] = [];
  let isFrozen = false;
  const channel = createTelegram({
    ...{ token: telegram.token, apiRoot: telegram.url, mode: 'polling', live: 'off', pollSeconds: 2 },
    ...{ attachCommands: [], log: silentLog(), lead: member.lead, timing: { backoffMs: { min: 20, max: 200 } } },
  });
  const callbacks: ChannelCallbacks = {
    async onMessage({ id, text }) {
      if (isFrozen) await new Promise(() => undefined);
      got.push(text);
      const outcome = await engine.queue.enqueue('task:a', text, {
        dedupeId: `telegram ${id}`,
        by: { person: 'alex', isOwner: true },
      });
      return outcome === 'duplicate' ? 'duplicate' : 'accepted';
    },
    ...{ onInterrupt: async () => undefined, onDropped: () => undefined, onSuggest: async () => [] },
    onStatus: () => undefined,
  };
  onTestFinished(() => (isFrozen ? undefined : channel.disconnect()));
  await channel.connect(callbacks);
  const freeze = () => {
    isFrozen = true;
  };
  return { ...member, channel, got, freeze };
}

/** What the queue has, in order. */
async function taken(engine: Engine<string>): Promise<string[]> {
  return (await engine.queue.unfinished()).map(({ message }) => message);
}

async function world() {
  const telegram = await startTelegram();
  onTestFinished(() => telegram.close());
  telegram.addUser({ id: ALEX, first_name: 'Alex' });
  const engine = await openSharedEngine<string>();
  const [first, second] = [await start(telegram, engine), await start(telegram, engine)];
  return { telegram, engine, first, second };
}

const texts = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `m${from + index}`);

describe('two gateways with one bot', () => {
  it('poll one at a time, and a clean stop hands over at once', async () => {
    const { telegram, engine, first, second } = await world();
    for (const text of texts(0, 5)) telegram.say(ALEX, text);
    await eventually(() => first.got.length === 5);
    await quiet();
    expect(second.got).toEqual([]);
    expect(second.channel.status()).toEqual({ state: 'connected' });
    const stopping = first.channel.disconnect();
    for (const text of texts(5, 10)) telegram.say(ALEX, text);
    await stopping;
    const stoppedAt = performance.now();
    await eventually(() => second.got.includes('m9'));
    expect(performance.now() - stoppedAt).toBeLessThan(2_000);
    for (const text of texts(10, 15)) telegram.say(ALEX, text);
    await eventually(() => second.got.includes('m14'));
    expect(await taken(engine)).toEqual(texts(0, 15));
    // What was confirmed at the stop is not given out again.
    expect([...first.got, ...second.got].toSorted()).toEqual(texts(0, 15).toSorted());
    expect(second.channel.status()).toEqual({ state: 'connected' });
  });

  it('go on when the one that polls is gone with a batch in hand, and it acknowledges nothing more', async () => {
    const { telegram, engine, first, second } = await world();
    telegram.say(ALEX, 'm0');
    await eventually(() => first.got.includes('m0'));
    first.freeze();
    for (const text of texts(1, 6)) telegram.say(ALEX, text);
    await eventually(() => telegram.counters().updates.delivered >= 6);
    first.lose();
    const lostAt = performance.now();
    await eventually(() => second.got.includes('m5'));
    expect(performance.now() - lostAt).toBeLessThan(15_000);
    for (const text of texts(6, 9)) telegram.say(ALEX, text);
    await eventually(() => second.got.includes('m8'));
    expect(await taken(engine)).toEqual(texts(0, 9));
    expect(telegram.counters().updates.pending).toBeLessThan(4);
  });

  it('do no harm when both believe to be the one', async () => {
    const telegram = await startTelegram();
    onTestFinished(() => telegram.close());
    telegram.addUser({ id: ALEX, first_name: 'Alex' });
    const engine = await openSharedEngine<string>();
    const other = await openSharedEngine();
    const apart = { ...engine, lead: other.lead.bind(other), queue: engine.queue } as Engine<string>;
    const nodes = [await start(telegram, engine), await start(telegram, apart)];
    for (const text of texts(0, 40)) {
      telegram.say(ALEX, text);
      // People write one after the other.
      await sleep(5);
    }
    await eventually(() => new Set(nodes.flatMap(({ got }) => got)).size === 40);
    await eventually(() => telegram.counters().updates.pending === 0);
    expect((await taken(engine)).toSorted()).toEqual(texts(0, 40).toSorted());
  });
});
