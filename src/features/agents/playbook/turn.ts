/** A playbook's turn. Types only. */
import type { Waiting } from '../../../runtime/contract/agent.ts';
import type { PlayOrder } from '../../../runtime/contract/entry.ts';
import type { TakenTurn } from '../../../runtime/contract/order.ts';
import type { RunOutcome } from '../../../runtime/contract/outcome.ts';

/** What people wrote since the order goes to the step at hand. */
export interface PlayTurn extends Omit<TakenTurn, 'entry'> {
  play: PlayOrder;
}

/** Throws RunError when the turn was ended, or a system error when the disk fails. */
export type Play = (turn: PlayTurn) => Promise<RunOutcome | Waiting>;
