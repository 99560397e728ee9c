/** Rich messages and drafts, with the real grammY client. */
import type { InputRichBlock } from '@grammyjs/types';
import { beforeEach, describe, expect, test } from 'vitest';
import { ALEX, freshTelegram, refused, refuses } from './grammy-helpers.ts';

const fresh = freshTelegram();

describe('rich messages and drafts', () => {
  beforeEach(() => void fresh.tg.say(ALEX, 'hi'));
  const paragraph = (text: string) => ({ type: 'paragraph' as const, text });
  const rich = { blocks: [paragraph('Plan')] };

  test('blocks are taken within the limits', async () => {
    const { rich_message } = await fresh.api.sendRichMessage(ALEX, rich);
    expect(rich_message).toEqual(rich);
    expect(fresh.tg.chat(ALEX).messages.at(-1)).toMatchObject({ isRich: true, text: JSON.stringify(rich.blocks) });
    const cell = { text: 'a', align: 'left', valign: 'middle' } as const;
    const quoted = (depth: number): InputRichBlock<never> =>
      depth === 0 ? paragraph('deep') : { type: 'blockquote', blocks: [quoted(depth - 1)] };
    const send = (...blocks: InputRichBlock<never>[]) => refused(fresh.api.sendRichMessage(ALEX, { blocks }));
    expect(await send(paragraph('x'.repeat(32_769)))).toContain('RICH_MESSAGE_TOO_LONG');
    expect(await send(paragraph('é'.repeat(32_768)))).toBe('Error: the call was accepted');
    expect(await send(...Array(501).fill(paragraph('x')))).toContain('RICH_MESSAGE_BLOCKS_TOO_MUCH');
    expect(await send({ type: 'table', cells: [Array(21).fill(cell)] })).toContain('COLUMNS');
    expect(await send(quoted(20))).toContain('DEPTH');
    await refuses(fresh.api.sendRichMessage(ALEX, {}), 'exactly one');
  });

  test('a text is edited into a rich message and back', async () => {
    const { message_id } = await fresh.api.sendMessage(ALEX, 'working');
    await fresh.api.raw.editMessageText({ chat_id: ALEX, message_id, rich_message: rich });
    expect(fresh.tg.chat(ALEX).messages.at(-1)).toMatchObject({
      isRich: true,
      text: JSON.stringify(rich.blocks),
      editedCount: 1,
    });
    const again = fresh.api.raw.editMessageText({ chat_id: ALEX, message_id, rich_message: rich });
    await refuses(again, 'message is not modified');
    await fresh.api.editMessageText(ALEX, message_id, 'plain');
    expect(fresh.tg.chat(ALEX).messages.at(-1)).toMatchObject({ isRich: false, text: 'plain' });
  });

  test('an older server does not know them, or refuses them', async () => {
    const { message_id } = await fresh.api.sendMessage(ALEX, 'working');
    fresh.tg.rich(404);
    await refuses(fresh.api.sendRichMessage(ALEX, rich), '404 Not Found');
    const edit = fresh.api.raw.editMessageText({ chat_id: ALEX, message_id, rich_message: rich });
    await refuses(edit, '400 Bad Request: message text is empty');
    fresh.tg.rich(400);
    expect(await refused(fresh.api.sendRichMessage(ALEX, rich))).toContain('400 Bad Request');
  });

  test('a draft shows until the message comes, and can be stopped', async () => {
    await fresh.api.raw.sendMessageDraft({ chat_id: ALEX, draft_id: 5, text: 'Thin', can_stop: true });
    expect(fresh.tg.chat(ALEX).draft).toBe('Thin');
    fresh.tg.stopDraft(ALEX);
    expect((await fresh.api.getUpdates()).at(-1)?.stopped_message_generation?.draft_id).toBe(5);
    const message_thread_id = fresh.tg.topic(ALEX, 'Cooking');
    await fresh.api.raw.sendMessageDraft({ chat_id: ALEX, message_thread_id, draft_id: 6, text: 'T', can_stop: true });
    fresh.tg.stopDraft(ALEX);
    const stopped = (await fresh.api.getUpdates()).at(-1)?.stopped_message_generation;
    expect(stopped).toMatchObject({ message_thread_id, draft_id: 6 });
    await fresh.api.sendChatAction(ALEX, 'typing');
    expect(fresh.tg.chat(ALEX).action).toBe('typing');
    await fresh.api.sendMessage(ALEX, 'Thinking done');
    expect(fresh.tg.chat(ALEX)).not.toHaveProperty('draft');
    expect(fresh.tg.chat(ALEX)).not.toHaveProperty('action');
    await refuses(fresh.api.raw.sendMessageDraft({ chat_id: ALEX, draft_id: 0, text: 'x' }), 'DRAFT_ID_INVALID');
  });
});
