/**
 * Reads Discord's IDs, which hold their creation time and so order events.
 * https://discord.com/developers/docs/reference#snowflakes
 */

const EPOCH = 1_420_070_400_000n;

/** Returns an ID's time in ms since the epoch. `id` is decimal digits. */
export function timeOf(id: string): number {
  return Number((BigInt(id) >> 22n) + EPOCH);
}

/** Returns the smallest ID of a time (ms since the epoch); '0' before 2015. */
export function idAt(time: number): string {
  const since = BigInt(Math.floor(time)) - EPOCH;
  return since <= 0n ? '0' : String(since << 22n);
}

/** Returns whether the event with ID `a` came after that with ID `b`. */
export function isLater(a: string, b: string): boolean {
  return a.length === b.length ? a > b : a.length > b.length;
}
