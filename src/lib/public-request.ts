/**
 * Sends one GET to the public internet (promise 53). Invariants: only https to port 443, with the address checked when
 * connecting, unless the exact origin is allowed. Every redirect is checked like the first address, and followed only
 * if allowed. The request identifies nobody: no cookie, no credential, no referrer. Limits apply after decompression;
 * one time limit applies to everything.
 */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { errorCode, UserError } from '../errors.ts';
import { isPublicAddress, notPublicError, publicLookup, type Resolve, resolveBySystem } from './public-address.ts';
import { webAddress } from './web-addresses.ts';

export interface RequestOptions {
  /** Exact origins that may be reached even if they are private, not https, or on another port. */
  allowedOrigins: readonly string[];
  signal: AbortSignal;
  /** Returns the limit in bytes after decompression, given the declared type and status. */
  limit(contentType: string, status: number): number;
  timeoutMs: number;
  /** Returns whether a redirect from the first address to the second may be followed. */
  mayFollow(from: URL, to: URL): Promise<boolean>;
  /** Replaces the system's resolver. */
  resolve?: Resolve | undefined;
  /** Certificates trusted instead of the usual ones. */
  ca?: string | undefined;
}

export interface WebAnswer {
  /** The final address after redirects. */
  url: URL;
  status: number;
  /** As declared, '' if absent. */
  contentType: string;
  /** Seconds or a date, from the server's `Retry-After`. */
  retryAfter?: string;
  body: Buffer;
  /** The redirect's target, if it isn't followed. */
  redirect?: URL;
}

const MAX_REDIRECTS = 5;
const HEADERS = {
  'user-agent': 'Mozilla/5.0 (compatible; OpenViber; web-fetch)',
  accept: 'text/html,application/xhtml+xml,text/*;q=0.9,application/json;q=0.9,*/*;q=0.5',
  'accept-encoding': 'gzip, br',
};

/** @throws UserError, fit to be shown, for every failure; the signal's reason when it aborts */
export async function getPublic(given: string, options: RequestOptions): Promise<WebAnswer> {
  const late = AbortSignal.timeout(options.timeoutMs);
  const signal = AbortSignal.any([options.signal, late]);
  let url = parseUrl(given);
  try {
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const message = await exchange(url, options, signal);
      const target = redirectOf(message);
      if (target === undefined) {
        const answer = await readWebAnswer(url, message, options);
        // A body without a length ends normally when the connection is cut, even by us.
        signal.throwIfAborted();
        return answer;
      }
      message.destroy();
      const next = parseUrl(target, url);
      if (!(await options.mayFollow(url, next)))
        return { url, status: message.statusCode ?? 0, contentType: '', body: Buffer.alloc(0), redirect: next };
      url = next;
    }
    throw new UserError(`${given.slice(0, 200)} redirects more than ${MAX_REDIRECTS} times.`);
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof UserError) throw error;
    if (late.aborted) throw new UserError(`${url.host} took longer than ${options.timeoutMs / 1000} seconds.`);
    throw new UserError(requestFailure(url, error), { cause: error });
  }
}

function parseUrl(text: string, base?: URL): URL {
  const url = webAddress(text, base);
  if (!url) throw new UserError(`This is not a web address: ${text.slice(0, 200)}`);
  return url;
}

/**
 * Checks an address; names are checked when they are resolved.
 * @throws UserError for an address that isn't fetched
 */
function admit(url: URL): void {
  const { protocol, port, hostname } = url;
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol === 'http:')
    throw new UserError(`Only https addresses are fetched, and ${url.host} was named with http: try it with https.`);
  if (protocol !== 'https:') throw new UserError(`Only https addresses are fetched, not ${protocol.slice(0, 20)}`);
  if (port !== '') throw new UserError(`Only port 443 is fetched from, not ${port}; skills.webOrigins allows others.`);
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw notPublicError(host);
}

