/** Live progress: little, in time, and never in the way of the answer. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Address, AgentStreamEvent } from '../../../src/channels/channel.ts';
import type { LiveTiming } from '../../../src/channels/discord/live.ts';
import { answer, type Bench, createLedger, eventually, startBench } from './harness.ts';

const QUICK: LiveTiming = { typingAfter: 20, typingEvery: 100, statusAfter: 60, statusEvery: 60, textEvery: 60 };

async function running(options: Parameters<typeof startBench>[0] = {}) {
  const bench = await startBench({ live: 'status', timing: { live: QUICK }, ...options });
  await bench.connect();
  const { address } = answer(bench);
  const event = (
    body: {
      [K in AgentStreamEvent['type']]: Omit<Extract<AgentStreamEvent, { type: K }>, 'agentId' | 'taskId' | 'runId'>;
    }[AgentStreamEvent['type']],
    runId = 'r1',
  ) => bench.channel.stream?.({ agentId: 'a', taskId: 't', runId, ...body } as AgentStreamEvent, address);
  return { bench, address, event };
}

const shown = (bench: Bench) => bench.discord.channel(bench.discord.rooms.general).messages;
const end = (bench: Bench, address: Address, isAnswered = true) => bench.channel.endStream?.('r1', address, isAnswered);

describe('live progress', () => {
  it('types, then tells what it does in one silent message, which the answer replaces', async () => {
    const { bench, address, event } = await running();
    await event({ type: 'state-change', state: 'thinking' });
    await eventually(() => bench.discord.typing().length > 0);
    await event({ type: 'tool-call', tool: 'create_artifact', args: { title: 'plan *for* <@2003>.md' } });
    await eventually(() => shown(bench).some(({ text }) => text.includes('writing plan')));
    expect(shown(bench)).toHaveLength(1);
    expect(shown(bench)[0]).toMatchObject({ flags: 4 | 4096, allowedMentions: { parse: [], replied_user: false } });
    const placeholder = await end(bench, address);
    expect(placeholder).toBe(shown(bench)[0]?.id);
    await bench.channel.send(answer(bench, { text: 'Done', placeholder: placeholder ?? '' }), createLedger());
    await event({ type: 'state-change', state: 'thinking' });
    await sleep(150);
    expect(shown(bench).map(({ text }) => text)).toEqual(['Done']);
    expect(bench.discord.pings()).toEqual([]);
  });

  it('an answer that comes at once costs no call', async () => {
    const { bench, address, event } = await running({ timing: { live: { ...QUICK, typingAfter: 80 } } });
    await event({ type: 'state-change', state: 'thinking' });
    expect(await end(bench, address)).toBeUndefined();
    await sleep(150);
    expect([bench.discord.typing(), shown(bench)]).toEqual([[], []]);
  });

  it('without an answer here the status message is taken away', async () => {
    const { bench, address, event } = await running();
    await event({ type: 'state-change', state: 'thinking' });
    await eventually(() => shown(bench).length === 1);
    expect(await end(bench, address, false)).toBeUndefined();
    expect(shown(bench)).toEqual([]);
  });

  it('shows the text as it grows, its fences closed', async () => {
    const { bench, address, event } = await running({ live: 'text' });
    for (const content of ['Here:\n', '```js\nlet a', ' = 1;\n']) await event({ type: 'text-delta', content });
    await eventually(() => shown(bench).some(({ text }) => text === 'Here:\n```js\nlet a = 1;\n\n```'));
    await event({ type: 'text-delta', content: `${'x'.repeat(5000)}` });
    await eventually(() => (shown(bench)[0]?.text.length ?? 0) > 1800);
    expect(shown(bench)[0]?.text.length).toBeLessThanOrEqual(2000);
    await end(bench, address);
  });

  it('obeys a rate limit, keeps quiet where it may not write, and never throws', async () => {
    const { bench, address, event } = await running();
    bench.discord.deny(bench.discord.rooms.general, ['SendMessages']);
    await event({ type: 'state-change', state: 'thinking' });
    await sleep(250);
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
    await sleep(100);
    await event({ type: 'tool-call', tool: 'remember', args: {} });
    await eventually(() => shown(bench).some(({ text }) => text.includes('taking a note')));
    await end(bench, address);
  });

  it('is off when it is switched off', async () => {
    const { bench, address, event } = await running({ live: 'off' });
    await event({ type: 'state-change', state: 'thinking' });
    await sleep(150);
    expect([bench.discord.typing(), shown(bench), await end(bench, address)]).toEqual([[], [], undefined]);
  });
});
