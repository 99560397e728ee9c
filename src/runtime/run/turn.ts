/** A turn: messages of one lane that are handled together, and its outcome. Types only. */
import type { Lease } from '../../engine/engine.ts';
import type { Entry } from '../contract/entry.ts';
import type { Owner } from '../contract/order.ts';
import type { Batch, Item } from './batches.ts';

export interface Turn extends Batch {
  /** All messages that it answers: its own, and those of turns that were steered into it. */
  answered: readonly Item[];
  /** An earlier attempt may have left something in the session. */
  isAgain: boolean;
  lease: Lease<Entry>;
  owner: Owner;
  signal: AbortSignal;
  /** Aborts with `signal`, except for a newer message: earlier words are still read. */
  intake: AbortSignal;
  /** Called when it is too late to stop the turn: its answer comes now. */
  onSettled(): void;
}
