/** Posts one push to its service (RFC 8030), and interprets the answer. */
import { createHash } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { errorCode, UserError } from '../../../errors.ts';
import { isPublicAddress, publicLookup, resolveBySystem } from '../../../lib/public-address.ts';
import type { Push } from './records.ts';

export type PushResult =
  | { kind: 'sent' }
  /** The browser has ended the subscription. */
  | { kind: 'gone' }
  /** The service didn't accept it; `afterMs` if it says when to retry. */
  | { kind: 'later'; reason: string; afterMs?: number }
  /** Retrying wouldn't help. */
  | { kind: 'refused'; reason: string }
  /** The service may have accepted it. */
  | { kind: 'unsure'; reason: string }
  /** It was not to be sent after all. */
  | { kind: 'taken' };

export interface PushRequest {
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** Called once connected to the service, right before the request is sent; if it returns false, nothing is sent. */
  claim(): boolean;
}

/** Returns the headers that RFC 8030 and RFC 8291 require. */
export const pushHeaders = ({ session, kind, until }: Push, now: number): Record<string, string> => ({
  'content-encoding': 'aes128gcm',
  'content-type': 'application/octet-stream',
  ttl: String(Math.max(0, Math.round((until - now) / 1_000))),
  urgency: kind === 'done' ? 'normal' : 'high',
  // A newer push replaces one that the browser hasn't received yet.
  topic: createHash('sha256').update(`${session} ${kind}`).digest('base64url').slice(0, 32),
});

/** How long the service may take to answer before the connection is closed. */
export const LIMIT_MS = 15_000;
const MAX_REASON = 200;
const MAX_ANSWER = 4_096;
const MAX_ENDPOINT = 2_048;
const DAY_MS = 86_400_000;

/**
 * Returns whether pushes may be sent to an address that a browser names: it must be https and public, so that it
 * doesn't lead to a private network, or belong to a service that the owner lists.
 */
export function isPushAddress(endpoint: string, services: readonly string[]): boolean {
  const url = endpoint.length <= MAX_ENDPOINT ? URL.parse(endpoint) : null;
  if (url === null || url.username !== '' || url.password !== '') return false;
  if (isOwnService(url, services)) return true;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return url.protocol === 'https:' && url.port === '' && (isIP(host) === 0 || isPublicAddress(host));
}

const isOwnService = ({ origin }: URL, services: readonly string[]): boolean =>
  services.some((service) => new URL(service).origin === origin);

export function postPush(push: PushRequest, services: readonly string[], now = Date.now): Promise<PushResult> {
  const { endpoint, headers, body, claim } = push;
  if (!isPushAddress(endpoint, services)) return Promise.resolve({ kind: 'refused', reason: 'not a public address' });
  const url = new URL(endpoint);
  // Names are resolved once, and every address of a name must be public.
  const lookup = isOwnService(url, services) ? {} : { lookup: publicLookup(resolveBySystem) };
  const options = { ...lookup, method: 'POST', headers: { ...headers, 'content-length': body.length } };
  return new Promise((resolve, reject) => {
    let isHandedOver = false;
    const request = (url.protocol === 'http:' ? http : https).request(
      url,
      { ...options, agent: false, signal: AbortSignal.timeout(LIMIT_MS) },
      (response) => {
        let text = '';
        const end = () => resolve(pushResultOf(response, text.slice(0, MAX_REASON), now()));
        response.setEncoding('utf8');
        response.on('data', (piece: string) => {
          text += piece;
          if (text.length > MAX_ANSWER) response.destroy();
        });
        response.on('error', end);
        response.on('close', end);
      },
    );
    request.on('finish', () => {
      isHandedOver = true;
    });
    request.on('error', (error) => {
      const reason = errorCode(error) ?? error.message;
      if (error instanceof UserError) resolve({ kind: 'refused', reason: error.message });
      else resolve({ kind: isHandedOver && errorCode(error) !== 'ECONNREFUSED' ? 'unsure' : 'later', reason });
    });
    const leave = () => {
      try {
        if (claim()) return void request.end(body);
        resolve({ kind: 'taken' });
      } catch (error) {
        reject(error);
      }
      request.destroy();
    };
    request.on('socket', (socket) => socket.once(url.protocol === 'http:' ? 'connect' : 'secureConnect', leave));
  });
}

function pushResultOf({ statusCode = 0, headers }: http.IncomingMessage, text: string, now: number): PushResult {
  const reason = `${statusCode} ${text.replaceAll(/\s+/g, ' ').trim()}`.trim();
  if (statusCode >= 200 && statusCode < 300) return { kind: 'sent' };
  if (statusCode === 404 || statusCode === 410) return { kind: 'gone' };
  if (statusCode !== 429 && statusCode < 500) return { kind: 'refused', reason };
  const afterMs = waitOf(headers['retry-after'], now);
  return { kind: 'later', reason, ...(afterMs !== undefined && { afterMs }) };
}

/** Reads `Retry-After`: seconds or a date. */
function waitOf(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? undefined : Math.min(DAY_MS, Math.max(0, ms));
}
