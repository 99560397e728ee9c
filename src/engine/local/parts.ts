/**
 * The parts of one message on their way out: intent (durable) -> post -> outcome, so that a part that was sent is never posted
 * again. Invariant: what the ledger itself cannot write is thrown as a StorageError, whatever `post` throws as it is.
 */

import type { PartLedger } from '../../channels/channel.ts';
import { crashPoint } from '../../crash-points.ts';
import { DeliveryError, errorCode, errorMessage, StorageError } from '../../errors.ts';
import type { OutboxFile } from '../engine.ts';
import type { Ledger, PartState } from './ledger.ts';

const MAX_UNSURE = 2;

/** Twice not known whether the platform took it: a third try would rather annoy than help. */
export class UnsureError extends Error {}

/** `states` is what is known of the message's parts, and grows. */
export type PartsOf = (entry: OutboxFile, states: Map<number, PartState>, isExact: boolean) => PartLedger;

export function createParts(ledger: Ledger, now: () => number): PartsOf {
  async function begin(entry: OutboxFile, index: number): Promise<void> {
    const written = entry.sending && index === 0;
    entry.sending = false;
    if (!written) await stored(() => ledger.intent(entry.key, index));
  }

  return (entry, states, isExact) => ({
    async part(index, post) {
      const record = (what: 'sent' | 'refused' | 'unsure', id?: string) =>
        stored(async () => ledger.outcome(entry.key, index, what, id));
      const state = states.get(index) ?? { unsure: 0, open: false };
      states.set(index, state);
      if (state.sentId !== undefined) return state.sentId;
      if (state.open) {
        // An intent that no outcome followed: a crash cut that attempt.
        state.open = false;
        state.unsure++;
        await record('unsure');
      }
      if (state.unsure >= MAX_UNSURE && !isExact)
        throw new UnsureError('it is not known whether the platform took the message');
      await begin(entry, index);
      const startedAt = now();
      const since = state.unsure > 0 ? state.since : undefined;
      crashPoint('send:intent');
      state.open = true;
      try {
        const key = `${entry.key}:${index}`;
        state.sentId = await post(since === undefined ? { key } : { key, uncertainSince: since });
      } catch (error) {
        const unsure = error instanceof DeliveryError ? error.ambiguous : true;
        if (unsure) state.unsure++;
        if (unsure) state.since ??= startedAt;
        await record(unsure ? 'unsure' : 'refused');
        throw error;
      } finally {
        state.open = false;
      }
      crashPoint('send:posted');
      await record('sent', state.sentId);
      crashPoint('send:recorded');
      return state.sentId;
    },
  });
}

async function stored(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw new StorageError(errorMessage(error), { code: errorCode(error), cause: error });
  }
}
