/** Chats, topics, replies and membership, with the real grammY client. */
import { describe, expect, test } from 'vitest';
import { ALEX, apiOf, FORUM, freshTelegram, GROUP, refused, refuses } from './grammy-helpers.ts';
import { startTelegram } from './telegram.ts';

const fresh = freshTelegram({ webhookRetryMs: 20 });

describe('chats', () => {
  test('a bot writes only where it may', async () => {
    await refuses(fresh.api.sendMessage(555, 'x'), '400 Bad Request: chat not found');
    fresh.tg.addUser({ id: 556 });
    await refuses(fresh.api.sendMessage(556, 'x'), "403 Forbidden: bot can't initiate conversation with a user");
    fresh.tg.say(ALEX, 'hi');
    fresh.tg.block(ALEX);
    await refuses(fresh.api.sendMessage(ALEX, 'x'), '403 Forbidden: bot was blocked by the user');
    fresh.tg.unblock(ALEX);
    await fresh.api.sendMessage(ALEX, 'x');
    const statuses = (await fresh.api.getUpdates()).flatMap(
      (update) => update.my_chat_member?.new_chat_member.status ?? [],
    );
    expect(statuses).toEqual(['kicked', 'member']);
    fresh.tg.addChat({ id: GROUP, type: 'group', title: 'Team' }, { members: [ALEX] });
    fresh.tg.leave(GROUP, fresh.tg.bot.id, { by: ALEX });
    await refuses(fresh.api.sendMessage(GROUP, 'x'), '403 Forbidden: bot was kicked from the group chat');
  });

  test('a group that became a supergroup says where it went', async () => {
    fresh.tg.say(GROUP, { from: ALEX, text: 'hi' });
    const moved = fresh.tg.migrate(GROUP);
    const error = await fresh.api.sendMessage(GROUP, 'x').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ error_code: 400, parameters: { migrate_to_chat_id: moved } });
    await fresh.api.sendMessage(moved, 'x');
    const kinds = (await fresh.api.getUpdates()).map(({ message }) => [
      message?.migrate_to_chat_id,
      message?.migrate_from_chat_id,
    ]);
    expect(kinds).toEqual([
      [undefined, undefined],
      [moved, undefined],
      [undefined, GROUP],
    ]);
  });

  test('replies need their message, unless they may go without', async () => {
    const { message_id } = fresh.tg.say(ALEX, 'the first words');
    const reply = await fresh.api.sendMessage(ALEX, 'x', { reply_parameters: { message_id, quote: 'first' } });
    expect(reply.reply_to_message?.message_id).toBe(message_id);
    expect(fresh.tg.chat(ALEX).messages.at(-1)).toMatchObject({ replyTo: message_id, quote: 'first' });
    const missing = { message_id: 999 };
    await refuses(
      fresh.api.sendMessage(ALEX, 'x', { reply_parameters: missing }),
      '400 Bad Request: message to be replied not found',
    );
    await fresh.api.sendMessage(ALEX, 'x', { reply_parameters: { ...missing, allow_sending_without_reply: true } });
    const quote = { message_id, quote: 'other words' };
    await refuses(fresh.api.sendMessage(ALEX, 'x', { reply_parameters: quote }), 'QUOTE_TEXT_INVALID');
  });

  test('topics have ids, General has none', async () => {
    fresh.tg.addChat({ id: FORUM, type: 'supergroup', title: 'Forum', is_forum: true }, { members: [ALEX] });
    const thread = fresh.tg.topic(FORUM, 'Plans', { by: ALEX });
    fresh.tg.say(FORUM, { from: ALEX, text: 'in the topic', thread });
    fresh.tg.say(FORUM, { from: ALEX, text: 'in General' });
    const [created, topical, general] = (await fresh.api.getUpdates()).map((update) => update.message);
    expect(created?.forum_topic_created?.name).toBe('Plans');
    expect(topical).toMatchObject({
      message_thread_id: thread,
      is_topic_message: true,
      reply_to_message: { message_id: thread },
    });
    expect(general).not.toHaveProperty('message_thread_id');
    const sent = await fresh.api.sendMessage(FORUM, 'x', { message_thread_id: thread });
    expect(sent).toMatchObject({ message_thread_id: thread, is_topic_message: true });
    await refuses(
      fresh.api.sendMessage(FORUM, 'x', { message_thread_id: 1 }),
      '400 Bad Request: message thread not found',
    );
    fresh.tg.say(ALEX, 'hi');
    await refuses(fresh.api.sendMessage(ALEX, 'x', { message_thread_id: 7 }), 'message thread not found');
    const inTopic = await fresh.api.sendMessage(FORUM, 'x', {
      reply_parameters: { message_id: topical?.message_id ?? 0 },
    });
    expect(inTopic.message_thread_id).toBe(thread);
    expect((await fresh.api.sendMessage(FORUM, 'x')).message_thread_id).toBeUndefined();
  });

  test('a chain of replies in a plain supergroup is a thread but no topic', async () => {
    const chat = -1_001_111;
    const { message_id } = fresh.tg.say(chat, { from: ALEX, text: 'one' });
    const second = fresh.tg.say(chat, { from: ALEX, text: 'two', replyTo: message_id });
    expect(second).toMatchObject({ message_thread_id: message_id });
    expect(second).not.toHaveProperty('is_topic_message');
  });

  test('privacy mode shows only what is meant for the bot', async () => {
    const shy = await startTelegram({ privacy: true });
    const said = ['chatter', '/help', '/help@other_bot', 'hey @viber_test_bot', 'bye'];
    for (const text of said) shy.say(GROUP, { from: ALEX, text });
    shy.join(GROUP, 1002);
    const got = await apiOf(shy).getUpdates();
    expect(got.map(({ message }) => message?.text ?? 'service')).toEqual(['/help', 'hey @viber_test_bot', 'service']);
    await shy.close();
  });

  test('commands are kept by scope, and checked', async () => {
    await fresh.api.setMyCommands([{ command: 'help', description: 'Help' }]);
    await fresh.api.setMyCommands([{ command: 'plan', description: 'Plan' }], { scope: { type: 'all_private_chats' } });
    expect(await fresh.api.getMyCommands()).toEqual([{ command: 'help', description: 'Help' }]);
    expect(await fresh.api.getMyCommands({ scope: { type: 'all_group_chats' } })).toEqual([]);
    await refuses(fresh.api.setMyCommands([{ command: 'Help!', description: 'x' }]), 'BOT_COMMAND_INVALID');
  });

  test('a channel speaks for itself', async () => {
    const channel = { id: -1_003_333, type: 'channel', title: 'News', username: 'the_news' } as const;
    fresh.tg.addChat(channel);
    const post = fresh.tg.say(channel.id, 'Version 2');
    fresh.tg.edit(channel.id, post.message_id, 'Version 2.0');
    const updates = await fresh.api.getUpdates();
    expect(updates).toMatchObject([
      { channel_post: { sender_chat: channel } },
      { edited_channel_post: { text: 'Version 2.0' } },
    ]);
    expect(updates[0]?.channel_post).not.toHaveProperty('from');
    const sent = await fresh.api.sendMessage('@The_News', 'x');
    expect(sent.sender_chat?.id).toBe(channel.id);
    expect(sent).not.toHaveProperty('from');
    expect(await refused(fresh.api.sendChatAction(channel.id, 'typing'))).toContain('400');
  });

  test('coming and going is told', async () => {
    fresh.tg.addChat({ id: GROUP, type: 'group', title: 'Team' }, { members: [ALEX] });
    fresh.tg.join(GROUP, 1002);
    fresh.tg.leave(GROUP, 1002, { by: ALEX });
    fresh.tg.leave(GROUP, fresh.tg.bot.id);
    fresh.tg.say(GROUP, { from: ALEX, text: 'not for a bot that left' });
    const updates = await fresh.api.getUpdates();
    expect(updates).toMatchObject([
      { message: { new_chat_members: [{ id: 1002 }] } },
      { message: { left_chat_member: { id: 1002 }, from: { id: ALEX } } },
      { my_chat_member: { new_chat_member: { status: 'left' }, from: { id: fresh.tg.bot.id } } },
    ]);
    expect(updates).toHaveLength(3);
    await refuses(fresh.api.sendMessage(GROUP, 'x'), '403 Forbidden: bot is not a member of the group chat');
    expect((await fresh.api.getChatMember(GROUP, 1002)).status).toBe('kicked');
  });

  test('message ids: private chats share one count, a supergroup has its own', () => {
    const ids = [ALEX, 1002, GROUP, FORUM, ALEX, FORUM].map((chat) => fresh.tg.say(chat, 'x').message_id);
    expect(ids).toEqual([1, 2, 3, 2, 4, 3]);
  });
});
