/** Servers of models on this machine: found at once, and called by their own names. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { localServers } from '../../../src/runtime/model/local-servers.ts';
import { llamaCpp, lmStudio, searXng, sgLang, startLocal, stopLocals, vllm } from '../../emulators/local-models.ts';

afterEach(stopLocals);

/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9';
const env = { OLLAMA_HOST: NOWHERE };
const nowhere = { lmstudio: NOWHERE, llamacpp: NOWHERE, vllm: NOWHERE };

test('each is found with its models that can answer', async () => {
  const ollama = await startLocal({ '/api/tags': { body: { models: [{ name: 'llama3:8b' }] } } });
  const found = await localServers(
    { OLLAMA_HOST: ollama },
    { lmstudio: await startLocal(lmStudio), llamacpp: await startLocal(llamaCpp), vllm: await startLocal(vllm) },
  );
  expect(found).toEqual([
    { name: 'ollama', label: 'Ollama', models: ['llama3:8b'] },
    { name: 'lmstudio', label: 'LM Studio', models: ['qwen2-vl-7b-instruct', 'meta-llama-3.1-8b-instruct'] },
    { name: 'llamacpp', label: 'llama.cpp', models: ['../models/Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf'] },
    { name: 'vllm', label: 'vLLM', models: ['Qwen/Qwen3-8B'] },
  ]);
});

test.each([
  ['nothing', undefined],
  ['SearXNG', searXng],
  ['SGLang', sgLang],
  ['LM Studio', lmStudio],
  ['llama.cpp', llamaCpp],
  ['vLLM', vllm],
])("%s at another's port is not taken for it", async (name, paths) => {
  const at = paths ? await startLocal(paths) : NOWHERE;
  const found = await localServers(env, { lmstudio: at, llamacpp: at, vllm: at });
  expect(found.map(({ label }) => label)).toEqual(['LM Studio', 'llama.cpp', 'vLLM'].filter((each) => each === name));
});

test('one that wants a key, sends elsewhere, or answers with nonsense is none', async () => {
  for (const answer of [{ status: 401, body: { error: 'Unauthorized' } }, { body: 'no JSON' }, { body: { data: 1 } }]) {
    const at = await startLocal({ '/v1/models': answer, '/api/v0/models': answer });
    expect(await localServers(env, { lmstudio: at, llamacpp: at, vllm: at })).toEqual([]);
  }
});

test('all are asked at once, and a silent one is waited for no longer than the others', {
  timeout: 60_000,
}, async () => {
  const silent = createServer();
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const address = silent.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const at = `http://127.0.0.1:${port}`;
  let connections = 0;
  const asked = new Promise<void>((resolve) =>
    silent.on('connection', (socket) => {
      socket.on('error', () => undefined);
      if (++connections === 4) resolve();
    }),
  );
  const found = localServers({ OLLAMA_HOST: at }, { lmstudio: at, llamacpp: at, vllm: at });
  // All four connections are open before any of them was given up.
  await asked;
  expect(await found).toEqual([]);
});

test('names that could be no model are left out', async () => {
  const data = ['fine', '', 'two words', 7, 'x'.repeat(300)].map((id) => ({ id, owned_by: 'vllm' }));
  const at = await startLocal({ '/v1/models': { body: { object: 'list', data } } });
  expect(await localServers(env, { ...nowhere, vllm: at })).toEqual([
    { name: 'vllm', label: 'vLLM', models: ['fine'] },
  ]);
});
