/** Text, entities, buttons, edits, rich messages: what a bot may write, driven by the real grammy client. */
import { beforeEach, describe, expect, test } from 'vitest';
import { ALEX, apiOf, freshTelegram, refused } from './grammy-helpers.ts';
import { startTelegram } from './telegram.ts';

const fresh = freshTelegram({ webhookRetryMs: 20 });

describe('text', () => {
  beforeEach(() => void fresh.tg.say(ALEX, 'hi'));

  test('has 1 to 4096 UTF-16 units after cleaning', async () => {
    expect(await refused(fresh.api.sendMessage(ALEX, ''))).toBe('400 Bad Request: message text is empty');
    expect(await refused(fresh.api.sendMessage(ALEX, ' \n '))).toBe('400 Bad Request: message text is empty');
    expect(await refused(fresh.api.sendMessage(ALEX, 'x'.repeat(4097)))).toBe('400 Bad Request: message is too long');
    expect(await refused(fresh.api.sendMessage(ALEX, '😀'.repeat(2049)))).toBe('400 Bad Request: message is too long');
    expect((await fresh.api.sendMessage(ALEX, `${'😀'.repeat(2048)}  \n`)).text.length).toBe(4096);
    const html = { parse_mode: 'HTML' } as const;
    expect((await fresh.api.sendMessage(ALEX, `<b>${'x'.repeat(4096)}</b>`, html)).text.length).toBe(4096);
    expect(await refused(fresh.api.sendMessage(ALEX, '\ud83d'))).toBe(
      '400 Bad Request: strings must be encoded in UTF-8',
    );
  });

  test('entities are kept, moved with the text, and refused out of bounds', async () => {
    const bold = (offset: number, length: number) => ({ entities: [{ type: 'bold' as const, offset, length }] });
    expect((await fresh.api.sendMessage(ALEX, '  a 😀b', { ...bold(4, 2) })).entities).toEqual([
      { type: 'bold', offset: 2, length: 2 },
    ]);
    expect(await refused(fresh.api.sendMessage(ALEX, 'abc', { ...bold(1, 3) }))).toBe(
      '400 Bad Request: ENTITY_BOUNDS_INVALID',
    );
    expect(await refused(fresh.api.sendMessage(ALEX, 'abc', { ...bold(-1, 1) }))).toBe(
      '400 Bad Request: ENTITY_BOUNDS_INVALID',
    );
    expect(await refused(fresh.api.sendMessage(ALEX, '😀', { ...bold(0, 1) }))).toContain(
      'in a middle of a UTF-16 symbol',
    );
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

  test('MarkdownV2 wants every reserved character escaped', async () => {
    const v2 = (text: string) => fresh.api.sendMessage(ALEX, text, { parse_mode: 'MarkdownV2' });
    expect(await refused(v2('Done.'))).toBe(
      "400 Bad Request: can't parse entities: Character '.' is reserved and must be escaped with the preceding '\\'",
    );
    expect(await refused(v2('*bold'))).toContain("Can't find end of Bold entity at byte offset 0");
    const sent = await v2(
      '*b _i_ \\*x*\n__u__ ~s~ ||p|| `c\\`` [t](https://e.example/\\))\n>quote\n>more\n```js\nx = 1\\\\\n```',
    );
    expect(sent.text).toBe('b i *x\nu s p c` t\nquote\nmore\nx = 1\\');
    expect(sent.entities?.map((entity) => entity.type)).toEqual([
      'bold',
      'italic',
      'underline',
      'strikethrough',
      'spoiler',
      'code',
      'text_link',
      'blockquote',
      'pre',
    ]);
    expect(sent.entities?.at(-1)).toMatchObject({ language: 'js' });
  });

  test('HTML and legacy Markdown are parsed and refused', async () => {
    const html = (text: string) => fresh.api.sendMessage(ALEX, text, { parse_mode: 'HTML' });
    expect(await refused(html('<table>'))).toContain('Unsupported start tag "table"');
    expect(await refused(html('a < b'))).toContain("can't parse entities");
    expect(await refused(html('<b>x</i>'))).toContain('Unmatched end tag');
    expect(await refused(html('<b>x'))).toContain(`Can't find end tag corresponding to start tag "b"`);
    const sent = await html(
      '<b>x &lt; <i>y</i></b> <a href="https://e.example/">z</a> <pre><code class="language-ts">q</code></pre>',
    );
    expect(sent.text).toBe('x < y z q');
    expect(sent.entities?.map((entity) => entity.type)).toEqual(['bold', 'italic', 'text_link', 'pre']);
    const old = await fresh.api.sendMessage(ALEX, '*b* _i_ `c` [t](https://e.example/) a\\_b', {
      parse_mode: 'Markdown',
    });
    expect(old.text).toBe('b i c t a_b');
    expect(await refused(fresh.api.sendMessage(ALEX, 'snake_case', { parse_mode: 'Markdown' }))).toContain(
      "can't parse",
    );
  });
});

describe('buttons', () => {
  test('data is 1 to 64 bytes; a press is answered once', async () => {
    fresh.tg.say(ALEX, 'hi');
    const keyboard = (callback_data: string) => ({
      reply_markup: { inline_keyboard: [[{ text: 'Go', callback_data }]] },
    });
    expect(await refused(fresh.api.sendMessage(ALEX, 'x', keyboard('é'.repeat(33))))).toBe(
      '400 Bad Request: BUTTON_DATA_INVALID',
    );
    expect(await refused(fresh.api.sendMessage(ALEX, 'x', keyboard('')))).toBe('400 Bad Request: BUTTON_DATA_INVALID');
    const plain = { reply_markup: { inline_keyboard: [[{ text: 'Go' }]] } };
    expect(await refused(fresh.api.raw.sendMessage({ chat_id: ALEX, text: 'x', ...plain } as never))).toContain(
      'Text buttons are unallowed',
    );
    await fresh.api.sendMessage(ALEX, 'x', keyboard('go-1'));
    expect(() => fresh.tg.press(ALEX, 'Stop')).toThrow('no button');
    const id = fresh.tg.press(ALEX, 'Go');
    const [, update] = await fresh.api.getUpdates();
    expect(update?.callback_query).toMatchObject({ id, data: 'go-1', from: { id: ALEX }, message: { text: 'x' } });
    await fresh.api.answerCallbackQuery(id, { text: 'on it' });
    expect(fresh.tg.chat(ALEX).queries).toMatchObject([{ data: 'go-1', answer: { text: 'on it', alert: false } }]);
    expect(await refused(fresh.api.answerCallbackQuery(id))).toContain('query is too old');
    expect(await refused(fresh.api.answerCallbackQuery('77'))).toContain('query ID is invalid');
  });
});

test('a press that is too old cannot be answered', async () => {
  const hasty = await startTelegram({ queryLifetimeMs: 20 });
  hasty.say(ALEX, 'hi');
  const keyboard = { inline_keyboard: [[{ text: 'Go', callback_data: 'go' }]] };
  await apiOf(hasty).sendMessage(ALEX, 'x', { reply_markup: keyboard });
  const id = hasty.press(ALEX, 'go');
  await new Promise((resolve) => setTimeout(resolve, 40));
  expect(await refused(apiOf(hasty).answerCallbackQuery(id))).toContain('query is too old');
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
    expect(await refused(fresh.api.editMessageText(ALEX, theirs, 'x'))).toBe(
      "400 Bad Request: message can't be edited",
    );
    expect(await refused(fresh.api.editMessageText(ALEX, 999, 'x'))).toBe('400 Bad Request: message to edit not found');
    const keyboard = { reply_markup: { inline_keyboard: [[{ text: 'Go', callback_data: 'go' }]] } };
    await fresh.api.editMessageReplyMarkup(ALEX, id, keyboard);
    expect(fresh.tg.chat(ALEX).messages.at(-1)?.buttons).toEqual([[{ text: 'Go', data: 'go' }]]);
    await fresh.api.editMessageText(ALEX, id, 'done');
    expect(fresh.tg.chat(ALEX).messages.at(-1)).toMatchObject({ text: 'done', buttons: [], editedCount: 3 });
    await fresh.api.deleteMessage(ALEX, id);
    expect(await refused(fresh.api.editMessageText(ALEX, id, 'x'))).toContain('message to edit not found');
    expect(await refused(fresh.api.deleteMessage(ALEX, id))).toContain('message to delete not found');
    expect(fresh.tg.chat(ALEX).messages).toHaveLength(1);
  });

  test('a reaction is one emoji of the list', async () => {
    const { message_id } = fresh.tg.say(ALEX, 'hi');
    await fresh.api.setMessageReaction(ALEX, message_id, [{ type: 'emoji', emoji: '👀' }]);
    expect(fresh.tg.chat(ALEX).messages[0]?.reactions).toEqual(['👀']);
    expect(
      await refused(fresh.api.setMessageReaction(ALEX, message_id, [{ type: 'emoji', emoji: '✅' as '👍' }])),
    ).toContain('REACTION_INVALID');
  });
});
