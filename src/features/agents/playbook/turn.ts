/** A turn of a playbook. Messages that have arrived since the order belong to the current step. */
import type { PlayOrder } from '../../../runtime/contract/entry.ts';
import type { TakenTurn } from '../../../runtime/contract/order.ts';

export interface PlayTurn extends Omit<TakenTurn, 'entry'> {
  play: PlayOrder;
}
