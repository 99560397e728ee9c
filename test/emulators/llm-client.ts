/** The model endpoint as a process of its own, driven through its control API. */
import { fileURLToPath } from 'node:url';
import type { LlmControl } from './llm.ts';
import { type Remote, remote, type Spawned, spawnEmulator } from './remote.ts';

export type LlmProcess = Remote<LlmControl> & Pick<Spawned, 'url' | 'pid' | 'kill'>;

/** Starts `llm.ts`; `args` are its command line, for example `['--answer', 'ok', '--keep-requests', '0']`. */
export async function spawnLlm(args: string[] = []): Promise<LlmProcess> {
  const { control, ...spawned } = await spawnEmulator(fileURLToPath(new URL('./llm.ts', import.meta.url)), args);
  return withProcess(remote<LlmControl>(control), spawned);
}

/** A control stand-in with the facts of its process added. */
export function withProcess<T extends object, P extends object>(control: T, facts: P): T & P {
  return new Proxy(facts, {
    get: (target, name) => (name in target ? Reflect.get(target, name) : Reflect.get(control, name)),
  }) as T & P;
}
