/** Messages, files, threads and permissions, with the real discord.js client. */
import { createHash } from 'node:crypto';
import { ChannelType, type Message, type TextChannel } from 'discord.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, bench } from './discord/testing.ts';
import { TEST_PEOPLE } from './discord.ts';

let it: Bench;
let general: TextChannel;
beforeAll(async () => {
  it = await bench();
  const channel = await it.client.channels.fetch(it.discord.rooms.general);
  if (channel?.type !== ChannelType.GuildText) throw new Error('no text channel');
  general = channel;
});
afterAll(() => it.end());

const refused = (code: number) => expect.objectContaining({ code });

async function hear(say: () => { id: string }): Promise<Message> {
  const count = it.heard.length;
  const { id } = say();
  const found = (await it.hears(count + 1)).find((message) => message.id === id);
  if (!found) throw new Error('not heard');
  return found;
}

describe('messages', () => {
  test('a mention is heard with guild, member and content', async () => {
    const message = await hear(() => it.discord.say(general.id, 'hello', { mention: true }));
    expect(message.content).toBe(`<@${it.discord.bot.id}> hello`);
    expect(message.mentions.has(it.discord.bot.id)).toBe(true);
    expect(message.member?.id).toBe(TEST_PEOPLE.alex);
    expect(message.guild?.id).toBe(it.discord.guildId);
  });

  test('a reply pings unless it may not; an unknown message cannot be answered', async () => {
    const asked = it.discord.say(general.id, 'question');
    const loud = await general.send({ content: 'yes @everyone', reply: { messageReference: asked.id } });
    const quiet = await general.send({
      content: `no @everyone <@${TEST_PEOPLE.bea}>`,
      reply: { messageReference: asked.id },
      allowedMentions: { parse: [], repliedUser: false },
    });
    expect(it.discord.message(general.id, quiet.id).replyTo).toBe(asked.id);
    const pings = it.discord.pings().filter(({ messageId }) => messageId === loud.id || messageId === quiet.id);
    expect(pings).toEqual([
      { messageId: loud.id, channelId: general.id, everyone: true, users: [TEST_PEOPLE.alex], roles: [] },
    ]);
    const reply = { messageReference: '999999999999999999', failIfNotExists: true };
    await expect(general.send({ content: 'x', reply })).rejects.toEqual(refused(50_035));
    const kept = await general.send({ content: 'x', reply: { ...reply, failIfNotExists: false } });
    expect(it.discord.message(general.id, kept.id).replyTo).toBeNull();
  });

  test('limits are refused with the words of Discord', async () => {
    const row = (...ids: string[]) => ({
      type: 1,
      components: ids.map((id) => ({ type: 2, style: 1, label: 'x', custom_id: id })),
    });
    await expect(general.send('x'.repeat(2001))).rejects.toThrow(/Must be 2000 or fewer in length/);
    await expect(general.send({ content: ' \n ' })).rejects.toEqual(refused(50_006));
    await expect(general.send({ content: 'x', nonce: 'n'.repeat(26) })).rejects.toThrow(/nonce/);
    await expect(general.send({ content: 'x', components: [row('a', 'a')] })).rejects.toThrow(/cannot be duplicated/);
    await expect(general.send({ content: 'x', components: [row('a'.repeat(101))] })).rejects.toThrow(
      /between 1 and 100/,
    );
    await expect(general.send({ content: 'x', components: Array(6).fill(row('a')) })).rejects.toThrow(/5 or fewer/);
    await expect(general.send({ content: 'x', components: [row('a', 'b', 'c', 'd', 'e', 'f')] })).rejects.toThrow(
      /5 or/,
    );
    const exclusive = { parse: ['users'], users: ['1'] } as const;
    await expect(general.send({ content: 'x', allowedMentions: exclusive })).rejects.toThrow(/mutually exclusive/);
    expect((await general.send('😀'.repeat(2000))).content).toHaveLength(4000);
  });

  test('a nonce used again gives the first message back', async () => {
    const first = await general.send({ content: 'once', nonce: 'key-1', enforceNonce: true });
    const second = await general.send({ content: 'once', nonce: 'key-1', enforceNonce: true });
    const third = await general.send({ content: 'once', nonce: 'key-1' });
    expect(second.id).toBe(first.id);
    expect(third.id).not.toBe(first.id);
  });

  test('edits, reactions, typing, deletions and history', async () => {
    const message = await general.send('draft');
    await message.edit('final');
    await message.react('👀');
    await general.sendTyping();
    expect(it.discord.message(general.id, message.id)).toMatchObject({
      text: 'final',
      edits: 1,
      reactions: [{ emoji: '👀', users: [it.discord.bot.id] }],
    });
    expect(it.discord.typing().at(-1)?.channelId).toBe(general.id);
    const other = it.discord.say(general.id, 'theirs');
    await expect(general.messages.edit(other.id, 'mine')).rejects.toEqual(refused(50_005));
    const later = await general.messages.fetch({ after: message.id, limit: 100 });
    expect([...later.keys()]).toEqual([other.id]);
    await message.delete();
    await expect(general.messages.fetch(message.id)).rejects.toEqual(refused(10_008));
    await expect(general.messages.fetch({ limit: 100, before: 'x' })).rejects.toEqual(refused(50_035));
  });

  test('direct messages come without a guild and are answered', async () => {
    const message = await hear(() => it.discord.dm(TEST_PEOPLE.bea, 'psst'));
    expect(message.channel.type).toBe(ChannelType.DM);
    const answer = await message.reply('yes?');
    expect(it.discord.channel(message.channelId).messages.at(-1)).toMatchObject({ id: answer.id, from: 'bot' });
    it.discord.closeDm(TEST_PEOPLE.bea);
    await expect(message.reply('still there?')).rejects.toEqual(refused(50_007));
  });
});

