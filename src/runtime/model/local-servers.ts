/**
 * Finds the servers of models on this machine, all at once, and tells them apart by what only each of them answers. A
 * server at a usual port that is none of them is not named after the port.
 */
import type { LOCAL_PROVIDERS } from '../contract/providers.ts';

export const OLLAMA = 'http://127.0.0.1:11434';
const LOOK_MS = 2_000;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_NAMES = 200;

export type LocalProvider = (typeof LOCAL_PROVIDERS)[number];

export interface LocalServer {
  name: LocalProvider;
  label: string;
  models: string[];
}

const LABELS: Readonly<Record<LocalProvider, string>> = {
  ollama: 'Ollama',
  lmstudio: 'LM Studio',
  llamacpp: 'llama.cpp',
  vllm: 'vLLM',
};

/** The usual addresses, which a test replaces. */
export const LOCAL_ADDRESSES = {
  lmstudio: 'http://127.0.0.1:1234',
  llamacpp: 'http://127.0.0.1:8080',
  vllm: 'http://127.0.0.1:8000',
} as const;

/** Returns Ollama's address on this machine, from its own variable if set. */
export function ollamaAddress(env: NodeJS.ProcessEnv): string {
  const given = env.OLLAMA_HOST?.trim().replace(/\/+$/, '');
  if (!given) return OLLAMA;
  return /^https?:\/\//.test(given) ? given : `http://${given}`;
}

/** Returns those that run here, in a fixed order. It takes as long as the slowest of them. */
export async function localServers(
  env: NodeJS.ProcessEnv,
  addresses: Readonly<Record<Exclude<LocalProvider, 'ollama'>, string>> = LOCAL_ADDRESSES,
): Promise<LocalServer[]> {
  const found = await Promise.all([
    ollamaModels(ollamaAddress(env)).then((models) => ({ name: 'ollama' as const, models })),
    lmStudioModels(addresses.lmstudio).then((models) => ({ name: 'lmstudio' as const, models })),
    ownedModels(addresses.llamacpp, 'llamacpp').then((models) => ({ name: 'llamacpp' as const, models })),
    ownedModels(addresses.vllm, 'vllm').then((models) => ({ name: 'vllm' as const, models })),
  ]);
  return found.flatMap(({ name, models }) => (models ? [{ name, label: LABELS[name], models }] : []));
}

/** https://docs.ollama.com/api/tags */
async function ollamaModels(address: string): Promise<string[] | undefined> {
  const items = itemsUnder((await askJson(`${address}/api/tags`))?.body, 'models');
  return items && namesOf(items, 'name');
}

/**
 * LM Studio's own API lists every downloaded model with its kind; models that only embed can't answer.
 * https://lmstudio.ai/docs/developer/rest/endpoints
 */
async function lmStudioModels(address: string): Promise<string[] | undefined> {
  const items = itemsUnder((await askJson(`${address}/api/v0/models`))?.body, 'data');
  // Other servers answer any path with something, but not with these kinds.
  const isHere = items?.every((item) => /^(llm|vlm|embeddings)$/.test(String(fieldIn(item, 'type'))));
  if (!items || !isHere) return undefined;
  return namesOf(
    items.filter((item) => fieldIn(item, 'type') !== 'embeddings'),
    'id',
  );
}

/**
 * Both servers name themselves as the owner of each model.
 * https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md, https://docs.vllm.ai/en/latest/serving/
 */
async function ownedModels(address: string, owner: string): Promise<string[] | undefined> {
  const items = itemsUnder((await askJson(`${address}/v1/models`))?.body, 'data');
  const isTheirs = items?.length && items.every((item) => fieldIn(item, 'owned_by') === owner);
  return isTheirs ? namesOf(items, 'id') : undefined;
}

const fieldIn = (item: unknown, key: string): unknown =>
  typeof item === 'object' && item !== null ? Reflect.get(item, key) : undefined;

export function itemsUnder(body: unknown, list: string): unknown[] | undefined {
  const items = fieldIn(body, list);
  return Array.isArray(items) ? items : undefined;
}

export const namesOf = (items: readonly unknown[], key: string): string[] =>
  items
    .map((item) => fieldIn(item, key))
    .filter((name): name is string => typeof name === 'string' && /^\S{1,200}$/.test(name))
    .slice(0, MAX_NAMES);

/** Returns the JSON at an address; undefined if nothing answers there in time, or something else. */
export async function askJson(url: string, secret = ''): Promise<{ body: unknown } | undefined> {
  try {
    const headers = secret === '' ? {} : { authorization: `Bearer ${secret}` };
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(LOOK_MS), redirect: 'error' });
    return { body: response.ok ? JSON.parse(await boundedText(response)) : {} };
  } catch (error) {
    // Nothing listens there, or it is another kind of server.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** @throws for a text that is too long to be a list of models */
async function boundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece as Uint8Array, { stream: true });
    if (text.length > MAX_BYTES) throw new Error('the answer is too long');
  }
  return text;
}
