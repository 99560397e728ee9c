/** What every message of ours has: nobody is notified by it, no link grows a preview, and it is the same however often it is sent. */
import { createHash } from 'node:crypto';

/** https://discord.com/developers/docs/resources/message#allowed-mentions-object */
export const NO_MENTIONS = { parse: [], replied_user: false };
export const SUPPRESS_EMBEDS = 1 << 2;
export const SUPPRESS_NOTIFICATIONS = 1 << 12;

/** At most 25 characters, the same for the same key. */
export function nonceOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 25);
}

/** What makes a new message the same message when it is sent again. */
export function once(key: string): { nonce: string; enforce_nonce: true } {
  return { nonce: nonceOf(key), enforce_nonce: true };
}