describe('files', () => {
  test('go up with their bytes, and down by an address that expires', async () => {
    const bytes = Buffer.from('a,b\n1,2\n');
    await general.send({ files: [{ attachment: bytes, name: 'ta ble.csv', description: 'numbers' }] });
    const [file] = it.discord.channel(general.id).messages.at(-1)?.files ?? [];
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(file).toMatchObject({ name: 'ta ble.csv', size: 8, sha256, description: 'numbers' });
    const sent = await general.send({ files: [{ attachment: bytes, name: 'план (2).csv' }] });
    expect(sent.attachments.first()).toMatchObject({ name: '2.csv', title: 'план (2)' });
    const said = await hear(() =>
      it.discord.say(general.id, '', { attachments: [{ name: 'n.txt', text: 'notes', contentType: 'text/plain' }] }),
    );
    const attachment = said.attachments.first();
    expect(await (await fetch(attachment?.url ?? '')).text()).toBe('notes');
    expect((await fetch(String(attachment?.url).replace(/hm=[0-9a-f]{4}/, 'hm=0000'))).status).toBe(404);
    expect((await fetch(String(attachment?.url).split('?')[0] ?? '')).status).toBe(404);
  });

  test('too many and too large are refused', async () => {
    const file = (size: number) => ({ attachment: Buffer.alloc(size), name: 'f.bin' });
    await expect(general.send({ files: [file(10 * 1024 * 1024 + 1)] })).rejects.toEqual(refused(40_005));
    await expect(general.send({ files: Array(11).fill(file(1)) })).rejects.toEqual(refused(50_035));
  });
});

describe('threads', () => {
  test('hang on a message with its id, only one of them', async () => {
    const message = await general.send('a task');
    const thread = await message.startThread({ name: 'Plan the trip' });
    expect(thread.id).toBe(message.id);
    expect(it.discord.thread(thread.id)).toMatchObject({
      name: 'Plan the trip',
      parentId: general.id,
      archived: false,
    });
    const again = general.threads.create({ name: 'again', startMessage: message.id });
    await expect(again).rejects.toEqual(refused(160_004));
    const heard = await hear(() => it.discord.say(thread.id, 'more'));
    expect(heard.channel.isThread()).toBe(true);
    expect(heard.type).toBe(0);
  });

  test('archived ones are closed for edits and open for a message, unless locked', async () => {
    const thread = await general.threads.create({ name: 'side', type: ChannelType.PublicThread });
    const inside = await thread.send('in');
    await thread.setName('side: done');
    await thread.setArchived(true);
    expect(it.discord.thread(thread.id)).toMatchObject({ archived: true, names: ['side', 'side: done'] });
    await expect(inside.edit('changed')).rejects.toEqual(refused(50_083));
    await expect(thread.setName('other')).rejects.toEqual(refused(50_083));
    await thread.send('back');
    expect(it.discord.thread(thread.id).archived).toBe(false);
    it.discord.archive(thread.id, { locked: true });
    await expect(thread.send('no')).rejects.toEqual(refused(50_083));
    await expect(general.threads.create({ name: 'x'.repeat(101) })).rejects.toEqual(refused(50_035));
  });

  test('a person reopens a thread by talking, and the client learns of it', async () => {
    const { id } = it.discord.createThread(general.id, { name: 'theirs' });
    it.discord.archive(id);
    await hear(() => it.discord.say(id, 'hello again'));
    expect(it.client.channels.cache.get(id)).toMatchObject({ archived: false });
  });
});

describe('rights', () => {
  test('what is denied is refused, and an unseen channel is silent', async () => {
    const { id } = it.discord.addChannel('private');
    const channel = await it.client.channels.fetch(id);
    if (channel?.type !== ChannelType.GuildText) throw new Error('no text channel');
    it.discord.deny(id, ['SendMessages', 'CreatePublicThreads']);
    await expect(channel.send('x')).rejects.toEqual(refused(50_013));
    it.discord.deny(id, ['ViewChannel']);
    await expect(channel.send('x')).rejects.toEqual(refused(50_001));
    const count = it.heard.length;
    it.discord.say(id, 'unheard');
    await hear(() => it.discord.say(general.id, 'heard'));
    expect(it.heard.length).toBe(count + 1);
    await expect(it.client.channels.fetch('123')).rejects.toEqual(refused(10_003));
  });
});

test('waiting leaves out what the platform itself says about threads', async () => {
  const thread = await general.threads.create({ name: 'noisy', type: ChannelType.PublicThread });
  await thread.setName('noisier');
  await thread.send('the answer');
  const types = it.discord.channel(thread.id).messages.map(({ type, isSystem }) => [type, isSystem]);
  expect(types).toEqual([
    [4, true],
    [0, false],
  ]);
  expect(await it.discord.wait({ channel: thread.id, from: 'bot' })).toMatchObject([{ text: 'the answer' }]);
  await expect(it.discord.wait({ channel: thread.id, text: 'never', timeoutMs: 20 })).rejects.toThrow(/the answer/);
  expect(it.discord.channel(it.discord.openDm('2004')).messages).toEqual([]);
});
