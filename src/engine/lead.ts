/**
 * Leads for as long as the process lives. A leader that fails or loses the lead tries again a moment later, when
 * another has had time to take it. A stop ends the work while the lead is still held, so that it can report how far it
 * came, and only then gives up the lead.
 */
import type { Lead } from '../channels/lead.ts';
import { LeaseLost } from '../errors.ts';
import type { Engine, Fence, Stop } from './engine.ts';

const AGAIN_MS = 1_000;

/** @param onError receives failures of the work */
export function leadBy(
  engine: Pick<Engine<unknown>, 'lead'>,
  onError: (error: unknown, name: string) => void,
  againMs = AGAIN_MS,
): Lead {
  return (name, run) => {
    const ending = new AbortController();
    let stop: Stop | undefined;
    let again: NodeJS.Timeout | undefined;
    let working: Promise<void> | undefined;

    async function work(fence: Fence): Promise<void> {
      clearTimeout(again);
      if (ending.signal.aborted) return;
      const over = AbortSignal.any([ending.signal, fence.lost]);
      working = run({ over, isOurs: () => isHeld(fence) }).catch((error: unknown) => {
        // A leader that lost the lead is refused by design: not an error.
        if (!(error instanceof LeaseLost)) onError(error, name);
      });
      await working;
      if (!ending.signal.aborted) again = setTimeout(beginAgain, againMs).unref();
    }

    function begin(): void {
      stop = engine.lead(name, work);
    }

    /** An engine may return the lead to a leader that lost it, so stop the old request before making a new one. */
    async function beginAgain(): Promise<void> {
      await stop?.();
      if (!ending.signal.aborted) begin();
    }

    begin();
    return async () => {
      ending.abort();
      clearTimeout(again);
      await working;
      await stop?.();
      // The work may have begun while `stop` ended.
      await working;
    };
  };
}

function isHeld(fence: Fence): boolean {
  try {
    fence.check();
    return true;
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
    return false;
  }
}
