/** How tasks are shown: our first message, reactions on a person's, an assistant's title; and what is streamed there. */
import { expect, test } from 'vitest';
import type { Address, TaskView } from '../../../src/channels/channel.ts';
import { LIVE_TIMING } from '../../../src/channels/slack/options.ts';
import type { Slack } from '../../emulators/slack.ts';
import { createViews } from '../live-views.ts';
import { answer, benchOn, createLedger, eventually, startBench } from './harness.ts';

const task: TaskView = { id: 't-1', title: 'A poem', state: 'running' };
const stars: TaskView = { ...task, title: 'A poem about stars' };

function at(slack: Slack, chat: string, thread: string): Address {
  return { channel: 'slack', account: slack.bot.userId, workspace: slack.team.id, chat, thread };
}

const reactions = (slack: Slack) => slack.channel(slack.general).messages[0]?.reactions.map(({ name }) => name);

test('our first message shows the state, also from another process, and keeps its key', async () => {
  const { slack, channel, got, connect } = await startBench();
  await connect();
  await slack.slash({ text: 'write a poem about <!channel> & *stars*', user: 'U0SAM0000' });
  const message = got[0]?.message;
  if (!message || !channel.openThread) throw new Error('nothing came');
  const place = await channel.openThread(message, { key: 'k', title: 'A poem about stars' });
  await channel.showTask?.(place, { ...stars, progress: { done: 1, total: 3 } });
  const root = () => slack.channel(slack.general).messages.find(({ ts }) => ts === place.thread);
  expect(root()?.shown).toContain('Working, 1 of 3 steps done');
  const edits = slack.counters().methods['chat.update'];
  await channel.showTask?.(place, { ...stars, progress: { done: 1, total: 3 } });
  expect(slack.counters().methods['chat.update']).toBe(edits);
  const other = await benchOn(slack);
  await other.connect();
  await other.channel.showTask?.(place, { ...stars, state: 'completed' });
  expect(root()?.shown).toContain('Done');
  expect(root()?.shown).toContain('A poem about stars');
  expect(root()?.shown).toContain('write a poem about @channel & *stars*');
  expect(root()?.metadata?.event_payload.key).toBe('k');
  expect(slack.pings()).toEqual([]);
});

test('our first message shows a new title at once, and the goal stays below it', async () => {
  const { slack, channel, got, connect } = await startBench();
  await connect();
  await slack.slash({ text: 'a poem', user: 'U0SAM0000' });
  const message = got[0]?.message;
  if (!message || !channel.openThread) throw new Error('nothing came');
  const place = await channel.openThread(message, { key: 'k', title: 'a poem' });
  await channel.showTask?.(place, { ...task, title: 'a poem', state: 'completed' });
  await channel.showTask?.(place, { ...task, title: 'Verses of <!channel>', state: 'completed' });
  const root = () => slack.channel(slack.general).messages.find(({ ts }) => ts === place.thread)?.shown;
  expect(root()).toMatch(/Verses of [\s\S]*a poem/);
  const other = await benchOn(slack);
  await other.connect();
  await other.channel.showTask?.(place, { ...task, title: 'Third', state: 'completed' });
  expect(root()).toMatch(/Third[\s\S]*a poem/);
  expect(slack.pings()).toEqual([]);
});

test('a person’s first message gets a reaction, and one at a time', async () => {
  const { slack, channel, connect } = await startBench();
  await connect();
  const root = slack.say(slack.general, 'do it', { mention: true });
  const place = at(slack, slack.general, root.ts);
  await channel.showTask?.(place, task);
  expect(reactions(slack)).toEqual(['eyes']);
  await channel.showTask?.(place, { ...task, state: 'error' });
  expect(reactions(slack)).toEqual(['x']);
  const other = await benchOn(slack);
  await other.connect();
  await other.channel.showTask?.(place, { ...task, state: 'completed' });
  expect(reactions(slack)).toEqual(['white_check_mark']);
});

test('many views in a row cost few calls, and the last one stands', async () => {
  const { slack, channel, connect } = await startBench();
  await connect();
  const root = slack.say(slack.general, 'do it', { mention: true });
  await slack.settled();
  const states: TaskView['state'][] = ['pending', 'running', 'error', 'running', 'stopped', 'completed'];
  await Promise.all(states.map((state) => channel.showTask?.(at(slack, slack.general, root.ts), { ...task, state })));
  expect(reactions(slack)).toEqual(['white_check_mark']);
  expect(slack.counters().methods['reactions.add']).toBe(2);
  // Whose message it is was known, and nothing was there to remove but our own.
  expect(slack.counters().methods['conversations.replies']).toBeUndefined();
  expect(slack.counters().methods['reactions.remove']).toBe(1);
});