/** Sends the request and returns its response; the body is still to be read. */
async function exchange(url: URL, options: RequestOptions, signal: AbortSignal): Promise<IncomingMessage> {
  if (url.username !== '' || url.password !== '')
    throw new UserError('A web address must hold no user name or password.');
  const isAllowed = options.allowedOrigins.some((allowed) => URL.parse(allowed)?.origin === url.origin);
  if (!isAllowed) admit(url);
  const resolve = options.resolve ?? resolveBySystem;
  const { promise, resolve: answer, reject } = Promise.withResolvers<IncomingMessage>();
  const send = url.protocol === 'http:' ? httpRequest : httpsRequest;
  const request = send(url, {
    agent: false,
    headers: HEADERS,
    signal,
    ...(isAllowed ? {} : { lookup: publicLookup(resolve) }),
    ...(url.protocol === 'https:' && { rejectUnauthorized: true, ...(options.ca && { ca: options.ca }) }),
  });
  // Some disconnects, such as a protocol switch, raise no error.
  const onClose = () => reject(Object.assign(new Error('closed without an answer'), { code: 'ECONNRESET' }));
  request.on('response', answer).on('error', reject).on('close', onClose).end();
  return promise;
}

const REDIRECTS = [301, 302, 303, 307, 308];

function redirectOf({ statusCode = 0, headers }: IncomingMessage): string | undefined {
  if (!REDIRECTS.includes(statusCode) || headers.location === undefined) return undefined;
  // Headers arrive as Latin-1; non-ASCII addresses are sent as UTF-8.
  return Buffer.from(headers.location, 'latin1').toString();
}

async function readWebAnswer(url: URL, message: IncomingMessage, { limit }: RequestOptions): Promise<WebAnswer> {
  const { statusCode: status = 0, headers } = message;
  const contentType = headers['content-type'] ?? '';
  const retryAfter = headers['retry-after']?.slice(0, 100);
  const body = await readBody(message, limit(contentType, status), url);
  return { url, status, contentType, ...(retryAfter ? { retryAfter } : {}), body };
}

async function readBody(message: IncomingMessage, limit: number, url: URL): Promise<Buffer> {
  const tooLarge = new UserError(`${url.host} answers with more than ${limit / 1_000_000} MB, which is too large.`);
  try {
    if (Number(message.headers['content-length']) > limit) throw tooLarge;
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of decompressed(message, url)) {
      if (!Buffer.isBuffer(chunk)) continue;
      size += chunk.length;
      if (size > limit) throw tooLarge;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    message.destroy();
  }
}

function decompressed(message: IncomingMessage, url: URL): Readable {
  const encoding = message.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === '' || encoding === 'identity') return message;
  const isGzip = encoding === 'gzip' || encoding === 'x-gzip';
  if (!isGzip && encoding !== 'br') throw new UserError(`${url.host} answers in an encoding nobody asked for.`);
  // A failure destroys both streams, so that the reader of the second gets it.
  return pipeline(message, isGzip ? createGunzip() : createBrotliDecompress(), () => undefined);
}

const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'has no address: is its name right?',
  EAI_AGAIN: 'could not be looked up just now',
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'closed the connection before the answer was complete',
  ETIMEDOUT: 'did not answer',
  ENETUNREACH: 'cannot be reached from here',
  EHOSTUNREACH: 'cannot be reached from here',
  HPE_HEADER_OVERFLOW: 'sent headers that are too large',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another name',
  CERT_HAS_EXPIRED: 'has an expired certificate',
};

function requestFailure({ host }: URL, error: unknown): string {
  const code = errorCode(error) ?? '';
  if (WORDS[code]) return `${host} ${WORDS[code]}.`;
  if (/CERT|SIGNATURE|VERIFY/.test(code)) return `${host} has a certificate that is not trusted (${code}).`;
  if (/^(Z_|ERR_BROTLI|ERR__ERROR|ERR_PADDING)/.test(code)) return `${host} sent a damaged answer (${code}).`;
  return `${host} could not be read${code ? ` (${code})` : ''}.`;
}
