/** Discord's ids: 64-bit numbers as strings, milliseconds since 2015 in the upper 42 bits, growing in order of making. */

const EPOCH = 1_420_070_400_000;
let last = 0n;

/** A new id, greater than every one before. */
export function snowflake(): string {
  const now = BigInt(Date.now() - EPOCH) << 22n;
  last = now > last ? now : last + 1n;
  return last.toString();
}

/** Unix milliseconds at which an id was made. */
export function timeOf(id: string): number {
  return Number(BigInt(id) >> 22n) + EPOCH;
}

/** Orders ids as numbers, without making numbers of them. */
export function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

export function isSnowflake(value: unknown): value is string {
  return typeof value === 'string' && /^\d{1,20}$/.test(value);
}
