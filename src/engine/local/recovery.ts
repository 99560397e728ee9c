/** Recovers the inbox that an earlier process left, counting the crashes each message was part of. */
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
  /** The required shape of a message; anything by default. */
  schema?: Schema<T>;
  /** Whether only the delivery of a message's answer remains; asked before the message is given up. */
  hasResult?: (item: QueueItem<T>) => Promise<boolean>;
  /**
   * Called when a message was given up after crashing the gateway; resolves once the person has been notified. The
   * message leaves the inbox only then, so that a crash before that gives it up again.
   */
  onDead: (item: QueueItem<T>, reason: string) => unknown;
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
 * Puts running messages back and returns everything that waits, oldest first. The crash count is written before work
 * begins again, so that a message that crashes the gateway can't do so forever.
 */
export async function recoverSpool<T>(
  { store, onDead, hasResult, schema: message = shape<T>(anything) }: RecoveryOptions<T>,
  now: () => number,
): Promise<SpoolFile<T>[]> {
  const schema = spoolShape(message);
  const read = (state: 'cur' | 'new') =>
    store
      .names(state)
      .map((id) => store.read(state, id, schema))
      .filter((file) => file !== undefined);
  const told = async (file: SpoolFile<T>, reason: string) => onDead(file, reason);
  const isAnswered = async (file: SpoolFile<T>) =>
    store.has('out', file.id) || store.wasFinished(`${file.id}.out`) || (await hasResult?.(file)) === true;
  await Promise.all(
    read('cur').map(async (cut) => {
      const file = { ...cut, attempts: cut.attempts + 1 };
      if (isGivenUp(file.attempts, false) && isGivenUp(file.attempts, await isAnswered(file))) {
        const reason = `the gateway ended ${file.attempts} times while working on it`;
        await bury(store, file, reason, now());
        void told(file, reason).then(
          () => store.remove('cur', file.id),
          () => 'the next start tells them',
        );
      } else {
        await store.put('new', file.id, file);
        store.remove('cur', file.id);
      }
    }),
  );
  return read('new').sort((a, b) => a.seq - b.seq);
}
