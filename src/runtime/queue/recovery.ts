/** What an earlier process left in the inbox: its files as they stand, and the crashes they were part of, counted. */
import type { DeadLetter, QueueItem, Share } from './queue.ts';
import type { SpoolStore } from './store.ts';

/** Crashes after which a message is given up (R11). */
export const MAX_CRASHES = 3;

/** The stored form of an item, with the platform's raw event beside the message. */
export interface SpoolFile<T> extends QueueItem<T> {
  dedupeId: string;
  /** Absent in files of earlier versions: the lane is then a person of its own. */
  by?: Share;
  notBefore?: number;
  group?: string;
  raw?: unknown;
  deadReason?: string;
  diedAt?: string;
}

/**
 * Puts back what was in work and gives everything that waits, oldest first. The count of crashes is written before the
 * work begins again, so that a message that ends the gateway cannot do so for ever.
 */
export async function recoverSpool<T>(
  store: SpoolStore,
  onDead: (item: QueueItem<T>, reason: string) => void,
  now: () => number,
): Promise<SpoolFile<T>[]> {
  const read = (state: 'cur' | 'new') =>
    store
      .names(state)
      .map((id) => store.read(state, id) as SpoolFile<T> | undefined)
      .filter((file) => file !== undefined);
  await Promise.all(
    read('cur').map(async (cut) => {
      const file = { ...cut, attempts: cut.attempts + 1 };
      if (file.attempts >= MAX_CRASHES) {
        const reason = `the gateway ended ${file.attempts} times while working on it`;
        await store.put('dead', file.id, { ...file, deadReason: reason, diedAt: new Date(now()).toISOString() });
        onDead(file, reason);
      } else {
        await store.put('new', file.id, file);
      }
      store.remove('cur', file.id);
    }),
  );
  return read('new').sort((a, b) => a.seq - b.seq);
}

/** What was given up, incoming and outgoing. */
export function deadLetters(store: SpoolStore): DeadLetter[] {
  return store.names('dead').map((id): DeadLetter => {
    const file = store.read('dead', id) as Partial<SpoolFile<unknown> & { reason: string }> | undefined;
    return { id, reason: file?.deadReason ?? file?.reason ?? 'unknown', diedAt: file?.diedAt ?? '' };
  });
}
