/**
 * Other processes, by a mark of who has begun something. Whether one of this machine is gone is asked of the system; of one of another
 * machine only time tells.
 */
import { hash } from 'node:crypto';
import fs from 'node:fs';
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

/** A process, so that no other is ever taken for it. */
export interface Mark {
  /** Where its number means something: a machine since its start, and there those that share its process numbers. */
  space: string;
  pid: number;
  /** In ticks since the machine's start. */
  began: string;
}

/** This one; undefined where the system does not say. */
export function ownProcess(): Mark | undefined {
  try {
    const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const began = stateOf(process.pid)?.began;
    if (boot === '' || began === undefined) return undefined;
    return { space: `${boot} ${fs.readlinkSync('/proc/self/ns/pid')}`, pid: process.pid, began };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Whether a process of this one's space has ended: its number is free, or another's, or it only waits to be taken note of. */
export function isGone({ pid, began }: Mark): boolean {
  if (pid !== process.pid && !isAlive(pid)) return true;
  const now = stateOf(pid);
  return now !== undefined && (now.began !== began || now.state === 'Z' || now.state === 'X');
}

/** Undefined where the system does not show it. */
function stateOf(pid: number): { state: string; began: string } | undefined {
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    // Its name may hold anything but is followed by the last bracket.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state, began] = [fields[0], fields[19]];
    return state && began ? { state, began } : undefined;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
