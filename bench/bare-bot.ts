/**
 * The yardstick: a grammY bot that makes the same model call and one sendMessage. It keeps nothing, orders nothing and
 * does not wait for one answer before it takes the next message.
 */
import { Bot } from 'grammy';

const { BARE_TOKEN = '', BARE_API_ROOT = '', BARE_MODEL_URL = '' } = process.env;
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

bot.on('message:text', (context) => {
  void answer(context.message.text).then((text) => context.reply(text));
});
process.on('SIGTERM', () => process.exit(0));
await bot.start({ onStart: () => void process.stdout.write('{"msg":"ready"}\n') });
