/** Checks Ollama's context window: it silently drops what exceeds the window, the oldest part first. */
import { isRecord } from '../../lib/json.ts';
import { say } from '../../messages/messages.ts';
import type { Finding } from '../contract/finding.ts';
import { splitModelName } from '../contract/providers.ts';

/** Tokens: instructions, tools and a few turns; reading a page or a file takes as much again. */
const ENOUGH = 16_384;
const LOOK_MS = 3_000;
const USUAL = 'http://127.0.0.1:11434/v1';

/**
 * Returns a note if the window is too small. The model was asked just before, so it is loaded and its window is known.
 */
export async function ollamaWindow(name: string, baseURL = USUAL): Promise<Finding[]> {
  const { provider, model } = splitModelName(name);
  if (provider !== 'ollama') return [];
  const window = await windowOf(model, `${baseURL.replace(/\/+(?:v1)?\/*$/, '')}/api/ps`);
  if (window === undefined || window >= ENOUGH) return [];
  const detail = say('doctor.window', { model, n: window.toLocaleString('en') });
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
    // An older Ollama, or another server with its API.
    if (error instanceof Error) return undefined;
    throw error;
  }
}
