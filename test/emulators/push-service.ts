/**
 * A push service as the RFCs describe it, with a browser's subscription: 8030 (headers, answers), 8188 and 8291 (it
 * decrypts pushes with the browser's keys), 8292 (it checks the sender).
 */
import { createDecipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, randomBytes, verify } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { listen, readBody } from './base/http.ts';

export interface ReceivedPush {
  text: string;
  ttl: number;
  urgency: string;
  topic: string | undefined;
  sub: string;
}

export interface PushSubscriptionOf {
  endpoint: string;
  keys: { p256dh: string; auth: string };
  received: ReceivedPush[];
  /** The answer to the next pushes, before they count; 201 by default. `hold`: no answer. */
  answers: (number | { status: number; retryAfter: string } | 'hold')[];
  /** The statuses, in order. */
  answered: number[];
  /** The time when each request arrived, in ms. */
  times: number[];
}

interface Known extends PushSubscriptionOf {
  pair: ECDH;
  key: string;
}

const DAY_SECONDS = 86_400;
const URGENCIES = ['very-low', 'low', 'normal', 'high'];

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, reason: string) {
    super(reason);
    this.status = status;
  }
}

export async function startPushService() {
  const known = new Map<string, Known>();
  const { url: origin, close } = await listen(async (request, response) => {
    answer(request, response, await readBody(request));
  });

  function answer(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    const subscription = known.get(request.url ?? '');
    const reply = (status: number, text = '', headers: OutgoingHttpHeaders = {}) => {
      subscription?.answered.push(status);
      response.writeHead(status, headers).end(text);
    };
    subscription?.times.push(Date.now());
    try {
      if (subscription === undefined) throw new Refusal(404, 'no such subscription');
      const push = read(request, body, subscription);
      const next = subscription.answers.shift();
      if (next === 'hold') {
        subscription.received.push(push);
        return;
      }
      const { status, retryAfter } = typeof next === 'object' ? next : { status: next, retryAfter: undefined };
      if (status !== undefined) {
        reply(status, 'as asked', retryAfter === undefined ? {} : { 'retry-after': retryAfter });
        return;
      }
      // A newer push replaces an older one with the same topic only while the browser is offline; ours never is.
      subscription.received.push(push);
      reply(201, '', { location: `${origin}/m/${subscription.received.length}` });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      reply(error.status, JSON.stringify({ reason: error.message }));
    }
  }

  function read({ method, headers }: IncomingMessage, body: Buffer, of: Known): ReceivedPush {
    if (method !== 'POST') throw new Refusal(405, 'POST');
    const ttl = Number(headers.ttl);
    if (!/^\d+$/.test(String(headers.ttl)) || ttl > 28 * DAY_SECONDS) throw new Refusal(400, 'TTL');
    const urgency = String(headers.urgency ?? 'normal');
    if (!URGENCIES.includes(urgency)) throw new Refusal(400, 'Urgency');
    const { topic } = headers;
    if (topic !== undefined && !/^[\w-]{1,32}$/.test(String(topic))) throw new Refusal(400, 'Topic');
    if (body.length > 4_096) throw new Refusal(413, 'too large');
    const sub = sender(headers.authorization, of.key);
    if (headers['content-encoding'] !== 'aes128gcm') throw new Refusal(400, 'Content-Encoding');
    return { text: decrypt(body, of), ttl, urgency, topic: topic === undefined ? undefined : String(topic), sub };
  }

  /** Checks the token, and returns its contact. */
  function sender(header: string | undefined, expected: string): string {
    const [, token = '', key = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(header ?? '') ?? [];
    if (token === '') throw new Refusal(401, 'Authorization');
    if (key !== expected) throw new Refusal(403, 'VapidPkHashMismatch');
    const [head = '', claims = '', signature = ''] = token.split('.');
    const point = Buffer.from(key, 'base64url');
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'));
    const jwk = { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' };
    const isSigned = verify(
      'sha256',
      Buffer.from(`${head}.${claims}`),
      { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    );
    const read = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString());
    const { aud, exp, sub } = read(claims);
    const now = Date.now() / 1_000;
    const isFresh = exp > now && exp <= now + DAY_SECONDS;
    const isContact = /^(https:\/\/|mailto:)\S+\.\S+$/.test(sub) && !/localhost/.test(sub);
    const isRight = isSigned && read(head).alg === 'ES256' && aud === origin && isFresh && isContact;
    if (!isRight) throw new Refusal(403, 'BadJwtToken');
    return sub;
  }

  return {
    origin,
    /** A browser that has subscribed with this key of the gateway. */
    subscribe(key: string): PushSubscriptionOf {
      const pair = createECDH('prime256v1');
      const keys = { p256dh: pair.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') };
      const path = `/push/${randomBytes(16).toString('base64url')}`;
      const noted = { received: [], answers: [], answered: [], times: [] };
      const subscription = { endpoint: origin + path, keys, key, pair, ...noted };
      known.set(path, subscription);
      return subscription;
    },
    /** Ends a subscription: 404 from now on. */
    forget: ({ endpoint }: PushSubscriptionOf) => void known.delete(new URL(endpoint).pathname),
    close,
  };
}

export type PushService = Awaited<ReturnType<typeof startPushService>>;

function decrypt(body: Buffer, { pair, keys }: Known): string {
  const [salt, size, length] = [body.subarray(0, 16), body.readUInt32BE(16), body.readUInt8(20)];
  if (length !== 65 || size < 18) throw new Refusal(400, 'header of aes128gcm');
  const theirs = body.subarray(21, 21 + length);
  const record = body.subarray(21 + length);
  if (record.length > size) throw new Refusal(400, 'more than one record');
  const derive = (key: Buffer, by: Buffer, info: Buffer, bytes: number) =>
    Buffer.from(hkdfSync('sha256', key, by, info, bytes));
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), pair.getPublicKey(), theirs]);
  const secret = derive(pair.computeSecret(theirs), Buffer.from(keys.auth, 'base64url'), info, 32);
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  const end = padded.findLastIndex((byte) => byte !== 0);
  if (padded[end] !== 2) throw new Refusal(400, 'padding');
  return padded.subarray(0, end).toString();
}
