/** Limits how long a caller waits for work. */

const LATE = Symbol('late');

/**
 * Returns the work's result, or undefined (or what `late` returns or throws) after `ms`. The work continues; no timer
 * is left behind.
 */
export function within<T>(work: Promise<T>, ms: number): Promise<T | undefined>;
export function within<T, L>(work: Promise<T>, ms: number, late: () => L): Promise<T | L>;
export async function within<T, L>(work: Promise<T>, ms: number, late?: () => L): Promise<T | L | undefined> {
  const { promise: over, resolve } = Promise.withResolvers<typeof LATE>();
  const timer = setTimeout(() => resolve(LATE), ms);
  const first = await Promise.race([work, over]).finally(() => clearTimeout(timer));
  return first === LATE ? late?.() : first;
}
