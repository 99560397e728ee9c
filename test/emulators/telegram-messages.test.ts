/** Text, entities, buttons, edits, rich messages: everything a bot may write, with the real grammY client. */
import { beforeEach, describe, expect, test } from 'vitest';
import { ALEX, apiOf, freshTelegram, refused, refuses } from './grammy-helpers.ts';
import { startTelegram } from './telegram.ts';

const fresh = freshTelegram({ webhookRetryMs: 20 });

describe('text', () => {
  beforeEach(() => void fresh.tg.say(ALEX, 'hi'));

  test('has 1 to 4096 UTF-16 units after cleaning', async () => {
    await refuses(fresh.api.sendMessage(ALEX, ''), '400 Bad Request: message text is empty');
    await refuses(fresh.api.sendMessage(ALEX, ' \n '), '400 Bad Request: message text is empty');
    await refuses(fresh.api.sendMessage(ALEX, 'x'.repeat(4097)), '400 Bad Request: message is too long');
    await refuses(fresh.api.sendMessage(ALEX, '😀'.repeat(2049)), '400 Bad Request: message is too long');
    expect((await fresh.api.sendMessage(ALEX, `${'😀'.repeat(2048)}  \n`)).text.length).toBe(4096);
    await refuses(fresh.api.sendMessage(ALEX, 'x', { parse_mode: 'HTML' }), 'unsupported parse_mode');
    await refuses(fresh.api.sendMessage(ALEX, '\ud83d'), '400 Bad Request: strings must be encoded in UTF-8');
  });

  test('entities are kept, moved with the text, and refused out of bounds', async () => {
    const bold = (offset: number, length: number) => ({ entities: [{ type: 'bold' as const, offset, length }] });
    expect((await fresh.api.sendMessage(ALEX, '  a 😀b', { ...bold(4, 2) })).entities).toEqual([
      { type: 'bold', offset: 2, length: 2 },
    ]);
    await refuses(fresh.api.sendMessage(ALEX, 'abc', { ...bold(1, 3) }), '400 Bad Request: ENTITY_BOUNDS_INVALID');
    await refuses(fresh.api.sendMessage(ALEX, 'abc', { ...bold(-1, 1) }), '400 Bad Request: ENTITY_BOUNDS_INVALID');
    await refuses(fresh.api.sendMessage(ALEX, '😀', { ...bold(0, 1) }), 'in a middle of a UTF-16 symbol');
    const unusable = [
      { type: 'text_link', offset: 0, length: 3, url: 'javascript:alert(1)' },
      { type: 'code', offset: 0, length: 3 },
      { type: 'bold', offset: 1, length: 1 },
    ] as const;
    await fresh.api.sendMessage(ALEX, 'abc', { entities: [...unusable] });
    const [shown] = fresh.tg.chat(ALEX).messages.slice(-1);
    expect(shown?.entities).toEqual([{ type: 'code', offset: 0, length: 3 }]);
    expect(shown?.droppedEntities).toBe(2);
    const many = Array.from({ length: 150 }, (_, i) => ({ type: 'bold', offset: i, length: 1 }) as const);
    expect((await fresh.api.sendMessage(ALEX, 'x'.repeat(200), { entities: many })).entities).toHaveLength(100);
  });

  test('links, mentions and commands are found by the server', async () => {
    const { entities } = await fresh.api.sendMessage(
      ALEX,
      'see https://a.example/x?y=1. ask @viber_test_bot #now or /help@b_bot a@b.example',
    );
    expect(entities?.map(({ type, offset, length }) => [type, offset, length])).toEqual([
      ['url', 4, 23],
      ['mention', 33, 15],
      ['hashtag', 49, 4],
      ['bot_command', 57, 11],
      ['email', 69, 11],
    ]);
  });

  test('links show a preview unless it is switched off', async () => {
    await fresh.api.sendMessage(ALEX, 'https://a.example/');
    await fresh.api.sendMessage(ALEX, 'https://a.example/', { link_preview_options: { is_disabled: true } });
    expect(fresh.tg.chat(ALEX).messages.map((message) => message.hasPreview)).toEqual([false, true, false]);
  });
});

