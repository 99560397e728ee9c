/** Live progress: little, in time, and never in the way of the answer. */

import { describe, expect, it } from 'vitest';
import type { Address, AgentStreamEvent } from '../../../src/channels/channel.ts';
import type { LiveTiming } from '../../../src/channels/discord/live/live.ts';
import { featureSet } from '../../../src/runtime/features.ts';
import { FEATURES } from '../../helpers/features.ts';
import { ownTime } from '../../helpers/own-time.ts';
import { quiet } from '../../kit/quiet.ts';
import { createViews, type ViewOptions } from '../live-views.ts';
import { answer, type Bench, createLedger, eventually, startBench } from './harness.ts';

const QUICK: LiveTiming = {
  ...{ typingAfter: 20, typingEvery: 100, statusAfter: 60, statusEvery: 60, textEvery: 60 },
  ...{ gap: 0, longRun: 30_000, late: 1500 },
};

async function running(options: Parameters<typeof startBench>[0] = {}, view: ViewOptions = {}) {
  const bench = await startBench({ live: 'status', timing: { live: QUICK }, ...options });
  await bench.connect();
  const { address } = answer(bench);
  const views = createViews(view);
  const event = (
    body: {
      [K in AgentStreamEvent['type']]: Omit<Extract<AgentStreamEvent, { type: K }>, 'agentId' | 'taskId' | 'runId'>;
    }[AgentStreamEvent['type']],
    runId = 'r1',
  ) => {
    const event = { agentId: 'a', taskId: 't', runId, ...body } as AgentStreamEvent;
    return bench.channel.stream?.(event, address, views(event, address));
  };
  return { bench, address, event };
}

const shown = (bench: Bench) => bench.discord.channel(bench.discord.rooms.general).messages;
const end = (bench: Bench, address: Address, isAnswered = true) => bench.channel.endStream?.('r1', address, isAnswered);

// What a tool does is said in the words of the feature that brings it.
featureSet(FEATURES);

