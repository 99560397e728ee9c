/**
 * Paces identifies. Discord allows one per five seconds and 1000 a day, and resets the token of a bot that makes more:
 * a server that greets and hangs up must not use them up.
 * https://discord.com/developers/docs/events/gateway#session-start-limit-object
 */
const BURST = 100;
/** The pace beyond the burst; together at most 964 a day. */
const EVERY_MS = 100_000;

/** Returns a function that gives the milliseconds to wait; each call counts as one identify, made after that wait. */
export function createIdentifyPace(gapMs: number): (now: number) => number {
  let left = BURST;
  let countedAt = Number.NEGATIVE_INFINITY;
  let nextAt = Number.NEGATIVE_INFINITY;
  return (now) => {
    left = Math.min(BURST, left + (now - countedAt) / EVERY_MS) - 1;
    countedAt = now;
    const at = Math.max(now, nextAt, left < 0 ? now - left * EVERY_MS : now);
    nextAt = at + gapMs;
    return at - now;
  };
}
