/**
 * Seals for data on a server, made with a key of the home. Somebody who can reach the server but not the home can write
 * anything there, so data without our seal is ignored.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export type CodeOf = (...parts: readonly string[]) => string;

/** Length of a code in characters. */
export const CODE_LENGTH = 43;

export const codesWith =
  (secret: Uint8Array): CodeOf =>
  (...parts) =>
    createHmac('sha256', secret).update(JSON.stringify(parts)).digest('base64url');

/** Compares in constant time. */
export function isSameCode(code: string, given: string): boolean {
  return timingSafeEqual(Buffer.from(code), Buffer.from(given.padEnd(CODE_LENGTH)).subarray(0, CODE_LENGTH));
}
