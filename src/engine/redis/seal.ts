/**
 * Codes over what stands on a server, made with a key of the home. Whoever reaches the server, and not the home, writes there what they
 * like; what carries no code of ours counts for nothing.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export type CodeOf = (...parts: readonly string[]) => string;

/** Characters of a code. */
export const CODE_LENGTH = 43;

export const codesWith =
  (secret: Uint8Array): CodeOf =>
  (...parts) =>
    createHmac('sha256', secret).update(JSON.stringify(parts)).digest('base64url');

/** In a time that says nothing of where they differ. */
export function isSameCode(code: string, given: string): boolean {
  return timingSafeEqual(Buffer.from(code), Buffer.from(given.padEnd(CODE_LENGTH)).subarray(0, CODE_LENGTH));
}
