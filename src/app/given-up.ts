/** Messages that were given up: their tasks have failed, and so have the runs of their jobs. */
import type { Entry } from '../runtime/contract/entry.ts';
import type { GiveUp } from '../runtime/run/retries.ts';
import type { RunServices } from '../runtime/run/services.ts';

export type GaveUp = (entries: readonly Entry[], reason: string) => Promise<void>;

interface Jobs {
  ended(entry: Entry, outcome: { state: 'error'; text: string }): void;
}

/** Never rejects. */
export const noteGivenUp =
  (records: RunServices['taskRecords'], jobs: Jobs): GaveUp =>
  async (entries, reason) => {
    for (const entry of entries) {
      await records.fail(entry.taskId);
      jobs.ended(entry, { state: 'error', text: reason });
    }
  };

export const givingUp =
  (giveUp: GiveUp, gaveUp: GaveUp): GiveUp =>
  async (items, reason) => {
    await giveUp(items, reason);
    await gaveUp(
      items.map(({ message }) => message),
      reason,
    );
  };
