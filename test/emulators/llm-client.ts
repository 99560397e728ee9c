/** Runs the model endpoint as a separate process, driven through its control API. */
import { fileURLToPath } from 'node:url';
import { type Remote, remote, type Spawned, spawnEmulator, withProcess } from './base/remote.ts';
import type { LlmControl } from './llm.ts';

export type LlmProcess = Remote<LlmControl> & Pick<Spawned, 'url' | 'pid' | 'kill'>;

/** Starts `llm.ts`; `args` are its command line, for example `['--answer', 'ok', '--keep-requests', '0']`. */
export async function spawnLlm(args: string[] = []): Promise<LlmProcess> {
  const { control, ...spawned } = await spawnEmulator(fileURLToPath(new URL('./llm.ts', import.meta.url)), args);
  return withProcess(remote<LlmControl>(control), spawned);
}
