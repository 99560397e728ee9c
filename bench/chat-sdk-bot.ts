/**
 * A third reference, an existing alternative: Chat SDK with the AI SDK, with ten tools offered and the answer sent as a
 * whole. Its state is in memory, so it keeps nothing across a restart.
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createMemoryState } from '@chat-adapter/state-memory';
import { createTelegramAdapter } from '@chat-adapter/telegram';
import { generateText, tool } from 'ai';
import { Chat, ConsoleLogger } from 'chat';
import { z } from 'zod';

const { BARE_TOKEN = '', BARE_API_ROOT = '', BARE_MODEL_URL = '' } = process.env;
const model = createOpenAICompatible({ name: 'local', baseURL: BARE_MODEL_URL, apiKey: 'none-needed' })('test-model');
const inputSchema = z.object({ path: z.string(), content: z.string().optional() });
const offer = (n: number) => tool({ description: `Tool ${n}`, inputSchema, execute: async () => 'done' });
const tools = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`tool_${n}`, offer(n)]));

const logger = new ConsoleLogger('silent');
const telegram = createTelegramAdapter({ botToken: BARE_TOKEN, apiUrl: BARE_API_ROOT, mode: 'polling', logger });
const bot = new Chat({
  userName: 'bench_bot',
  // @ts-expect-error Chat SDK's own types don't compile with exactOptionalPropertyTypes.
  adapters: { telegram },
  state: createMemoryState(),
  // With any other strategy, messages that arrive together get one answer.
  concurrency: 'concurrent',
  logger,
});
bot.onDirectMessage(async (thread, message) => {
  const { text } = await generateText({ model, tools, prompt: message.text });
  await thread.post(text);
});
process.on('SIGTERM', () => process.exit(0));
await bot.initialize();
process.stdout.write('{"msg":"ready"}\n');
