/** A process that leads a group of its own: how the whole group ends, also when this gateway is killed. */
import type { ChildProcess } from 'node:child_process';
import { errorCode } from '../errors.ts';

/** For a shell: the kernel ends what follows, and what it starts, before anything else on this machine. */
export const FIRST_TO_GO = '{ echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null';
/** For a shell whose descriptor 3 this gateway holds: when the gateway is killed the descriptor ends, and the group with it. */
export const LIFELINE = '( ( read _ <&3; kill -9 0 ) >/dev/null 2>&1 & ); exec 3<&-';

export function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // ESRCH: none is left. EPERM: macOS says so of a group whose processes have all ended.
    if (errorCode(error) !== 'ESRCH' && errorCode(error) !== 'EPERM') throw error;
  }
}
