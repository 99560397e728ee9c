/** Remembers recent events while the gateway accepts new ones. No accepted event depends on it. */
import { createRateLimiter, createSharedRateLimiter } from '../../access/limits.ts';
import type { Engine } from '../../engine/engine.ts';
import { createTurns } from '../../lib/locks.ts';
import { createLru } from '../../lib/lru.ts';
import type { Entry } from '../contract/entry.ts';
import { Stopping } from './stopping.ts';

export type Arrivals = ReturnType<typeof createArrivals>;

export interface Writer {
  /** The last accepted text here. */
  last?: string;
  refused: number;
  timer?: NodeJS.Timeout;
}

const MAX_WRITERS = 10_000;
const MAX_EDITS = 5_000;
const MAX_TROUBLES = 1_000;

/** @param shared the engine, if several processes accept events */
export const createArrivals = (messagesPerMinute: number, shared: Engine<Entry> | undefined) => ({
  /** Keeps the order of events of a conversation, and of a binding. */
  turns: createTurns(),
  limiter: shared ? createSharedRateLimiter(messagesPerMinute, shared.state) : createRateLimiter(messagesPerMinute),
  /** Keyed by conversation, without owners. */
  writers: createLru<Writer>(MAX_WRITERS),
  /** The latest text of edited messages, hashed. */
  edits: createLru<string>(MAX_EDITS),
  /** Stops that were accepted, but not executed yet. */
  stopping: new Stopping(shared),
  /** The last time that an event of a conversation could not be accepted. */
  troubles: createLru<number>(MAX_TROUBLES),
  /** Counts the events kept in `dead` within an hour because their sender could not be authorised. */
  unknown: { since: 0, count: 0 },
});
