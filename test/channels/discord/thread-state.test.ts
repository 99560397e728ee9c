/** A task's thread: made once, its state shown where it begins, put away when quiet, awake when somebody writes. */
import { describe, expect, it } from 'vitest';
import type { Address, InboundMessage, TaskView } from '../../../src/channels/channel.ts';
import { DeliveryError } from '../../../src/errors.ts';
import { answer, type Bench, createLedger, eventually, startBench } from './harness.ts';

const room = (bench: Bench) => bench.discord.rooms.general;
const view = (state: TaskView['state'], change: Partial<TaskView> = {}): TaskView => ({
  id: 't1',
  title: 'A goal',
  state,
  ...change,
});

async function talking(options: Parameters<typeof startBench>[0] = {}): Promise<Bench> {
  const bench = await startBench(options);
  await bench.connect();
  return bench;
}

async function mentioned(bench: Bench): Promise<InboundMessage> {
  const said = bench.discord.say(room(bench), 'a goal', { mention: true });
  return bench.takes(({ messageId }) => messageId === said.id);
}

async function opened(bench: Bench, message: InboundMessage): Promise<Address> {
  const address = await bench.channel.openThread?.(message, { key: 't1', title: 'A goal' });
  if (!address) throw new Error('no thread');
  return address;
}

async function goal(bench: Bench): Promise<Address> {
  void bench.discord.slash({
    channel: room(bench),
    subcommandGroup: 'task',
    subcommand: 'new',
    options: { goal: 'a goal' },
  });
  return opened(bench, await bench.takes(({ text, kind }) => text === 'a goal' && kind === 'command'));
}

