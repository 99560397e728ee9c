/**
 * The memory of the way in: what the gateway remembers of events while they are taken in. It is lost with the process, and nothing that is
 * accepted depends on it.
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
  /** Events of a conversation, and of a binding, act in the order in which they came. */
  turns: Turns;
  limiter: RateLimiter | SharedRateLimiter;
  /** People who are not owners, by conversation: how their messages stand to the limit. */
  writers: Lru<Writer>;
  /** The newest words of messages that were edited, as hashes. */
  edits: Lru<string>;
  /** Stops that were taken in and are not carried out yet. */
  stopping: Stopping;
  /** When an event of a conversation could last not be taken in. */
  troubles: Lru<number>;
  /** Events that were kept in `dead` within the hour although nobody can say whether their sender is let in. */
  unknown: { since: number; count: number };
}

/** Somebody who may write too fast. */
export interface Writer {
  /** The words of the last message that was taken in this conversation. */
  last?: string;
  refused: number;
  timer?: NodeJS.Timeout;
}

const MAX_WRITERS = 10_000;
const MAX_EDITS = 5_000;
const MAX_TROUBLES = 1_000;

/** @param shared the engine of all processes that take in, where there are several */
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
