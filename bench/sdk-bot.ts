/**
 * The bare bot with the AI SDK's loop between it and the model, offering as many tools as the gateway. It stores
 * nothing and guarantees no order: its extra cost over the bare bot is the SDK's own.
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount, tool } from 'ai';
import { Bot } from 'grammy';
import { z } from 'zod';

const { BARE_TOKEN = '', BARE_API_ROOT = '', BARE_MODEL_URL = '' } = process.env;
const bot = new Bot(BARE_TOKEN, { client: { apiRoot: BARE_API_ROOT } });
const model = createOpenAICompatible({ name: 'local', baseURL: BARE_MODEL_URL, apiKey: 'none-needed' })('test-model');

const TOOLS = 27;
const inputSchema = z.object({ path: z.string(), content: z.string().optional() });
const offer = (n: number) => tool({ description: `Tool ${n}`, inputSchema, execute: async () => 'done' });
const tools = Object.fromEntries(Array.from({ length: TOOLS }, (_, n) => [`tool_${n}`, offer(n)]));

bot.on('message:text', async (context) => {
  const { text } = await generateText({ model, tools, stopWhen: isStepCount(20), prompt: context.message.text });
  await context.reply(text);
});
process.on('SIGTERM', () => process.exit(0));
await bot.start({ onStart: () => void process.stdout.write('{"msg":"ready"}\n') });