test('an assistant’s thread has a title, and suggestions for whoever is known', async () => {
  const { slack, channel, connect } = await startBench();
  await connect();
  const first = slack.openAssistant('U0ALEX000');
  await slack.settled();
  expect(slack.counters().methods['assistant.threads.setSuggestedPrompts']).toBeUndefined();
  slack.dm('U0ALEX000', 'hello', { thread: first.ts });
  await slack.settled();
  await channel.showTask?.(at(slack, first.channel, first.ts), task);
  const second = slack.openAssistant('U0ALEX000');
  await eventually(() => (slack.channel(first.channel).assistants[second.ts]?.prompts.length ?? 0) > 0);
  expect(slack.channel(first.channel).assistants[first.ts]?.title).toBe('A poem');
});

test('what the last view says is shown in the end, also when Slack was busy or away, and not too often', async () => {
  const { slack, channel, connect } = await startBench({ timing: { taskMs: 60 } });
  await connect();
  const root = slack.say(slack.general, 'do it', { mention: true });
  const place = at(slack, slack.general, root.ts);
  await channel.showTask?.(place, task);
  slack.fault({ method: 'reactions.add', kind: '429', retryAfter: 1 });
  slack.fault({ method: 'reactions.add', kind: 'status', status: 503 });
  await channel.showTask?.(place, { ...task, state: 'completed' });
  expect(reactions(slack)).toEqual(['white_check_mark']);
});

test('what fails is not thrown', async () => {
  const { slack, channel, connect } = await startBench();
  await connect();
  const root = slack.say(slack.general, 'do it', { mention: true });
  for (const method of ['conversations.replies', 'reactions.add']) slack.fault({ method, kind: 'reset' });
  const place = at(slack, slack.general, root.ts);
  await channel.showTask?.(place, task);
  await channel.showTask?.(place, task);
  await channel.showTask?.(place, task);
  expect(reactions(slack)).toEqual(['eyes']);
  await channel.showTask?.({ ...place, chat: 'C0NOWHERE' }, task);
});

test('a text that was streamed becomes the answer, in the same message', async () => {
  const live = { ...LIVE_TIMING, typingAfter: 5, statusAfter: 20, statusEvery: 20, textEvery: 15 };
  const { slack, channel, connect } = await startBench({ live: 'text', timing: { live } });
  await connect();
  const root = slack.say(slack.general, 'do it', { mention: true });
  await slack.settled();
  const place = at(slack, slack.general, root.ts);
  const views = createViews();
  const said = (content: string) => {
    const event = { agentId: 'a', taskId: 't', runId: 'r', type: 'text-delta', content } as const;
    return channel.stream?.(event, place, views(event, place));
  };
  await said('Once upon ');
  const streaming = await slack.wait({ channel: slack.general, thread: root.ts, from: 'bot' });
  expect(streaming.streaming).toBe(true);
  await said('a time ');
  await slack.wait({ channel: slack.general, text: 'Once upon a time' });
  const placeholder = await channel.endStream?.('r', place, true);
  expect(placeholder).toBe(streaming.ts);
  const message = {
    ...answer(channel, { chat: slack.general, thread: root.ts, text: 'The **end**' }),
    placeholder: placeholder ?? '',
  };
  await channel.send(message, createLedger());
  const messages = slack.channel(slack.general).messages.filter(({ from }) => from === 'bot');
  expect(messages).toMatchObject([{ ts: streaming.ts, streaming: false, shown: 'The **end**' }]);
});

test('a stream that could not be stopped is stopped before the answer replaces it', async () => {
  const live = { ...LIVE_TIMING, typingAfter: 5, statusAfter: 20, statusEvery: 20, textEvery: 15 };
  const { slack, channel, connect } = await startBench({ live: 'text', timing: { live } });
  await connect();
  const root = slack.say(slack.general, 'do it', { mention: true });
  await slack.settled();
  const place = at(slack, slack.general, root.ts);
  const event = { agentId: 'a', taskId: 't', runId: 'r', type: 'text-delta', content: 'Half a ' } as const;
  await channel.stream?.(event, place, createViews()(event, place));
  await slack.wait({ channel: slack.general, thread: root.ts, from: 'bot' });
  slack.fault({ method: 'chat.stopStream', kind: 'status', status: 503 });
  const placeholder = (await channel.endStream?.('r', place, true)) ?? '';
  const message = answer(channel, { chat: slack.general, thread: root.ts, text: 'Whole', placeholder });
  await channel.send(message, createLedger());
  const messages = slack.channel(slack.general).messages.filter(({ from }) => from === 'bot');
  expect(messages).toMatchObject([{ streaming: false, shown: 'Whole' }]);
});
