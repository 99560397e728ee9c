/** A turn as it is timed: how long its messages have waited, and for its first word. */
import type { Metrics } from '../../telemetry/metrics.ts';
import type { TurnWatch } from '../contract/watch.ts';
import type { Item } from './batches.ts';

const waited = ({ acceptedAt }: Item): number => (Date.now() - Date.parse(acceptedAt)) / 1000;
const channelOf = ({ message }: Item): { channel: string } => ({ channel: message.message.address.channel });
/** Nobody has written it, so nobody waits. */
const isOwn = ({ message }: Item): boolean => message.job !== undefined;

/** Work on messages begins. One that was begun before has waited for something else. */
export function noteWait(items: readonly Item[], isAgain: boolean, metrics: Metrics): void {
  if (isAgain) return;
  for (const item of items) metrics.observe('viber_queue_wait_seconds', channelOf(item), waited(item));
}

/** @param items those that the turn answers; their first word is told once, also where an earlier turn was steered into this one */
export function watchTurn(items: readonly Item[], metrics: Metrics): TurnWatch {
  let hasSpoken = false;
  return {
    word() {
      if (hasSpoken) return;
      hasSpoken = true;
      for (const item of items) {
        if (!isOwn(item)) metrics.observe('viber_first_word_seconds', channelOf(item), waited(item));
      }
    },
  };
}
