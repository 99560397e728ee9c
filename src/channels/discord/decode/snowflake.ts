/** Discord's ids hold the time they were made, and so order events. https://discord.com/developers/docs/reference#snowflakes */

const EPOCH = 1_420_070_400_000n;

/** Milliseconds since the epoch. `id` is decimal digits. */
export function timeOf(id: string): number {
  return Number((BigInt(id) >> 22n) + EPOCH);
}

/** The smallest id of that moment (milliseconds since the epoch); '0' before 2015. */
export function idAt(time: number): string {
  const since = BigInt(Math.floor(time)) - EPOCH;
  return since <= 0n ? '0' : String(since << 22n);
}

/** Whether the event of id `a` came after that of `b`. */
export function isLater(a: string, b: string): boolean {
  return a.length === b.length ? a > b : a.length > b.length;
}
