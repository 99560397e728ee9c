/**
 * Identifies other processes by a mark in file names. For a process on this machine, the system says whether it is
 * gone; for one on another machine only time tells.
 */
import { hash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import { errorCode } from '../errors.ts';

/** Returns this process's mark, part of a file name: its PID and machine. */
export const ownMark = (): string => `${process.pid}-${machine()}`;

const machine = (): string => hash('sha256', os.hostname()).slice(0, 8);

/** Returns whose mark it is: `unknown` on another machine. A mark without a machine is from this one. */
export function ownerOf(mark: string): 'self' | 'alive' | 'gone' | 'unknown' {
  const [pid, at = machine()] = mark.split('-', 2);
  if (at !== machine()) return 'unknown';
  if (Number(pid) === process.pid) return 'self';
  return isAlive(Number(pid)) ? 'alive' : 'gone';
}

/** Returns false for our own PID, which belonged to another process before this start. */
export function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** Identifies a process uniquely. */
export interface Mark {
  /** The scope of its PID: a machine since its boot, and a PID namespace there. */
  space: string;
  pid: number;
  /** Start time in ticks since boot. */
  began: string;
}

/** Returns this process's mark; undefined where the system doesn't provide it. */
export function ownProcess(): Mark | undefined {
  try {
    const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const began = processState(process.pid)?.began;
    if (boot === '' || began === undefined) return undefined;
    return { space: `${boot} ${fs.readlinkSync('/proc/self/ns/pid')}`, pid: process.pid, began };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Returns whether a process of this scope has ended: its PID is free or reused, or it is a zombie. */
export function isGone({ pid, began }: Mark): boolean {
  if (pid !== process.pid && !isAlive(pid)) return true;
  const now = processState(pid);
  return now !== undefined && (now.began !== began || now.state === 'Z' || now.state === 'X');
}

/** Returns undefined where the system doesn't show it. */
function processState(pid: number): { state: string; began: string } | undefined {
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    // Its name may contain anything, so search for the last bracket.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state, began] = [fields[0], fields[19]];
    return state && began ? { state, began } : undefined;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
