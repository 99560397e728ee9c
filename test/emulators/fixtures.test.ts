/** Checks that the recorded shapes pass unchanged through the platform and the real grammY client. */
import { Bot } from 'grammy';
import { expect, test } from 'vitest';
import { fixture, fixtures } from '../fixtures/telegram/index.ts';
import { apiOf, freshTelegram, refused } from './grammy-helpers.ts';

const fresh = freshTelegram();

test('each is whole: a name like its file, a description, one kind, an id of its own', () => {
  const all = fixtures();
  expect(all.length).toBeGreaterThanOrEqual(60);
  expect(new Set(all.map(({ update }) => update.update_id)).size).toBe(all.length);
  for (const { name, doc, update } of all) {
    expect(fixture(name)).toEqual(update);
    expect(doc.length).toBeGreaterThan(15);
    expect(Object.keys(update)).toHaveLength(2);
  }
});

test('entities lie within their text', () => {
  for (const { name, update } of fixtures()) {
    const message = update.message ?? update.edited_message ?? update.channel_post;
    const text = message?.text ?? message?.caption ?? '';
    for (const { offset, length } of [...(message?.entities ?? []), ...(message?.caption_entities ?? [])]) {
      expect([name, offset + length <= text.length]).toEqual([name, true]);
    }
    expect([name, text.length <= 4096]).toEqual([name, true]);
  }
});

test('grammy gets every one of them as it was written, also those of unknown kinds', async () => {
  const all = fixtures();
  for (const { update } of all) fresh.tg.sendUpdate({ ...update });
  const got = await fresh.api.getUpdates({ limit: 100 });
  expect(got).toEqual(all.map(({ update }) => update));
});

test('a bot made with grammy sorts them by its own filters', async () => {
  const bot = new Bot(fresh.tg.token, { botInfo: await apiOf(fresh.tg).getMe() });
  const seen: string[] = [];
  bot.on('message:photo', (context) => void seen.push(`photo ${context.message.media_group_id ?? ''}`));
  bot.on('callback_query:data', (context) => void seen.push(`press ${context.callbackQuery.data}`));
  bot.on('message::mention', () => void seen.push('mention'));
  bot.command('status', () => void seen.push('command'));
  for (const name of ['album-part-2', 'callback-query', 'mention-group', 'command-at-bot-group', 'unknown-kind']) {
    await bot.handleUpdate(fixture(name));
  }
  expect(seen).toEqual(['photo 13912345678901234', 'press k3Jq9ZtA', 'mention', 'command']);
});

test('what they tell of is there: the bot can reply, edit, answer and download', async () => {
  const { tg, api } = fresh;
  for (const { update } of fixtures()) tg.sendUpdate({ ...update });
  const replyTo = (message_id = 0) => ({ reply_parameters: { message_id } });
  const { message: asked } = fixture('document');
  const reply = await api.sendMessage(1001, 'read', replyTo(asked?.message_id));
  expect(reply.message_id).toBeGreaterThan(asked?.message_id ?? 0);
  const topic = fixture('forum-topic-message').message;
  const answer = await api.sendMessage(-1002222222222, 'noted', replyTo(topic?.message_id));
  expect(answer.message_thread_id).toBe(7);
  await api.answerCallbackQuery(fixture('callback-query').callback_query?.id ?? '');
  await api.editMessageText(1001, 480, 'Running the script');
  tg.hold(asked?.document?.file_id ?? '', { name: 'budget.csv', text: 'a,b\n1,2\n' });
  const { file_path } = await api.getFile(asked?.document?.file_id ?? '');
  expect(await (await fetch(`${tg.url}/file/bot${tg.token}/${file_path}`)).text()).toBe('a,b\n1,2\n');
  const large = fixture('document-too-large').message?.document?.file_id ?? '';
  expect(await refused(api.getFile(large))).toBe('400 Bad Request: file is too big');
  // A business account's chat isn't a chat with the bot.
  expect(await refused(api.sendMessage(1002, 'x'))).toMatch(/^40[03]/);
});
