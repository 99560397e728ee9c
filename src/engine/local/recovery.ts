/** What an earlier process left in the inbox: its files as they stand, and the crashes they were part of, counted. */
import {
  anything,
  isCount,
  isFilled,
  isFlag,
  isNumber,
  isText,
  isTime,
  objectOf,
  optional,
  type Schema,
  shape,
} from '../../lib/shape.ts';
import { isGivenUp } from '../crashes.ts';
import type { QueueItem } from '../engine.ts';
import { bury, type SpoolFile } from './dead-letters.ts';
import type { SpoolStore } from './store.ts';

export type { SpoolFile } from './dead-letters.ts';

export interface RecoveryOptions<T> {
  store: SpoolStore;
  /** What a message must hold to be worked on; anything unless told. */
  schema?: Schema<T>;
  /** A message was given up after crashing the gateway: the person should hear of it. */
  onDead: (item: QueueItem<T>, reason: string) => void;
}

/** The stored form of messages of this shape. */
export const spoolShape = <T>(message: Schema<T>): Schema<SpoolFile<T>> =>
  shape(
    objectOf({
      id: isFilled,
      dedupeId: isText,
      lane: isFilled,
      seq: isNumber,
      attempts: isCount,
      acceptedAt: isTime,
      message: (value) => message.safeParse(value).success,
      notBefore: optional(isNumber),
      group: optional(isText),
      by: optional(objectOf({ person: isText, isOwner: isFlag })),
      orderKey: optional(objectOf({ source: isText, at: isNumber })),
    }),
  );

/**
 * Puts back what was in work and gives everything that waits, oldest first. The count of crashes is written before the
 * work begins again, so that a message that ends the gateway cannot do so for ever.
 */
export async function recoverSpool<T>(
  { store, onDead, schema: message = shape<T>(anything) }: RecoveryOptions<T>,
  now: () => number,
): Promise<SpoolFile<T>[]> {
  const schema = spoolShape(message);
  const read = (state: 'cur' | 'new') =>
    store
      .names(state)
      .map((id) => store.read(state, id, schema))
      .filter((file) => file !== undefined);
  const isAnswered = (id: string) => store.has('out', id) || store.wasFinished(`${id}.out`);
  await Promise.all(
    read('cur').map(async (cut) => {
      const file = { ...cut, attempts: cut.attempts + 1 };
      if (isGivenUp(file.attempts, isAnswered(file.id))) {
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
