/**
 * Reads what is particular to Discord's JSON: bits, and IDs, which hold their creation time and so order events.
 * https://discord.com/developers/docs/reference#snowflakes
 */
import { type Fields, integer } from '../../shared/read.ts';

/** Returns a snowflake: Discord's IDs are 64-bit decimal numbers, written as strings. */
export function id(from: Fields, key: string): string | undefined {
  const value = from[key];
  return isId(value) ? value : undefined;
}

export function isId(value: unknown): value is string {
  return typeof value === 'string' && /^\d{1,20}$/.test(value);
}

export function hasFlag(from: Fields, flag: number): boolean {
  return ((integer(from, 'flags') ?? 0) & flag) !== 0;
}

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
