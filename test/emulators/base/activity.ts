/**
 * Lists everything in this process that can be unfinished: requests to emulators, events that a bot hasn't confirmed,
 * the spool of a gateway. `test/kit/quiet.ts` waits until nothing is.
 */

export interface Source {
  /** Returns what is unfinished, in words. */
  open(): string[];
  /** Changes whenever something happens, also between two calls of `open`. */
  count(): number;
}

const sources = new Set<Source>();

/** Adds a source until the returned function is called. */
export function addSource(source: Source): () => void {
  sources.add(source);
  return () => void sources.delete(source);
}

export const allOpen = (): string[] => [...sources].flatMap((source) => source.open());

export const countAll = (): number => [...sources].reduce((sum, source) => sum + source.count(), 0);
