/** Counts and caps embedding calls like all model calls (promise 60). At a daily cap, memory is searched by words. */

import { countTokens } from '../../lib/tokens.ts';
import type { Embedder } from '../../runtime/contract/memory.ts';
import type { Spending } from '../../runtime/contract/spending.ts';

/** The person these calls are counted for. Memory is shared, so they don't count towards anybody's own cap. */
const MEMORY = 'memory';

export function meteredEmbedder(embedder: Embedder, costs: Spending): Embedder {
  const { name } = embedder;
  return {
    name,
    async embed(texts, { signal }) {
      const setting = costs.overCap();
      if (setting !== undefined) throw new Error(`a daily cap is reached: ${setting}`);
      const began = performance.now();
      let told = 0;
      let isDone = false;
      try {
        const onUsage = (tokens: number) => {
          told += tokens;
        };
        const vectors = await embedder.embed(texts, { signal, onUsage });
        isDone = true;
        return vectors;
      } finally {
        const estimate = isDone && !(told > 0) ? texts.reduce((sum, text) => sum + countTokens(text), 0) : 0;
        const call = { run: MEMORY, task: '', person: MEMORY, model: name, ms: Math.round(performance.now() - began) };
        if (told > 0) costs.add({ ...call, inputTokens: told, outputTokens: 0 });
        else if (estimate > 0) costs.add({ ...call, inputTokens: estimate, outputTokens: 0, isEstimate: true });
      }
    },
  };
}
