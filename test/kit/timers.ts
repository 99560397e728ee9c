/**
 * Knows the timers that this process has set and that are still to fire: a message may wait in one of them to be joined
 * by others, or for a second try.
 */
import { syncBuiltinESMExports } from 'node:module';
import promises from 'node:timers/promises';
import { promisify } from 'node:util';

export interface Pending {
  /** When it fires, by `performance.now()`. */
  due: number;
  isOver: boolean;
  /** It will fire again after that. */
  isRepeated: boolean;
}

const { setTimeout: set, clearTimeout: clear, setInterval: repeat, clearInterval: clearRepeated } = globalThis;
const { setTimeout: wait } = promises;
const pending = new Map<unknown, Pending>();

function add(key: unknown, ms: number | undefined, isRepeated = false): () => void {
  const entry = { due: performance.now() + (ms ?? 0), isOver: false, isRepeated };
  pending.set(key, entry);
  return () => {
    entry.isOver = true;
    if (pending.get(key) === entry) pending.delete(key);
  };
}

function setTimer<A extends unknown[]>(act: (...args: A) => void, ms?: number, ...args: A): NodeJS.Timeout {
  const timer = set(() => {
    over();
    act(...args);
  }, ms);
  const over = add(timer, ms);
  return timer;
}

function setRepeated<A extends unknown[]>(act: (...args: A) => void, ms?: number, ...args: A): NodeJS.Timeout {
  const timer = repeat(() => {
    over();
    over = add(timer, ms, true);
    act(...args);
  }, ms);
  let over = add(timer, ms, true);
  return timer;
}

function forget(timer: unknown): void {
  const entry = pending.get(timer);
  if (entry) entry.isOver = true;
  pending.delete(timer);
}

globalThis.setTimeout = Object.assign(setTimer, {
  __promisify__: set.__promisify__,
  [promisify.custom]: Reflect.get(set, promisify.custom),
});
globalThis.setInterval = setRepeated;
globalThis.clearTimeout = (timer) => {
  forget(timer);
  clear(timer);
};
globalThis.clearInterval = (timer) => {
  forget(timer);
  clearRepeated(timer);
};
promises.setTimeout = (ms, value, options) => {
  const over = add({}, ms);
  return wait(ms, value, options).finally(over);
};
syncBuiltinESMExports();

/** Returns the timers that fire within this time, or also those that will fire again after that. */
export function timersWithin(ms: number, withRepeated: boolean): Pending[] {
  const end = performance.now() + ms;
  return [...pending.values()].filter(({ due, isRepeated }) => due <= end && (withRepeated || !isRepeated));
}

/** Waits without being known here. */
export const pause = (ms: number): Promise<void> => wait(ms);