describe('buttons', () => {
  test('data is 1 to 64 bytes; a press is answered once', async () => {
    fresh.tg.say(ALEX, 'hi');
    const keyboard = (callback_data: string) => ({
      reply_markup: { inline_keyboard: [[{ text: 'Go', callback_data }]] },
    });
    await refuses(fresh.api.sendMessage(ALEX, 'x', keyboard('é'.repeat(33))), '400 Bad Request: BUTTON_DATA_INVALID');
    await refuses(fresh.api.sendMessage(ALEX, 'x', keyboard('')), '400 Bad Request: BUTTON_DATA_INVALID');
    const plain = { reply_markup: { inline_keyboard: [[{ text: 'Go' }]] } };
    await refuses(
      fresh.api.raw.sendMessage({ chat_id: ALEX, text: 'x', ...plain } as never),
      'Text buttons are unallowed',
    );
    await fresh.api.sendMessage(ALEX, 'x', keyboard('go-1'));
    expect(() => fresh.tg.press(ALEX, 'Stop')).toThrow('no button');
    const id = fresh.tg.press(ALEX, 'Go');
    const [, update] = await fresh.api.getUpdates();
    expect(update?.callback_query).toMatchObject({ id, data: 'go-1', from: { id: ALEX }, message: { text: 'x' } });
    await fresh.api.answerCallbackQuery(id, { text: 'on it' });
    expect(fresh.tg.chat(ALEX).queries).toMatchObject([{ data: 'go-1', answer: { text: 'on it', alert: false } }]);
    await refuses(fresh.api.answerCallbackQuery(id), 'query is too old');
    await refuses(fresh.api.answerCallbackQuery('77'), 'query ID is invalid');
  });
});

test('a press that is too old cannot be answered', async () => {
  const hasty = await startTelegram({ queryLifetimeMs: 20 });
  hasty.say(ALEX, 'hi');
  const keyboard = { inline_keyboard: [[{ text: 'Go', callback_data: 'go' }]] };
  await apiOf(hasty).sendMessage(ALEX, 'x', { reply_markup: keyboard });
  const id = hasty.press(ALEX, 'go');
  await new Promise((resolve) => setTimeout(resolve, 40));
  await refuses(apiOf(hasty).answerCallbackQuery(id), 'query is too old');
  await hasty.close();
});

describe('editing and deleting', () => {
  test('an edit needs a change, a message of the bot, and one that is there', async () => {
    const { message_id: theirs } = fresh.tg.say(ALEX, 'hi');
    const { message_id: id } = await fresh.api.sendMessage(ALEX, 'working');
    await fresh.api.editMessageText(ALEX, id, 'done');
    expect(await refused(fresh.api.editMessageText(ALEX, id, ' done '))).toContain(
      '400 Bad Request: message is not modified',
    );
    await refuses(fresh.api.editMessageText(ALEX, theirs, 'x'), "400 Bad Request: message can't be edited");
    await refuses(fresh.api.editMessageText(ALEX, 999, 'x'), '400 Bad Request: message to edit not found');
    const keyboard = { reply_markup: { inline_keyboard: [[{ text: 'Go', callback_data: 'go' }]] } };
    await fresh.api.editMessageReplyMarkup(ALEX, id, keyboard);
    expect(fresh.tg.chat(ALEX).messages.at(-1)?.buttons).toEqual([[{ text: 'Go', data: 'go' }]]);
    await fresh.api.editMessageText(ALEX, id, 'done');
    expect(fresh.tg.chat(ALEX).messages.at(-1)).toMatchObject({ text: 'done', buttons: [], editedCount: 3 });
    await fresh.api.deleteMessage(ALEX, id);
    await refuses(fresh.api.editMessageText(ALEX, id, 'x'), 'message to edit not found');
    await refuses(fresh.api.deleteMessage(ALEX, id), 'message to delete not found');
    expect(fresh.tg.chat(ALEX).messages).toHaveLength(1);
  });

  test('a reaction is one emoji of the list', async () => {
    const { message_id } = fresh.tg.say(ALEX, 'hi');
    await fresh.api.setMessageReaction(ALEX, message_id, [{ type: 'emoji', emoji: '👀' }]);
    expect(fresh.tg.chat(ALEX).messages[0]?.reactions).toEqual(['👀']);
    await refuses(
      fresh.api.setMessageReaction(ALEX, message_id, [{ type: 'emoji', emoji: '✅' as '👍' }]),
      'REACTION_INVALID',
    );
  });
});
