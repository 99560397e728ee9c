/** Two processes over one engine: what happens in one is told to those who look by the other. */

import { expect, it, onTestFinished } from 'vitest';
import { Elsewhere } from '../../src/app/processes/elsewhere.ts';
import type { AgentStreamEvent } from '../../src/channels/channel.ts';
import type { News } from '../../src/runtime/contract/news.ts';
import { createBus } from '../../src/runtime/live/bus.ts';
import { SeenRuns } from '../../src/runtime/live/seen.ts';
import { openSharedEngine } from '../helpers/shared-engine.ts';
import { quiet } from '../kit/quiet.ts';

const fail = (error: unknown) => {
  throw error;
};

async function world() {
  const shared = await openSharedEngine();
  let published = 0;
  const engine = {
    publish(topic: string, text: string) {
      published++;
      expect(text.length).toBeLessThan(70_000);
      shared.publish(topic, text);
    },
    subscribe: shared.subscribe.bind(shared),
  };
  const processOf = () => {
    const [bus, news] = [createBus(fail), createBus<News>(fail)];
    const [events, heard]: [AgentStreamEvent[], News[]] = [[], []];
    const seen = new SeenRuns(bus);
    const elsewhere = new Elsewhere(engine, bus, news, seen);
    onTestFinished(() => elsewhere.close());
    bus.subscribe((event) => events.push(event));
    news.subscribe((item) => heard.push(item));
    return { bus, news, events, heard, elsewhere, seen };
  };
  return { one: processOf(), two: processOf(), published: () => published };
}

const run = { agentId: 'default', taskId: 't1', runId: 'r1' };

it('tells news once, and leaves to each process what is its own', async () => {
  const { one, two, published } = await world();
  one.news.emit({ type: 'plan:changed', taskId: 't1', hash: 'h' });
  one.news.emit({ type: 'channel:status', channel: 'discord', status: { state: 'connected' } });
  await expect.poll(() => two.heard).toEqual([{ type: 'plan:changed', taskId: 't1', hash: 'h' }]);
  await quiet();
  expect([one.heard.length, two.heard.length, published()]).toEqual([2, 1, 1]);
});

it('tells progress only while somebody looks, words together and in order, and nothing endless', async () => {
  const { one, two, published } = await world();
  const word = (content: string) => one.bus.emit({ ...run, type: 'text-delta', content });
  word('unseen');
  one.bus.emit({ ...run, type: 'state-change', state: 'thinking' });
  await quiet();
  expect([published(), two.events]).toEqual([0, []]);
  const end = two.elsewhere.watch();
  // Where the run is now.
  await expect.poll(() => two.events).toEqual([{ ...run, type: 'state-change', state: 'thinking' }]);
  for (let n = 0; n < 200; n++) word('x');
  one.bus.emit({ ...run, type: 'tool-call', tool: 'write', args: { text: 'y'.repeat(200_000) } });
  word('z');
  await expect.poll(() => two.events.length).toBe(4);
  expect(two.events.slice(1)).toMatchObject([
    { type: 'text-delta', content: 'x'.repeat(200) },
    { type: 'tool-call', tool: 'write', args: null },
    { type: 'text-delta', content: 'z' },
  ]);
  // One word that somebody looks, and four of progress: nothing comes back.
  expect(published()).toBe(5);
  end();
});

it('shows a run of another process from its beginning to whoever begins to look, and a second time', async () => {
  const { one, two } = await world();
  const said = Array.from({ length: 20_000 }, (_, n) => `word${n}`).join(' ');
  one.bus.emit({ ...run, type: 'state-change', state: 'thinking' });
  for (const piece of said.match(/[\s\S]{1,1000}/g) ?? []) one.bus.emit({ ...run, type: 'text-delta', content: piece });
  const shown = () => two.seen.soFar('t1').flatMap((event) => (event.type === 'text-delta' ? [event.content] : []))[0];
  // The last word may still grow.
  const begun = said.slice(0, said.lastIndexOf(' ') + 1);
  const end = two.elsewhere.watch();
  await expect.poll(shown).toBe(begun);
  end();
  const again = two.elsewhere.watch();
  one.bus.emit({ ...run, type: 'text-delta', content: ' and more ' });
  await expect.poll(shown).toBe(`${said} and more `);
  again();
  one.bus.emit({ ...run, type: 'state-change', state: 'idle' });
  await expect.poll(shown).toBeUndefined();
});
