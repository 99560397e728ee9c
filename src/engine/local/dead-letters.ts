/** Dead letters: `dead/<key>.json`, the message with the platform's event and the reason it was given up. */
import { StorageError } from '../../errors.ts';
import { isText, objectOf, optional, shape } from '../../lib/shape.ts';
import type { DeadLetter, OrderKey, QueueItem, Share } from '../engine.ts';
import type { SpoolStore } from './store.ts';

/** The stored form of an item, with the platform's raw event beside the message. */
export interface SpoolFile<T> extends QueueItem<T> {
  dedupeId: string;
  /** Absent in files of earlier versions: the lane then counts as a person of its own. */
  by?: Share;
  notBefore?: number;
  group?: string;
  orderKey?: OrderKey;
  raw?: unknown;
  deadReason?: string;
  diedAt?: string;
}

const deadShape = shape<Partial<SpoolFile<unknown> & { reason: string }>>(
  objectOf({ deadReason: optional(isText), reason: optional(isText), diedAt: optional(isText) }),
);

/**
 * Writes a dead letter, durably when it resolves; without its raw event where that can't be serialised. Rejects with a
 * StorageError.
 */
export async function bury<T>(store: SpoolStore, file: SpoolFile<T>, reason: string, now: number): Promise<void> {
  const grave = { ...file, deadReason: reason, diedAt: new Date(now).toISOString() };
  try {
    await store.put('dead', file.id, grave);
  } catch (error) {
    if (error instanceof StorageError) throw error;
    const { raw: _left, ...rest } = grave;
    await store.put('dead', file.id, rest);
  }
}

/** Returns why an event was given up; undefined if it wasn't. An undeliverable answer has the name of its message. */
export function deadReason(store: SpoolStore, id: string): string | undefined {
  if (!store.has('dead', id)) return undefined;
  return store.peek('dead', id, deadShape)?.deadReason;
}

/** Lists what was given up, incoming and outgoing. */
export function deadLetters(store: SpoolStore): DeadLetter[] {
  return store.names('dead').map((id): DeadLetter => {
    const file = store.peek('dead', id, deadShape);
    return { id, reason: file?.deadReason ?? file?.reason ?? 'unknown', diedAt: file?.diedAt ?? '' };
  });
}
