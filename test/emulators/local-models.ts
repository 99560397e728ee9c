/**
 * Servers of models as they run on a person's machine, with what each answers by its documentation:
 * https://lmstudio.ai/docs/developer/rest/endpoints, https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md,
 * https://docs.vllm.ai/en/latest/serving/openai_compatible_server/ and https://docs.searxng.org/dev/search_api.html.
 */
import { type Listener, listen, sendJson } from './base/http.ts';

interface Answer {
  status?: number;
  body: unknown;
}

type Paths = Readonly<Record<string, Answer>>;

/** Everything downloaded, whether it is loaded or not, and of every kind. */
export const lmStudio: Paths = {
  '/api/v0/models': {
    body: {
      object: 'list',
      data: [
        {
          ...{ id: 'qwen2-vl-7b-instruct', object: 'model', type: 'vlm', publisher: 'mlx-community', arch: 'qwen2_vl' },
          ...{ compatibility_type: 'mlx', quantization: '4bit', state: 'not-loaded', max_context_length: 32_768 },
        },
        {
          ...{ id: 'meta-llama-3.1-8b-instruct', object: 'model', type: 'llm', publisher: 'lmstudio-community' },
          ...{ arch: 'llama', compatibility_type: 'gguf', quantization: 'Q4_K_M', state: 'not-loaded' },
          max_context_length: 131_072,
        },
        {
          ...{ id: 'text-embedding-nomic-embed-text-v1.5', object: 'model', type: 'embeddings', publisher: 'nomic-ai' },
          ...{ arch: 'nomic-bert', compatibility_type: 'gguf', quantization: 'Q4_0', state: 'not-loaded' },
          max_context_length: 2048,
        },
      ],
    },
  },
  '/v1/models': {
    body: {
      object: 'list',
      data: [{ id: 'qwen2-vl-7b-instruct', object: 'model', owned_by: 'organization_owner' }],
    },
  },
};
/** Unknown paths of LM Studio are answered with 200. */
const LM_STUDIO_LOST: Answer = { body: { error: 'Unexpected endpoint or method. (GET /nowhere)' } };

export const llamaCpp: Paths = {
  '/health': { body: { status: 'ok' } },
  '/v1/models': {
    body: {
      object: 'list',
      data: [
        {
          ...{ id: '../models/Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf', object: 'model', created: 1_735_142_223 },
          owned_by: 'llamacpp',
          meta: { vocab_type: 2, n_vocab: 128_256, n_ctx_train: 131_072, n_embd: 4096, n_params: 8_030_261_312 },
        },
      ],
    },
  },
};

export const vllm: Paths = {
  '/version': { body: { version: '0.11.0' } },
  '/v1/models': {
    body: {
      object: 'list',
      data: [
        {
          ...{ id: 'Qwen/Qwen3-8B', object: 'model', created: 1_764_300_000, owned_by: 'vllm', root: 'Qwen/Qwen3-8B' },
          ...{ parent: null, max_model_len: 40_960, permission: [] },
        },
      ],
    },
  },
};

/** Another one that speaks OpenAI's interface, at the port of vLLM. */
export const sgLang: Paths = {
  '/v1/models': {
    body: { object: 'list', data: [{ id: 'm', object: 'model', created: 1, owned_by: 'sglang', root: 'm' }] },
  },
};

/** What listens at 8080 on many machines. */
export const searXng: Paths = {
  '/': { body: '<!DOCTYPE html><title>SearXNG</title>' },
};

const servers = new Set<Listener>();

/** Returns the address of a server that answers these paths, and 404 to all others. */
export async function startLocal(paths: Paths, port = 0): Promise<string> {
  const lost = paths === lmStudio ? LM_STUDIO_LOST : { status: 404, body: { detail: 'Not Found' } };
  const server = await listen(
    (request, response) => {
      const { status = 200, body } = paths[request.url ?? ''] ?? lost;
      if (typeof body === 'string') response.writeHead(status, { 'content-type': 'text/html' }).end(body);
      else sendJson(response, status, body);
    },
    { port },
  );
  servers.add(server);
  return server.url;
}

export async function stopLocals(): Promise<void> {
  for (const server of servers) await server.close();
  servers.clear();
}
