/**
 * Holds what all our messages share: they notify nobody, their links get no previews, and sending one again creates no
 * second one.
 */
import { createHash } from 'node:crypto';

/** https://discord.com/developers/docs/resources/message#allowed-mentions-object */
export const NO_MENTIONS = { parse: [], replied_user: false };
export const SUPPRESS_EMBEDS = 1 << 2;
export const SUPPRESS_NOTIFICATIONS = 1 << 12;

/** Returns at most 25 characters, the same for the same key. */
export function nonceOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 25);
}

/** Returns the fields that make a new message the same one when it is sent again. */
export function once(key: string): { nonce: string; enforce_nonce: true } {
  return { nonce: nonceOf(key), enforce_nonce: true };
}
