/**
 * Holds what the gateway remembers about incoming events while it accepts them. It is lost with the process, and no
 * accepted event depends on it.
 */
import {
  createRateLimiter,
  createSharedRateLimiter,
  type RateLimiter,
  type SharedRateLimiter,
} from '../../access/limits.ts';
import type { Engine } from '../../engine/engine.ts';
import { createTurns, type Turns } from '../../lib/locks.ts';
import { createLru, type Lru } from '../../lib/lru.ts';
import type { Entry } from '../contract/entry.ts';
import { Stopping } from './stopping.ts';

export interface Arrivals {
  /** Makes events of a conversation, and of a binding, act in the order in which they arrived. */
  turns: Turns;
  limiter: RateLimiter | SharedRateLimiter;
  /** People who are not owners, by conversation: their state in the rate limit. */
  writers: Lru<Writer>;
  /** The latest text of edited messages, as hashes. */
  edits: Lru<string>;
  /** Stops that were accepted but not executed yet. */
  stopping: Stopping;
  /** When an event of a conversation last could not be accepted. */
  troubles: Lru<number>;
  /** Events kept in `dead` within the hour because nothing could tell whether their sender is admitted. */
  unknown: { since: number; count: number };
}

/** A person who may write too fast. */
export interface Writer {
  /** The text of the last message that was accepted in this conversation. */
  last?: string;
  refused: number;
  timer?: NodeJS.Timeout;
}

const MAX_WRITERS = 10_000;
const MAX_EDITS = 5_000;
const MAX_TROUBLES = 1_000;

/** @param shared the engine of all processes that accept events, if there are several */
export function createArrivals(messagesPerMinute: number, shared: Engine<Entry> | undefined): Arrivals {
  return {
    turns: createTurns(),
    limiter: shared ? createSharedRateLimiter(messagesPerMinute, shared.state) : createRateLimiter(messagesPerMinute),
    writers: createLru(MAX_WRITERS),
    edits: createLru(MAX_EDITS),
    stopping: new Stopping(shared),
    troubles: createLru(MAX_TROUBLES),
    unknown: { since: 0, count: 0 },
  };
}
