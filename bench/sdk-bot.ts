/**
 * A second yardstick: the bare bot with the AI SDK between it and the model, ten tools offered, the answer streamed. It keeps
 * nothing and orders nothing either: what it costs above the bare bot is the SDK's own.
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText, tool } from 'ai';
import { Bot } from 'grammy';
import { z } from 'zod';

const { BARE_TOKEN = '', BARE_API_ROOT = '', BARE_MODEL_URL = '' } = process.env;
const bot = new Bot(BARE_TOKEN, { client: { apiRoot: BARE_API_ROOT } });
const model = createOpenAICompatible({ name: 'local', baseURL: BARE_MODEL_URL, apiKey: 'none-needed' })('test-model');

const inputSchema = z.object({ path: z.string(), content: z.string().optional() });
const offer = (n: number) => tool({ description: `Tool ${n}`, inputSchema, execute: async () => 'done' });
const tools = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`tool_${n}`, offer(n)]));

bot.on('message:text', (context) => {
  const { text } = streamText({ model, tools, prompt: context.message.text });
  void text.then((answer) => context.reply(answer));
});
process.on('SIGTERM', () => process.exit(0));
await bot.start({ onStart: () => void process.stdout.write('{"msg":"ready"}\n') });
