/** How much of a conversation Ollama keeps in mind: what goes beyond is dropped without a word, the oldest of it first. */
import { isRecord } from '../../lib/json.ts';
import { splitModelName } from '../../runtime/contract/providers.ts';
import type { Finding } from './finding.ts';

/** Instructions, tools and a few turns; a page or a file that is read takes as much again. */
const ENOUGH = 16_384;
const LOOK_MS = 3_000;
const USUAL = 'http://127.0.0.1:11434/v1';

/** A note where it is too little. The model has been asked just before, so it is loaded and its window known. */
export async function ollamaWindow(name: string, baseURL = USUAL): Promise<Finding[]> {
  const { provider, model } = splitModelName(name);
  if (provider !== 'ollama') return [];
  const window = await windowOf(model, `${baseURL.replace(/\/+(?:v1)?\/*$/, '')}/api/ps`);
  if (window === undefined || window >= ENOUGH) return [];
  const shown = window.toLocaleString('en');
  const detail = `Ollama gives ${model} ${shown} tokens, and forgets without a word what goes beyond: start it with OLLAMA_CONTEXT_LENGTH=32768`;
  return [{ name: 'model', state: 'note', detail }];
}

async function windowOf(model: string, url: string): Promise<number | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(LOOK_MS), redirect: 'error' });
    const body: unknown = response.ok ? await response.json() : {};
    const loaded: unknown[] = isRecord(body) && Array.isArray(body.models) ? body.models : [];
    const found = loaded.filter(isRecord).find(({ name }) => name === model || name === `${model}:latest`);
    return typeof found?.context_length === 'number' ? found.context_length : undefined;
  } catch (error) {
    // An older one, or something else that speaks as Ollama does.
    if (error instanceof Error) return undefined;
    throw error;
  }
}
