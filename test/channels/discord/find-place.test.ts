/** The place that a written Discord address means: a channel, a thread by its own id alone, a direct conversation. */
import { expect, test } from 'vitest';
import { DeliveryError } from '../../../src/errors.ts';
import { ALEX, startBench } from './harness.ts';

test('channels, threads and direct conversations', async () => {
  const { discord, channel, connect } = await startBench();
  const dm = discord.openDm(ALEX);
  await connect();
  const find = async (chat: string, thread?: string) => channel.findPlace?.({ chat, ...(thread ? { thread } : {}) });
  const base = { channel: 'discord', account: channel.account };
  const inGuild = { ...base, workspace: discord.guildId };
  const { id: thread } = discord.createThread(discord.rooms.general, { name: 'A thread' });
  expect(await find(discord.rooms.general)).toEqual({
    address: { ...inGuild, chat: discord.rooms.general },
    isDirect: false,
  });
  const place = { address: { ...inGuild, chat: discord.rooms.general, thread }, isDirect: false };
  await expect.poll(() => find(thread)).toEqual(place);
  expect(await find(discord.rooms.general, thread)).toEqual(place);
  expect(await find('1', thread)).toBeUndefined();
  expect(await find(dm)).toEqual({ address: { ...base, chat: dm }, isDirect: true, user: ALEX });
  for (const wrong of ['1', 'general', '../1', '']) expect(await find(wrong), wrong).toBeUndefined();
});

test('while Discord is away nothing is said about a place it has not told of', async () => {
  const { discord, channel, connect } = await startBench();
  const dm = discord.openDm(ALEX);
  await connect();
  await discord.outage('refuse');
  await expect(channel.findPlace?.({ chat: dm })).rejects.toThrow(DeliveryError);
});
