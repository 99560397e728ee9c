/**
 * Discord's IDs: 64-bit numbers as strings, with milliseconds since 2015 in the upper 42 bits, increasing in order of
 * creation.
 */

const EPOCH = 1_420_070_400_000;
let last = 0n;

/** Returns a new ID, greater than every earlier one. */
export function snowflake(): string {
  const now = BigInt(Date.now() - EPOCH) << 22n;
  last = now > last ? now : last + 1n;
  return last.toString();
}

/** Returns the Unix milliseconds at which an ID was created. */
export function timeOf(id: string): number {
  return Number(BigInt(id) >> 22n) + EPOCH;
}

/** Compares IDs as numbers, without converting them to numbers. */
export function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

export function isSnowflake(value: unknown): value is string {
  return typeof value === 'string' && /^\d{1,20}$/.test(value);
}
