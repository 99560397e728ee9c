/** A clock that a test moves. Timers fire in the order of their times, each at its time. */
import type { Clock } from '../../src/lib/clock.ts';

export interface ManualClock extends Clock {
  /** Goes on for so long, through every timer on the way; `settle` is awaited after each. */
  advance(ms: number, settle?: () => Promise<void>): Promise<void>;
  /** Goes on to that time. */
  advanceTo(time: number | string, settle?: () => Promise<void>): Promise<void>;
  /** Another time all of a sudden, either way, as after a sleep or a correction. Timers keep what is left of them. */
  jump(ms: number): void;
  /** How many timers are set, and when the first fires. */
  timers(): number[];
}

export function manualClock(start: string | number): ManualClock {
  let now = new Date(start).getTime();
  const timers = new Set<{ at: number; fn: () => void }>();

  async function advance(ms: number, settle: () => Promise<void> = async () => undefined): Promise<void> {
    let end = now + ms;
    await settle();
    for (;;) {
      const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      timers.delete(next);
      const before = Math.max(now, next.at);
      now = before;
      next.fn();
      await settle();
      end += now - before;
    }
    now = end;
  }

  return {
    now: () => now,
    after(ms, fn) {
      const timer = { at: now + Math.max(0, ms), fn };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance,
    advanceTo: (time, settle) => advance(new Date(time).getTime() - now, settle),
    jump(ms) {
      now += ms;
      for (const timer of timers) timer.at += ms;
    },
    timers: () => [...timers].map(({ at }) => at).sort((a, b) => a - b),
  };
}
