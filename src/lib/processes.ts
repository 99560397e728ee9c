/**
 * Other processes, by a mark of who has begun something. Whether one of this machine is gone is asked of the system; of one of another
 * machine only time tells.
 */
import { hash } from 'node:crypto';
import os from 'node:os';
import { errorCode } from '../errors.ts';

/** Part of a name of a file: the number of the process, and its machine. */
export const ownMark = (): string => `${process.pid}-${machine()}`;

const machine = (): string => hash('sha256', os.hostname()).slice(0, 8);

/** Whose mark it is: `unknown` on another machine. A mark without a machine is of this one. */
export function ownerOf(mark: string): 'self' | 'alive' | 'gone' | 'unknown' {
  const [pid, at = machine()] = mark.split('-', 2);
  if (at !== machine()) return 'unknown';
  if (Number(pid) === process.pid) return 'self';
  return isAlive(Number(pid)) ? 'alive' : 'gone';
}

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
