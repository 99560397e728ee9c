/**
 * The reference: a grammY bot that makes the same model call and one sendMessage, written as in grammY's documentation:
 * its handler is awaited, so `bot.start()` accepts the next update when this one has been answered. It stores nothing.
 * Two other variants show how much this matters. `BARE_FORM=overlaps` doesn't wait for one answer before it accepts the
 * next message: the fastest variant, although grammY warns against it, because nobody handles a failure and answers
 * overtake each other. `BARE_FORM=appends` writes each update to disk before it answers, the least that a bot must do
 * to lose nothing.
 */
import fs from 'node:fs/promises';
import { Bot } from 'grammy';

const { BARE_TOKEN = '', BARE_API_ROOT = '', BARE_MODEL_URL = '', BARE_FORM = 'awaits', BARE_FILE = '' } = process.env;
const bot = new Bot(BARE_TOKEN, { client: { apiRoot: BARE_API_ROOT } });

async function answer(text: string): Promise<string> {
  const response = await fetch(`${BARE_MODEL_URL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'test-model', messages: [{ role: 'user', content: text }] }),
  });
  const body = (await response.json()) as { choices: { message: { content: string } }[] };
  return body.choices[0]?.message.content ?? '';
}

const file = BARE_FORM === 'appends' ? await fs.open(BARE_FILE, 'a') : undefined;
bot.on('message:text', async (context) => {
  await file?.appendFile(`${JSON.stringify(context.update)}\n`);
  await file?.datasync();
  const answered = answer(context.message.text).then((text) => context.reply(text));
  if (BARE_FORM !== 'overlaps') await answered;
});
process.on('SIGTERM', () => process.exit(0));
await bot.start({ onStart: () => void process.stdout.write('{"msg":"ready"}\n') });
