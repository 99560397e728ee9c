/**
 * File handles: open files and sockets. A process that has none left accepts nothing and answers nobody, without any
 * error. So the limit is checked at the start, and the number left every second.
 */
import fs from 'node:fs';
import { errorCode, errorMessage, outOfHandles } from '../errors.ts';
import { messagesIn, say, type Wording } from '../messages/messages.ts';

/** Three channels open 42 when idle and 130 with 32 running runs; a skill's script takes five more. */
const LEAST = 128;
const GOOD = 512;
/** Fewer than this count as none: one commit of the spool takes several at once. */
const SPARE = 8;
const LOOK_MS = 1_000;
/** How long a shortage is reported after it was last seen, in ms: a process short of handles has some at times. */
const TOLD_MS = 15_000;
const MAX_CONNECTIONS = 512;

export interface HandleState {
  enough: boolean;
  detail?: string;
}

/** Returns how many files and sockets a process may have open; undefined where unknown (other than Linux). */
export function handleLimit(pid: number | 'self' = 'self'): number | undefined {
  try {
    const found = /^Max open files +(\d+) /m.exec(fs.readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1];
    return found === undefined ? undefined : Number(found);
  } catch (error) {
    if (['ENOENT', 'EACCES', 'ESRCH'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

export function limitProblem(limit: number | undefined): { isTooLow: boolean; detail: Wording } | undefined {
  if (limit === undefined || limit >= GOOD) return undefined;
  const isTooLow = limit < LEAST;
  const needs = isTooLow ? LEAST : GOOD;
  const tooLow = isTooLow ? 'yes' : 'no';
  return { isTooLow, detail: say('doctor.tooFewHandles', { tooLow, limit, needs, how: say('channels.raiseHandles') }) };
}

/** Returns how many HTTP connections leave enough for everything else. */
export const connectionsFor = (limit = Number.POSITIVE_INFINITY): number =>
  Math.min(MAX_CONNECTIONS, Math.floor(limit / 4));

export interface Handles {
  state(): HandleState;
  /** Checks any error for a shortage. */
  note(error: unknown): void;
  /** Checks every second from now on; `onChange` is called when a shortage begins or ends. */
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
      // Reading the folder opens it too.
      const left = limit === undefined ? SPARE : limit - (fs.readdirSync('/proc/self/fd').length - 1);
      if (left < SPARE) see(`${Math.max(0, left)} of ${limit} are left`);
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      // A process that can't inspect itself only notices failures.
      if (outOfHandles(error)) see(errorMessage(error));
    }
  }

  function see(what: string): void {
    seenAt = now();
    seen = what;
  }

  // Its sentence is in the catalogue that is loaded from the start: without handles no file can be opened.
  function state(): HandleState {
    if (problem?.isTooLow) return { enough: false, detail: messagesIn('en').said(problem.detail) };
    if (now() - seenAt >= TOLD_MS) return { enough: true };
    return {
      enough: false,
      detail: `the handles of files and sockets run out (${seen}): ${messagesIn('en').text('channels.raiseHandles')}`,
    };
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