describe('live progress', () => {
  it('types, then tells what it does in one silent message, which the answer replaces', async () => {
    const { bench, address, event } = await running();
    await event({ type: 'state-change', state: 'thinking' });
    await eventually(() => bench.discord.typing().length > 0);
    await event({ type: 'tool-call', tool: 'create_artifact', args: { title: 'plan *for* <@2003>.md' } });
    await eventually(() => shown(bench).some(({ text }) => text.includes('writing plan')));
    expect(shown(bench)).toHaveLength(1);
    expect(shown(bench)[0]).toMatchObject({ flags: 4 | 4096, allowedMentions: { parse: [], replied_user: false } });
    expect(
      shown(bench)[0]
        ?.buttons.flat()
        .map(({ label }) => label),
    ).toEqual(['Stop']);
    const placeholder = await end(bench, address);
    expect(placeholder).toBe(shown(bench)[0]?.id);
    await bench.channel.send(answer(bench, { text: 'Done', placeholder: placeholder ?? '' }), createLedger());
    await event({ type: 'state-change', state: 'thinking' });
    await quiet();
    expect(shown(bench).map(({ text, buttons }) => [text, buttons])).toEqual([['Done', []]]);
    expect(bench.discord.pings()).toEqual([]);
  });

  it('an answer that comes at once costs no call', async () => {
    const { bench, address, event } = await running({ timing: { live: { ...QUICK, typingAfter: 80 } } });
    await event({ type: 'state-change', state: 'thinking' });
    expect(await end(bench, address)).toBeUndefined();
    await quiet();
    expect([bench.discord.typing(), shown(bench)]).toEqual([[], []]);
  });

  it('without an answer here the status message is taken away', async () => {
    const { bench, address, event } = await running();
    await event({ type: 'state-change', state: 'thinking' });
    await eventually(() => shown(bench).length === 1);
    expect(await end(bench, address, false)).toBeUndefined();
    expect(shown(bench)).toEqual([]);
  });

  it('of a long run is taken away, so that the answer is a message that notifies', async () => {
    const { bench, address, event } = await running({ timing: { live: { ...QUICK, longRun: 30 } } });
    await event({ type: 'state-change', state: 'thinking' });
    await eventually(() => shown(bench).length === 1);
    bench.discord.fault({ method: 'DELETE', path: '/channels/:id/messages/:message', kind: 'status', status: 500 });
    expect(await end(bench, address)).toBeUndefined();
    await eventually(() => shown(bench).length === 0);
  });

  it('an answer does not wait for a call that takes long, and the message it makes is taken away', async () => {
    const { bench, address, event } = await running({ timing: { live: { ...QUICK, late: 50 } } });
    bench.discord.fault({ method: 'POST', path: '/channels/:id/messages', kind: 'delay', delayMs: 400 });
    await event({ type: 'state-change', state: 'thinking' });
    await eventually(() => bench.discord.requests().some(({ route }) => route === 'POST /channels/:id/messages'));
    const before = ownTime();
    expect(await end(bench, address)).toBeUndefined();
    expect(ownTime() - before).toBeLessThan(300);
    await quiet();
    expect(shown(bench)).toEqual([]);
  });

  it('is shown as the conversation has chosen, whatever is configured', async () => {
    const chosen: ViewOptions = { mode: 'off' };
    const { bench, address, event } = await running({}, chosen);
    await event({ type: 'state-change', state: 'thinking' });
    await quiet();
    expect([bench.discord.typing(), shown(bench)]).toEqual([[], []]);
    chosen.mode = 'text';
    await event({ type: 'text-delta', content: 'Hello <@2003> [here](https://evil.example) ' });
    await eventually(() => shown(bench).some(({ text }) => text.startsWith('Hello')));
    expect(shown(bench)[0]?.text).not.toContain('<@2003>');
    chosen.mode = 'off';
    await event({ type: 'text-delta', content: 'more ' });
    await eventually(() => shown(bench).length === 0);
    expect(await end(bench, address)).toBeUndefined();
  });

  it('shows the text as it grows, its fences closed', async () => {
    const { bench, address, event } = await running({ live: 'text' });
    for (const content of ['Here:\n', '```js\nlet a', ' = 1;\n']) await event({ type: 'text-delta', content });
    await eventually(() => shown(bench).some(({ text }) => text === 'Here:\n```js\nlet a = 1;\n```'));
    await event({ type: 'text-delta', content: `${'x'.repeat(5000)}` });
    await eventually(() => (shown(bench)[0]?.text.length ?? 0) > 1800);
    expect(shown(bench)[0]?.text.length).toBeLessThanOrEqual(2000);
    await end(bench, address);
  });

  it('obeys a rate limit, keeps quiet where it may not write, and never throws', async () => {
    const { bench, address, event } = await running();
    bench.discord.deny(bench.discord.rooms.general, ['SendMessages']);
    await event({ type: 'state-change', state: 'thinking' });
    await quiet();
    const calls = bench.discord
      .requests()
      .filter(({ route }) => route.endsWith('/typing') || route === 'POST /channels/:id/messages');
    expect(calls.length).toBeLessThanOrEqual(2);
    expect(await end(bench, address)).toBeUndefined();
  });

  it('goes on after a call that took longer than the pause between two', async () => {
    const { bench, address, event } = await running();
    bench.discord.fault({ method: 'POST', path: '/channels/:id/messages', kind: 'delay', delayMs: 200 });
    await event({ type: 'state-change', state: 'thinking' });
    await bench.discord.called('POST /channels/:id/messages');
    await event({ type: 'tool-call', tool: 'remember', args: {} });
    await eventually(() => shown(bench).some(({ text }) => text.includes('taking a note')));
    await end(bench, address);
  });

  it('is off when it is switched off', async () => {
    const { bench, address, event } = await running({ live: 'off' });
    await event({ type: 'state-change', state: 'thinking' });
    await quiet();
    expect([bench.discord.typing(), shown(bench), await end(bench, address)]).toEqual([[], [], undefined]);
  });
});
