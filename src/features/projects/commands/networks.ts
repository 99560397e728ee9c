/** Opens the network that a task's commands share, so that one can reach a server that another runs. */
import type { Reach } from '../../../skills/script-proxy.ts';
import type { Network } from './registries.ts';
import type { CommandOrder } from './run.ts';

export interface TaskNetwork {
  kind: Network;
  opened: Promise<CommandOrder['joins']>;
  refused: Set<string>;
  users: number;
}

interface Sharing {
  network?: TaskNetwork | undefined;
}

/** @param reach returns what the network may reach, and records what it refuses */
export async function joinNetwork(
  of: Sharing,
  kind: Network,
  reach: (refused: Set<string>) => Reach | undefined,
): Promise<TaskNetwork> {
  const { openSharedNetwork } = await import('../../../skills/shared-network.ts');
  // The setting may change while commands run. Those that have started keep their network.
  if (of.network?.kind !== kind) {
    const refused = new Set<string>();
    const opened = openSharedNetwork(reach(refused));
    of.network = { kind, opened, refused, users: 0 };
  }
  of.network.users += 1;
  return of.network;
}

export function leaveNetwork(of: Sharing, network: TaskNetwork): void {
  network.users -= 1;
  if (network.users > 0) return;
  if (of.network === network) of.network = undefined;
  network.opened.then(
    (opened) => opened?.close(),
    // The command that opened it has already reported this failure.
    () => undefined,
  );
}