describe('opening', () => {
  it('names are short and plain', async () => {
    const bench = await talking();
    const message = await mentioned(bench);
    const address = await bench.channel.openThread?.(message, { key: 't1', title: `\u202e  ${'long '.repeat(50)}\n` });
    const { name } = bench.discord.thread(address?.thread ?? '');
    expect([name.length, name.startsWith('long long')]).toEqual([100, true]);
  });

  it('is final where threads are forbidden, and says what is lacking', async () => {
    const bench = await talking();
    const message = await mentioned(bench);
    bench.discord.deny(room(bench), ['CreatePublicThreads']);
    const error = await bench.channel.openThread?.(message, { key: 't1', title: 'A goal' }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(DeliveryError);
    expect(error).toMatchObject({
      retryAfterMs: undefined,
      message: expect.stringContaining('"Create Public Threads"'),
    });
  });

  it('a lost answer leaves one root message and one thread', async () => {
    const bench = await talking();
    bench.discord.fault({ method: 'POST', path: '/channels/:id/messages', kind: 'lostAnswer' });
    void bench.discord.slash({
      channel: room(bench),
      subcommandGroup: 'task',
      subcommand: 'new',
      options: { goal: 'a goal' },
    });
    const message = await bench.takes(({ text }) => text === 'a goal');
    await expect(opened(bench, message)).rejects.toMatchObject({ retryAfterMs: 1000 });
    bench.discord.fault({ method: 'POST', path: '/threads', kind: 'lostAnswer' });
    await expect(opened(bench, message)).rejects.toMatchObject({ retryAfterMs: 1000 });
    await opened(bench, message);
    expect(bench.discord.threads(room(bench))).toHaveLength(1);
    const roots = bench.discord
      .channel(room(bench))
      .messages.filter((one) => one.from === 'bot' && one.seenBy === null);
    expect(roots).toHaveLength(1);
  });
});

describe('the state', () => {
  it('stands in our own first message', async () => {
    const bench = await talking();
    const address = await goal(bench);
    const text = () => bench.discord.message(room(bench), address.thread ?? '').text;
    const root = text();
    await bench.channel.showTask?.(address, view('running', { progress: { done: 1, total: 3 } }));
    expect(text()).toBe(`${root}\n-# ⏳ Working · 1 of 3 steps`);
    await bench.channel.showTask?.(address, view('completed', { progress: { done: 3, total: 3 } }));
    expect(text()).toBe(`${root}\n-# ✅ Done · 3 of 3 steps`);
    const second = bench.again();
    await second.connect();
    await second.channel.showTask?.(address, view('error'));
    expect(text()).toBe(`${root}\n-# ⚠️ Failed`);
  });

  it('is a reaction to a person’s message, also after a restart', async () => {
    const bench = await talking();
    const address = await opened(bench, await mentioned(bench));
    const reactions = () =>
      bench.discord.message(room(bench), address.thread ?? '').reactions.map(({ emoji }) => emoji);
    await bench.channel.showTask?.(address, view('running'));
    expect(reactions()).toEqual(['⏳']);
    const second = bench.again();
    await second.connect();
    await second.channel.showTask?.(address, view('completed'));
    expect(reactions()).toEqual(['✅']);
  });

  it('of many changes the newest is shown, with few calls', async () => {
    const bench = await talking();
    const address = await goal(bench);
    const before = bench.discord.requests('PATCH /channels/:id/messages/:id').length;
    const all = Array.from({ length: 50 }, (_, n) =>
      bench.channel.showTask?.(address, view('running', { progress: { done: n, total: 50 } })),
    );
    await Promise.all(all);
    await eventually(() => bench.discord.message(room(bench), address.thread ?? '').text.endsWith('49 of 50 steps'));
    expect(bench.discord.requests('PATCH /channels/:id/messages/:id').length - before).toBeLessThan(5);
  });

  it('never fails', async () => {
    const bench = await talking();
    const address = await goal(bench);
    bench.discord.deleteChannel(address.thread ?? '');
    bench.discord.delete(room(bench), address.thread ?? '');
    await bench.channel.showTask?.(address, view('running'));
    await bench.channel.showTask?.({ ...address, thread: '1' }, view('completed'));
    const { thread: _none, ...nowhere } = address;
    await bench.channel.showTask?.(nowhere, view('completed'));
  });

  it('a new title renames the thread, not more often than Discord allows', async () => {
    const bench = await talking();
    const address = await goal(bench);
    await bench.channel.showTask?.(address, view('running', { title: 'A better name' }));
    await bench.channel.showTask?.(address, view('completed', { title: 'Another name' }));
    await bench.channel.showTask?.(address, view('completed', { title: 'One too many' }));
    expect(bench.discord.thread(address.thread ?? '').names).toEqual(['A goal', 'A better name', 'Another name']);
    expect(bench.discord.counters().rate.violations).toBe(0);
  });

  it('a rename that Discord puts off is made later, and the state does not wait for it', async () => {
    const bench = await talking();
    const address = await goal(bench);
    const names = () => bench.discord.thread(address.thread ?? '').names;
    bench.discord.fault({ method: 'PATCH', path: '/channels/:id', kind: 'status', status: 429, retryAfter: 2 });
    await bench.channel.showTask?.(address, view('running', { title: 'A better name' }));
    await bench.channel.showTask?.(address, view('completed', { title: 'A better name' }));
    expect([names(), bench.discord.message(room(bench), address.thread ?? '').text]).toEqual([
      ['A goal'],
      expect.stringContaining('Done'),
    ]);
    await eventually(() => names().at(-1) === 'A better name');
  });

  it('a rename that an earlier process did not come to is made by the next one', async () => {
    const bench = await talking();
    const address = await goal(bench);
    const names = () => bench.discord.thread(address.thread ?? '').names;
    const better = view('completed', { title: 'A better name', firstTitle: 'A goal' });
    bench.discord.fault({ method: 'PATCH', path: '/channels/:id', kind: 'status', status: 429, retryAfter: 600 });
    await bench.channel.showTask?.(address, better);
    const second = bench.again();
    await second.connect();
    await second.channel.showTask?.(address, better);
    expect(names()).toEqual(['A goal', 'A better name']);
    bench.discord.renameThread(address.thread ?? '', 'By hand');
    const third = bench.again();
    await third.connect();
    await third.channel.showTask?.(address, view('completed', { title: 'One more', firstTitle: 'A goal' }));
    expect(names().at(-1)).toBe('By hand');
  });
});

describe('putting away', () => {
  it('happens when the task is done and its thread quiet, and a message wakes it', async () => {
    const archiveMinutes = 0.005;
    const bench = await talking({ archiveMinutes });
    const address = await goal(bench);
    const thread = address.thread ?? '';
    const state = () => bench.discord.thread(thread);
    await bench.channel.showTask?.(address, view('completed'));
    const before = Date.now();
    await bench.channel.send(answer(bench, { thread, text: 'one more thing' }), createLedger());
    // Each message counts anew, however long it took; on a slow machine the thread may have been put away before it came.
    await eventually(() => state().archived && state().archivedAt - before >= archiveMinutes * 60_000 - 5);
    bench.discord.say(thread, 'and now?');
    expect(state().archived).toBe(false);
    expect(await bench.takes(({ text }) => text === 'and now?')).toMatchObject({ address, isThread: true });
  });

  it('does not happen to a task that runs again', async () => {
    const bench = await talking({ archiveMinutes: 0.01 });
    const address = await goal(bench);
    const other = await bench.channel.openThread?.(await mentioned(bench), { key: 't2', title: 'Another' });
    if (!other) throw new Error('no thread');
    const isArchived = ({ thread = '' }: Address) => bench.discord.thread(thread).archived;
    await Promise.all([
      bench.channel.showTask?.(address, view('completed')),
      bench.channel.showTask?.(address, view('running')),
      bench.channel.showTask?.(other, view('completed', { id: 't2' })),
    ]);
    await eventually(() => isArchived(other));
    expect(isArchived(address)).toBe(false);
  });
});
