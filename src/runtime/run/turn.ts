/** A turn: messages of one lane that are worked on together, and what came of it. Types only. */
import type { Lease } from '../../engine/engine.ts';
import type { Entry } from '../contract/entry.ts';
import type { Owner } from '../contract/order.ts';
import type { Batch, Item } from './batches.ts';

export interface Turn extends Batch {
  /** Everybody's messages that it answers: its own, and those of turns that were steered into it. */
  answered: readonly Item[];
  /** An earlier attempt at it may have left something in the session. */
  isAgain: boolean;
  lease: Lease<Entry>;
  owner: Owner;
  signal: AbortSignal;
  /** Aborts with `signal`, but for a newer message: what was said before it is still taken in. */
  intake: AbortSignal;
  /** Called when it is too late to stop it: what comes now is its answer. */
  onSettled(): void;
}
