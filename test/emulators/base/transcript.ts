/** Waits for what should appear on a platform, and follows its changes, whatever its messages look like. */
import type { EventEmitter } from 'node:events';
import { until } from './wait.ts';

interface Source<S extends { seq: number }, M> {
  /** Emits `message` with a stored message that was created or changed. */
  changes: EventEmitter;
  all(): S[];
  /** Returns a message as a person sees it. */
  view(stored: S): M;
  /** Returns a message as one line, for the error of a wait that failed. */
  line(message: M): string;
  /** The number of the newest change. */
  seq(): number;
}

export interface Watching<M> {
  /** Resolves with the first message that matches, whether it exists already or comes later. */
  waitFor(fits: (message: M) => boolean, timeoutMs?: number): Promise<M>;
  /** Resolves with the last of `count` messages that match. */
  waitForAll(fits: (message: M) => boolean, count?: number, timeoutMs?: number): Promise<M>;
  /** Returns messages changed after `since`; waits up to `timeoutMs` for the first. */
  changesSince(since: number, timeoutMs?: number): Promise<{ seq: number; messages: M[] }>;
  /** Calls back for every message created or changed, with its newest state; returns a function that stops this. */
  onMessage(listener: (message: M) => void): () => void;
}

const LIMIT_MS = 60_000;

export function createWatching<S extends { seq: number }, M>(source: Source<S, M>): Watching<M> {
  const { changes, all, view, line } = source;
  const bySeq = (messages: S[]) => messages.sort((a, b) => a.seq - b.seq);
  /** Completes the error of a wait that failed. */
  const state = () => {
    const newest = bySeq(all()).slice(-8);
    return `the newest messages are ${JSON.stringify(newest.map((stored) => line(view(stored))))}`;
  };
  return {
    async waitFor(fits, timeoutMs = LIMIT_MS) {
      const known = all().find((stored) => fits(view(stored)));
      return view(known ?? (await until<S>(changes, 'message', (stored) => fits(view(stored)), timeoutMs, state)));
    },
    async waitForAll(fits, count = 1, timeoutMs = LIMIT_MS) {
      const fitting = new Set(all().filter((stored) => fits(view(stored))));
      const last = [...fitting].at(count - 1);
      if (last) return view(last);
      const isEnough = (stored: S) => {
        if (fits(view(stored))) fitting.add(stored);
        return fitting.size >= count;
      };
      return view(await until<S>(changes, 'message', isEnough, timeoutMs, state));
    },
    async changesSince(since, timeoutMs = 0) {
      const changed = () => all().filter((stored) => stored.seq > since);
      let found = changed();
      if (found.length === 0 && timeoutMs > 0) {
        await until(changes, 'message', () => true, timeoutMs, state).catch(() => 'nothing has changed');
        found = changed();
      }
      return { seq: source.seq(), messages: bySeq(found).map(view) };
    },
    onMessage(listener) {
      const look = (stored: S) => listener(view(stored));
      changes.on('message', look);
      return () => void changes.off('message', look);
    },
  };
}
