/** The types of a playbook's turn. */
import type { Waiting } from '../../../runtime/contract/agent.ts';
import type { PlayOrder } from '../../../runtime/contract/entry.ts';
import type { TakenTurn } from '../../../runtime/contract/order.ts';
import type { Answer } from '../../../runtime/contract/outcome.ts';

/** Messages that arrived since the order belong to the current step. */
export interface PlayTurn extends Omit<TakenTurn, 'entry'> {
  play: PlayOrder;
}

/**
 * @throws {RunError} if the turn was aborted
 * @throws a system error if the disk fails
 */
export type Play = (turn: PlayTurn) => Promise<Answer | Waiting>;
