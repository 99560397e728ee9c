/**
 * The gateway's own keys for push services (VAPID, RFC 8292): `access/push-keys.json`, created on first use. A
 * browser's subscription works only with the key with which it was made.
 */
import { createECDH, createPrivateKey, sign } from 'node:crypto';
import path from 'node:path';
import { locked } from '../../../access/records.ts';
import { parseJson, readWhole } from '../../../lib/json.ts';
import { isFilled, objectOf, shape } from '../../../lib/shape.ts';
import { writeJson } from '../../../lib/write-json.ts';
import { CURVE } from './seal.ts';

/** In base64url; `publicKey` is an uncompressed point. */
export interface PushKeys {
  publicKey: string;
  privateKey: string;
}

const keysShape = shape<PushKeys>(objectOf({ publicKey: isFilled, privateKey: isFilled }));
/** Push services accept at most a day. */
const VALID_SECONDS = 12 * 3_600;

/** Returns the keys, creating them if there are none that can be read. */
export function pushKeys(folder: string): PushKeys {
  const file = path.join(folder, 'push-keys.json');
  return readKeys(file) ?? locked(file, () => readKeys(file) ?? makeKeys(file));
}

function readKeys(file: string): PushKeys | undefined {
  const { data } = keysShape.safeParse(parseJson(readWhole(file)?.text ?? ''));
  return data && areOnePair(data) ? data : undefined;
}

function makeKeys(file: string): PushKeys {
  const pair = createECDH(CURVE);
  const keys = { publicKey: pair.generateKeys('base64url'), privateKey: pair.getPrivateKey('base64url') };
  writeJson(file, keys);
  return keys;
}

function areOnePair({ publicKey, privateKey }: PushKeys): boolean {
  try {
    const pair = createECDH(CURVE);
    pair.setPrivateKey(privateKey, 'base64url');
    return pair.getPublicKey('base64url') === publicKey;
  } catch (error) {
    // Not a number on the curve.
    if (error instanceof Error) return false;
    throw error;
  }
}

/**
 * Returns the `Authorization` header for one push service.
 * @param contact for the service's operators: `https:` or `mailto:`
 */
export function vapidHeader(endpoint: string, keys: PushKeys, contact: string, now: number): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { aud: new URL(endpoint).origin, exp: Math.floor(now / 1_000) + VALID_SECONDS, sub: contact };
  const signed = `${encode({ typ: 'JWT', alg: 'ES256' })}.${encode(claims)}`;
  const point = Buffer.from(keys.publicKey, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'));
  const jwk = { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '', d: keys.privateKey };
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `vapid t=${signed}.${signature.toString('base64url')}, k=${keys.publicKey}`;
}
