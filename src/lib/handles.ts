/**
 * File handles: open files and sockets. A process that has none left takes nothing in and answers nobody, and nothing says why. So
 * the limit is looked at when it starts, and how many are left every second.
 */
import fs from 'node:fs';
import { errorCode, errorMessage, outOfHandles } from '../errors.ts';

/** With three channels 42 are open when nobody writes and 130 with 32 runs at work; a script of a skill takes five more. */
const LEAST = 128;
const GOOD = 512;
/** Fewer are as good as none: one commit of the spool takes several at once. */
const SPARE = 8;
const LOOK_MS = 1_000;
/** How long it is told after it was seen last: a process that is short of them has moments in which it is not. */
const TOLD_MS = 15_000;
const MAX_CONNECTIONS = 512;
const RAISE = 'raise the limit with ulimit -n, or LimitNOFILE in the service file';

export interface HandleState {
  enough: boolean;
  detail?: string;
}

/** How many files and sockets a process may have open; undefined where the system does not say (it does on Linux). */
export function handleLimit(pid: number | 'self' = 'self'): number | undefined {
  try {
    const found = /^Max open files +(\d+) /m.exec(fs.readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1];
    return found === undefined ? undefined : Number(found);
  } catch (error) {
    if (['ENOENT', 'EACCES', 'ESRCH'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** What is wrong with a limit; undefined when nothing is. */
export function limitProblem(limit: number | undefined): { isTooLow: boolean; detail: string } | undefined {
  if (limit === undefined || limit >= GOOD) return undefined;
  const isTooLow = limit < LEAST;
  const needs = isTooLow ? `it takes ${LEAST} to work` : `with all runs at work it takes up to ${GOOD}`;
  return { isTooLow, detail: `at most ${limit} files and sockets may be open, and ${needs}: ${RAISE}` };
}

/** Connections over HTTP that leave enough for everything else. */
export const connectionsFor = (limit = Number.POSITIVE_INFINITY): number =>
  Math.min(MAX_CONNECTIONS, Math.floor(limit / 4));

export interface Handles {
  state(): HandleState;
  /** Any error there was: it may be that they have run out. */
  note(error: unknown): void;
  /** Looks every second from now on; `onChange` is called when there are enough again, or no longer. */
  watch(onChange: () => void): void;
  close(): void;
}

export function createHandles(limit: number | undefined, now = Date.now): Handles {
  const problem = limitProblem(limit);
  let seenAt = Number.NEGATIVE_INFINITY;
  let seen = '';
  let wasEnough = true;
  let onChange = (): void => undefined;
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    try {
      // The folder is open itself while it is read.
      const left = limit === undefined ? SPARE : limit - (fs.readdirSync('/proc/self/fd').length - 1);
      if (left < SPARE) see(`${Math.max(0, left)} of ${limit} are left`);
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      // Where a process may not look at itself, only what fails tells.
      if (outOfHandles(error)) see(errorMessage(error));
    }
  }

  function see(what: string): void {
    seenAt = now();
    seen = what;
  }

  function state(): HandleState {
    if (problem?.isTooLow) return { enough: false, detail: problem.detail };
    if (now() - seenAt >= TOLD_MS) return { enough: true };
    return { enough: false, detail: `the handles of files and sockets run out (${seen}): ${RAISE}` };
  }

  function tell(): void {
    const { enough } = state();
    if (enough === wasEnough) return;
    wasEnough = enough;
    onChange();
  }

  return {
    state,
    note(error) {
      const cause = outOfHandles(error);
      if (!cause) return;
      see(cause.message);
      tell();
    },
    watch(listener) {
      onChange = listener;
      timer = setInterval(() => {
        look();
        tell();
      }, LOOK_MS).unref();
    },
    close: () => clearInterval(timer),
  };
}
