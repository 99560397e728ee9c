/**
 * Gets vectors of texts from a provider's embedding model through the AI SDK. Calls are not retried: the search falls
 * back to words and tries again next time. The libraries are loaded at the first call.
 */

import type { EmbeddingModel } from 'ai';
import type { Embedder } from '../contract/memory.ts';
import type { ProviderSettings } from '../contract/providers.ts';

type SdkModel = Exclude<EmbeddingModel, string>;

/** The limit for one call, in ms; a local model may have to be loaded first. */
const CALL_MS = 60_000;
/** The number of calls refused for their texts after which the setting must be wrong. */
const MAX_REFUSALS = 16;
/** Bad request, too large, unprocessable: a text is at fault, usually because it is too long for a small model. */
const TEXT_REFUSED = [400, 413, 422];

export const canEmbed = (provider: string): boolean => provider !== 'anthropic' && provider !== 'offline';

/** `fetch` sends the calls and scrubs secrets from the texts. */
export function createEmbedder(options: {
  provider: string;
  model: string;
  settings: ProviderSettings;
  fetch: typeof fetch;
}): Embedder {
  let loading: Promise<SdkModel> | undefined;

  return {
    name: `${options.provider}/${options.model}`,
    async embed(texts, { signal, onUsage }) {
      loading ??= loadSdkModel(options);
      const [{ embedMany, APICallError }, model] = await Promise.all([import('./sdk.ts'), loading]);
      let refusals = 0;

      async function ask(values: readonly string[]): Promise<(Float32Array | undefined)[]> {
        try {
          const abortSignal = AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]);
          const { embeddings, usage } = await embedMany({
            model,
            values: [...values],
            abortSignal,
            maxRetries: 0,
            maxParallelCalls: 2,
          });
          if (usage.tokens > 0) onUsage?.(usage.tokens);
          return embeddings.map((embedding) => Float32Array.from(embedding));
        } catch (error) {
          const isText = APICallError.isInstance(error) && TEXT_REFUSED.includes(error.statusCode ?? 0);
          refusals++;
          if (!isText || refusals > MAX_REFUSALS) throw error;
          if (values.length === 1) return [undefined];
          const half = Math.ceil(values.length / 2);
          return [...(await ask(values.slice(0, half))), ...(await ask(values.slice(half)))];
        }
      }

      return texts.length === 0 ? [] : ask(texts);
    },
  };
}

async function loadSdkModel({
  provider,
  model,
  settings,
  fetch,
}: Parameters<typeof createEmbedder>[0]): Promise<SdkModel> {
  const { baseURL, apiKey, headers } = settings;
  const common = { fetch, ...(headers && { headers }), ...(baseURL && { baseURL }) };
  if (provider === 'google')
    return (await import('@ai-sdk/google')).createGoogle({ ...common, apiKey: apiKey ?? 'none' }).embeddingModel(model);
  if (provider === 'openai')
    return (await import('@ai-sdk/openai')).createOpenAI({ ...common, apiKey: apiKey ?? 'none' }).embeddingModel(model);
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const compatible = { ...common, name: provider, baseURL: baseURL ?? '', ...(apiKey && { apiKey }) };
  return createOpenAICompatible(compatible).embeddingModel(model);
}
