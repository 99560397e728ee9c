/** What is Discord's own in the JSON it sends: ids and bits. */
import { type Fields, integer } from '../../shared/read.ts';

/** A snowflake: Discord's ids are decimal numbers of 64 bits, written as texts. */
export function id(from: Fields, key: string): string | undefined {
  const value = from[key];
  return isId(value) ? value : undefined;
}

export function isId(value: unknown): value is string {
  return typeof value === 'string' && /^\d{1,20}$/.test(value);
}

/** Bits of a field such as `flags`. */
export function hasFlag(from: Fields, flag: number): boolean {
  return ((integer(from, 'flags') ?? 0) & flag) !== 0;
}
