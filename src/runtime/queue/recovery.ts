/** What an earlier process left in the inbox: its files as they stand, and the crashes they were part of, counted. */
import { bury, type SpoolFile } from './dead.ts';
import type { QueueItem } from './queue.ts';
import type { SpoolStore } from './store.ts';

export type { SpoolFile } from './dead.ts';

/** Crashes after which a message is given up (R11). */
export const MAX_CRASHES = 3;

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
        await bury(store, file, reason, now());
        onDead(file, reason);
      } else {
        await store.put('new', file.id, file);
      }
      store.remove('cur', file.id);
    }),
  );
  return read('new').sort((a, b) => a.seq - b.seq);
}
