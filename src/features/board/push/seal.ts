/**
 * Encrypts the content of a push for one browser: RFC 8291, with the content coding `aes128gcm` of RFC 8188. Push
 * services see only its size.
 */
import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';

/** The browser's keys, in base64url. */
export interface BrowserKeys {
  p256dh: string;
  auth: string;
}

export const CURVE = 'prime256v1';
const POINT_BYTES = 65;
const AUTH_BYTES = 16;
/** One record holds everything, so its size is only a limit. */
const RECORD_BYTES = 4_096;
/** Ends the text of the last record. Padding would follow it. */
const LAST = '\u0002';

const keyBytes = (text: string): Buffer => Buffer.from(text, 'base64url');
const hkdf = (key: Buffer, salt: Buffer, info: Buffer | string, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, info, length));

/** Returns whether text can be encrypted with these keys. */
export function areBrowserKeys({ p256dh, auth }: BrowserKeys): boolean {
  if (keyBytes(p256dh).length !== POINT_BYTES || keyBytes(auth).length !== AUTH_BYTES) return false;
  try {
    const own = createECDH(CURVE);
    own.generateKeys();
    return own.computeSecret(keyBytes(p256dh)).length > 0;
  } catch (error) {
    // The point isn't on the curve.
    if (error instanceof Error) return false;
    throw error;
  }
}

export function sealFor({ p256dh, auth }: BrowserKeys, text: string): Buffer {
  const own = createECDH(CURVE);
  own.generateKeys();
  const [theirs, ours, salt] = [keyBytes(p256dh), own.getPublicKey(), randomBytes(16)];
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), theirs, ours]);
  const secret = hkdf(own.computeSecret(theirs), keyBytes(auth), info, 32);
  const key = hkdf(secret, salt, 'Content-Encoding: aes128gcm\0', 16);
  const nonce = hkdf(secret, salt, 'Content-Encoding: nonce\0', 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const sealed = Buffer.concat([cipher.update(text + LAST), cipher.final(), cipher.getAuthTag()]);
  const sizes = Buffer.alloc(5);
  sizes.writeUInt32BE(RECORD_BYTES, 0);
  sizes.writeUInt8(ours.length, 4);
  return Buffer.concat([salt, sizes, ours, sealed]);
}
