/** Reads what is particular to Discord's JSON: IDs and bits. */
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
