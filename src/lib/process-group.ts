/** Ends a process's whole group, also when this gateway is killed. */
import type { ChildProcess } from 'node:child_process';
import { errorCode } from '../errors.ts';

/** Shell code: when memory is short, the kernel kills the rest of the script, and what it starts, first. */
export const FIRST_TO_GO = '{ echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null';
/**
 * Shell code for a script whose descriptor 3 this gateway holds: when the gateway is killed the descriptor closes, and
 * the group is killed.
 */
export const LIFELINE = '( ( read _ <&3; kill -9 0 ) >/dev/null 2>&1 & ); exec 3<&-';

export function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // ESRCH: the group is empty. EPERM: macOS reports it when all processes of the group have ended.
    if (errorCode(error) !== 'ESRCH' && errorCode(error) !== 'EPERM') throw error;
  }
}
