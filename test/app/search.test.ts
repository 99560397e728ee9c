/** Who searches, by what the configuration and the environment say. Nothing is called. */
import { expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { openSearch } from '../../src/features/web/searcher.ts';
import type { Order } from '../../src/runtime/contract/order.ts';

const meter = { hooks: () => ({ beforeCall: () => undefined, onUsage: () => undefined }), used: () => ({}) };
const order = { principal: { role: 'owner' }, task: { id: 't' }, run: 'r' } as Order;

async function searcher(
  search: Config['search'],
  model: string,
  more: { env?: NodeJS.ProcessEnv; baseURL?: string } = {},
) {
  const searcherFor = openSearch({
    config: { search, providers: more.baseURL === undefined ? {} : { openai: { baseURL: more.baseURL } } },
    env: more.env ?? {},
    models: { searching: () => Promise.reject(new Error('not asked')) },
    modelOf: () => model,
    meter,
  });
  const found = searcherFor(order, {});
  return found ? `searches by ${found.name}` : 'nobody';
}

const auto = { by: 'auto' } as const;
const brave = { BRAVE_API_KEY: 'k-of-brave-1' };
const tavily = { TAVILY_API_KEY: 'k-of-tavily-1' };

it.each<[string, Promise<string>]>([
  ['searches by Anthropic', searcher(auto, 'anthropic/claude-sonnet-5-5', { env: brave })],
  ['searches by OpenAI', searcher(auto, 'openai/gpt-5.5')],
  ['searches by Google', searcher(auto, 'google/gemini-flash-latest')],
  // Who stands in OpenAI's place is not taken to have its search.
  ['nobody', searcher(auto, 'openai/gpt-5.5', { baseURL: 'http://127.0.0.1:1/v1' })],
  ['searches by OpenAI', searcher({ by: 'provider' }, 'openai/gpt-5.5', { baseURL: 'http://127.0.0.1:1/v1' })],
  ['searches by Anthropic', searcher({ by: 'auto', model: 'anthropic/m' }, 'deepseek/deepseek-v4-flash')],
  ['searches by SearXNG', searcher({ by: 'auto', url: 'http://127.0.0.1:8080' }, 'ollama/llama3.2', { env: brave })],
  ['searches by Brave', searcher(auto, 'ollama/llama3.2', { env: { ...tavily, ...brave } })],
  ['searches by Tavily', searcher(auto, 'ollama/llama3.2', { env: { ...tavily, BRAVE_API_KEY: ' ' } })],
  ['searches by SearXNG', searcher({ by: 'searxng' }, 'anthropic/claude-sonnet-5-5')],
  ['nobody', searcher(auto, 'ollama/llama3.2')],
  ['nobody', searcher({ by: 'provider' }, 'groq/openai/gpt-oss-120b', { env: brave })],
  ['nobody', searcher({ by: 'off' }, 'anthropic/claude-sonnet-5-5')],
])('%s', async (who, found) => {
  expect(await found).toBe(who);
});
