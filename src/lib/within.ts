/** How long somebody waits for a piece of work. */

const LATE = Symbol('late');

/**
 * What the work gives, or undefined (or what `late` gives, or throws) once `ms` are over. The work goes on; no timer is left behind.
 */
export function within<T>(work: Promise<T>, ms: number): Promise<T | undefined>;
export function within<T, L>(work: Promise<T>, ms: number, late: () => L): Promise<T | L>;
export async function within<T, L>(work: Promise<T>, ms: number, late?: () => L): Promise<T | L | undefined> {
  const { promise: over, resolve } = Promise.withResolvers<typeof LATE>();
  const timer = setTimeout(() => resolve(LATE), ms);
  const first = await Promise.race([work, over]).finally(() => clearTimeout(timer));
  return first === LATE ? late?.() : first;
}
