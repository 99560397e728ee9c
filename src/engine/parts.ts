/**
 * Sends the parts of one message: intent (durable) -> post -> outcome, so that a part that was sent is never posted
 * again. Invariant: a failure to write the outbox is a StorageError; whatever `post` throws is rethrown unchanged.
 */

import type { PartLedger } from '../channels/channel.ts';
import { crashPoint } from '../crash-points.ts';
import { DeliveryError } from '../errors.ts';
import type { Outbox, OutboxLease } from './engine.ts';

const MAX_UNSURE = 2;

/** Thrown after two attempts with unknown outcome: a third would more likely annoy than help. */
export class UnsureError extends Error {}

export type PartsOf = (lease: OutboxLease, isExact: boolean) => PartLedger;

export function createParts(outbox: Outbox, now: () => number): PartsOf {
  return (lease, isExact) => ({
    async part(index, post) {
      const state = lease.parts.get(index) ?? { unsure: 0, open: false };
      lease.parts.set(index, state);
      if (state.sentId !== undefined) return state.sentId;
      if (state.open) {
        // An intent without an outcome: a crash interrupted that attempt.
        state.open = false;
        state.unsure++;
        await outbox.outcome(lease, index, 'unsure');
      }
      if (state.unsure >= MAX_UNSURE && !isExact)
        throw new UnsureError('the platform may or may not have received the message');
      await outbox.intent(lease, index);
      const startedAt = now();
      const since = state.unsure > 0 ? state.since : undefined;
      crashPoint('send:intent');
      state.open = true;
      try {
        const key = `${lease.entry.key}:${index}`;
        state.sentId = await post(since === undefined ? { key } : { key, uncertainSince: since });
      } catch (error) {
        const unsure = error instanceof DeliveryError ? error.ambiguous : true;
        if (unsure) state.unsure++;
        if (unsure) state.since ??= startedAt;
        await outbox.outcome(lease, index, unsure ? 'unsure' : 'refused');
        throw error;
      } finally {
        state.open = false;
      }
      crashPoint('send:posted');
      await outbox.outcome(lease, index, 'sent', state.sentId);
      crashPoint('send:recorded');
      return state.sentId;
    },
  });
}
