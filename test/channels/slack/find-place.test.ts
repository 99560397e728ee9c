/** The place that a written Slack address means, and whose a direct conversation is. */
import { expect, test } from 'vitest';
import { DeliveryError } from '../../../src/errors.ts';
import { answer, createLedger, startBench } from './harness.ts';

const ALEX = 'U0ALEX000';
const BASE = { channel: 'slack', account: 'U0VIBER00', workspace: 'T0EMULATE' };

test('channels, threads, direct conversations and people', async () => {
  const { slack, channel, connect } = await startBench();
  const dm = slack.dmChannel(ALEX);
  await connect();
  const find = async (chat: string, thread?: string) => channel.findPlace?.({ chat, ...(thread ? { thread } : {}) });
  expect(await find(slack.general)).toEqual({ address: { ...BASE, chat: slack.general }, isDirect: false });
  const thread = { ...BASE, chat: slack.general, thread: '1718.22' };
  expect(await find(slack.general, '1718.22')).toEqual({ address: thread, isDirect: false });
  expect(await find(ALEX)).toEqual({ address: { ...BASE, chat: dm }, isDirect: true, user: ALEX });
  for (const wrong of ['U0NOBODY0', 'D0NOWHERE', 'X0UNKNOWN', 'c0lower', '../C01', ''])
    expect(await find(wrong), wrong).toBeUndefined();
  expect(await find(slack.general, 'soon')).toBeUndefined();
});

test('whose a conversation is stays known when the bot alone has written there for long', async () => {
  const { slack, channel, connect } = await startBench();
  const dm = slack.dmChannel(ALEX);
  await connect();
  for (let n = 0; n < 55; n++)
    await channel.send(answer(channel, { id: `a${n}`, chat: dm, text: `digest ${n}` }), createLedger());
  expect(await channel.findPlace?.({ chat: dm })).toEqual({
    address: { ...BASE, chat: dm },
    isDirect: true,
    user: ALEX,
  });
});

test('while Slack is away nothing is said about a place', async () => {
  const { slack, channel, connect } = await startBench();
  const dm = slack.dmChannel(ALEX);
  await connect();
  await slack.outage('refuse');
  await expect(channel.findPlace?.({ chat: dm })).rejects.toThrow(DeliveryError);
});
