/** Starts a task's command in the network that the task's commands share, with the project's cache. */
import type { Reach } from '../../../skills/script-proxy.ts';
import type { Home } from '../../../workspace/home.ts';
import { joinNetwork, leaveNetwork } from './networks.ts';
import type { ProcessRecord } from './record.ts';
import { type Network, reachOf } from './registries.ts';
import type { CommandEnd, CommandOrder } from './run.ts';
import type { TaskProcess, TaskState } from './task-process.ts';

export type ProcessOrder = Omit<CommandOrder, 'cache' | 'joins' | 'reach' | 'timeoutMs'> & {
  /** The folder that identifies the cache: the project's own, also in a worktree. */
  project: string;
  network: Network;
  callId: string;
  /** The person the command runs for. */
  person: string;
};

/** Where to start a command, and what to call when it ends. */
interface Starter {
  home: Home;
  state: TaskState;
  /** Replaces how hosts are found, for tests. */
  near: Reach;
  left(process: TaskProcess): void;
}

/** The longest time that a command may run. */
const MAX_MS = 24 * 60 * 60 * 1000;

/** @throws UserError if it can't be started */
export async function startTaskProcess(
  record: ProcessRecord,
  { project, network: kind, person, ...order }: ProcessOrder,
  { home, state, near, left }: Starter,
): Promise<TaskProcess> {
  const [{ startCommand }, { openProjectCache }] = await Promise.all([import('./run.ts'), import('./cache.ts')]);
  const reachFor = (refused: Set<string>): Reach | undefined => {
    const reach = reachOf(kind, (place) => void refused.add(place));
    return reach && { ...reach, ...near };
  };
  const ender = new AbortController();
  const stop = () => ender.abort();
  order.signal.throwIfAborted();
  order.signal.addEventListener('abort', stop, { once: true });
  const keep = () => order.signal.removeEventListener('abort', stop);
  const network = await joinNetwork(state, kind, reachFor);
  const before = new Set(network.refused);
  try {
    const joins = order.isSandboxed ? await network.opened : undefined;
    const reach = reachFor(network.refused);
    const cache = order.isSandboxed ? await openProjectCache(home, project, person) : undefined;
    const given = { ...order, cache, joins, ...(reach && { reach }), timeoutMs: MAX_MS, signal: ender.signal };
    const running = await startCommand(given);
    const process: TaskProcess = {
      ...record,
      folder: order.folder,
      running,
      cache: cache?.folder,
      refused: () => [...network.refused].filter((place) => !before.has(place)),
      stop,
      keep,
    };
    state.running.add(process);
    const onEnd = (end: CommandEnd) => {
      process.end = end;
      keep();
      leaveNetwork(state, network);
      left(process);
    };
    running.ended.then(onEnd, () => onEnd({ seconds: 0, why: 'It could not be started.' }));
    return process;
  } catch (error) {
    keep();
    leaveNetwork(state, network);
    throw error;
  }
}
