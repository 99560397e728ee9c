/** Guilds and threads that appear and disappear, forwards, webhooks and bots, with the real discord.js client. */
import { once } from 'node:events';
import { ChannelType, Events, MessageReferenceType } from 'discord.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Bench, bench } from './discord/testing.ts';

let it: Bench;
let general: string;
beforeAll(async () => {
  it = await bench();
  general = it.discord.rooms.general;
});
afterAll(() => it.end());

test('a guild is joined, and left again', async () => {
  const joined = once(it.client, Events.GuildCreate);
  const { guildId, channelId } = it.discord.addGuild('Second');
  expect((await joined)[0]).toMatchObject({ id: guildId, name: 'Second' });
  const count = it.heard.length;
  it.discord.say(channelId, 'over here');
  expect((await it.hears(count + 1)).at(-1)?.guildId).toBe(guildId);
  const left = once(it.client, Events.GuildDelete);
  it.discord.removeGuild(guildId);
  await left;
  await expect(it.client.channels.fetch(channelId, { force: true })).rejects.toMatchObject({ code: 10_003 });
});

test('a channel that is seen again brings its threads', async () => {
  const { id } = it.discord.addChannel('hidden');
  const thread = it.discord.createThread(id, { name: 'inside' });
  it.discord.deny(id, ['ViewChannel']);
  await expect.poll(() => it.client.channels.cache.has(id)).toBe(false);
  const synced = once(it.client, Events.ThreadListSync);
  it.discord.deny(id, []);
  await synced;
  expect(it.client.channels.cache.get(thread.id)?.type).toBe(ChannelType.PublicThread);
});

test('forwards, webhooks and other bots are told apart', async () => {
  const count = it.heard.length;
  const origin = it.discord.say(it.discord.rooms.random, 'the origin');
  it.discord.say(general, '', { forward: { channelId: it.discord.rooms.random, messageId: origin.id } });
  it.discord.say(general, 'from outside', { webhook: 'CI' });
  it.discord.person({ id: '2009', username: 'other-bot', isBot: true });
  it.discord.say(general, 'beep', { from: '2009' });
  const [, forward, webhook, bot] = (await it.hears(count + 4)).slice(count);
  expect(forward?.reference?.type).toBe(MessageReferenceType.Forward);
  expect(forward?.messageSnapshots.first()?.content).toBe('the origin');
  expect(webhook).toMatchObject({ webhookId: expect.any(String), author: { bot: true, username: 'CI' } });
  expect(bot?.author.bot).toBe(true);
});

test('an edit comes as an update, a deletion as a deletion', async () => {
  const { id } = it.discord.say(general, 'frist');
  const updated = once(it.client, Events.MessageUpdate);
  it.discord.edit(general, id, 'first');
  expect((await updated)[1]).toMatchObject({ id, content: 'first', editedTimestamp: expect.any(Number) });
  const deleted = once(it.client, Events.MessageDelete);
  it.discord.delete(general, id);
  expect((await deleted)[0]).toMatchObject({ id });
  expect(it.discord.channel(general).deleted).toContain(id);
});

test('a private thread is heard by its members and managers only', async () => {
  it.discord.deny(it.discord.rooms.random, ['ManageThreads']);
  const hidden = it.discord.createThread(it.discord.rooms.random, { name: 'hidden', isPrivate: true });
  // Whoever begins it has added the bot.
  const inside = await it.client.channels.fetch(hidden.id);
  if (inside?.isThread()) await inside.leave();
  const count = it.heard.length;
  it.discord.say(hidden.id, 'unheard');
  it.discord.say(general, 'heard');
  expect((await it.hears(count + 1)).slice(count).map((message) => message.content)).toEqual(['heard']);
});

test('what is said in an archived thread by command is refused where Discord refuses it', async () => {
  await it.client.application?.commands.create({ name: 'viber', description: 'x' });
  const { id } = it.discord.createThread(general, { name: 'task' });
  const errors: unknown[] = [];
  it.client.once(Events.InteractionCreate, async (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    await interaction.deferReply();
    it.discord.archive(id);
    await interaction.editReply('late').catch((error: unknown) => errors.push(error));
  });
  await it.discord.slash({ channel: id });
  await expect.poll(() => errors).toMatchObject([{ code: 50_083 }]);
  await expect(it.discord.slash({ channel: id })).rejects.toThrow(/archived/);
});
