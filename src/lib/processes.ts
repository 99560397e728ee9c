/** Other processes of this machine. */
import { errorCode } from '../errors.ts';

/** A number that is ours now was another's before this start. */
export function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
