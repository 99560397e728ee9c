/**
 * Leading for as long as a process lives: whoever fails, or has lost the lead, tries again a moment later, when another has had the
 * time to take it. A stop ends the work while the lead is still held, so that it can tell how far it came, and only then gives it up.
 */
import type { Lead } from '../channels/lead.ts';
import { LeaseLost } from '../errors.ts';
import type { Engine, Fence, Stop } from './engine.ts';

/** Milliseconds. */
const AGAIN_MS = 1_000;

/** @param onError hears why work that was led has failed */
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
        // What is refused to whoever has lost it is no failure.
        if (!(error instanceof LeaseLost)) onError(error, name);
      });
      await working;
      if (!ending.signal.aborted) again = setTimeout(beginAgain, againMs).unref();
    }

    function begin(): void {
      stop = engine.lead(name, work);
    }

    /** An engine may give the lead back by itself to whoever has lost it: it is asked for in one way at a time. */
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
      // One may have begun meanwhile.
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
