/**
 * A channel's connection: its status, and its HTTP requests. Requests use node:http(s) with kept-alive connections,
 * because its errors show whether anything was sent, and only what wasn't may be repeated. They never follow redirects,
 * since they carry tokens.
 */
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { urlToHttpOptions } from 'node:url';
import { viberCommand } from '../../lib/invocation.ts';
import { createLru } from '../../lib/lru.ts';
import type { Logger } from '../../log.ts';
import type { ChannelStatus } from '../channel.ts';

const CONNECT_MS = 10_000;
/** Idle connections are closed before routers forget them: a request over a forgotten one never gets an answer. */
const IDLE_MS = 45_000;
/** A connection used this recently is still open, or its closing is already known. */
const FRESH_MS = 1_000;
/** The most URLs to cache. Methods have few; every file has its own. */
const MAX_ADDRESSES = 100;

/** A request without an answer from the platform. */
export class TransportError extends Error {
  override name = 'TransportError';
  /** False when the platform certainly received nothing of it. */
  readonly sent: boolean;
  /** The system's code, or `http_502` with the status of an answer that isn't the platform's. */
  readonly code: string | undefined;
  /** The wait that such an answer asks for. */
  readonly retryAfterMs: number | undefined;
  constructor(
    message: string,
    details: { sent: boolean; code?: string | undefined; retryAfterMs?: number | undefined },
  ) {
    super(message);
    this.sent = details.sent;
    this.code = details.code;
    this.retryAfterMs = details.retryAfterMs;
  }
}

export interface OutgoingRequest {
  method?: string | undefined;
  headers?: OutgoingHttpHeaders | undefined;
  /** A stream needs its `content-length` among the headers. */
  body?: string | Readable | undefined;
  /** Milliseconds until the answer's headers must arrive. */
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
}

/** Resolves with the answer once its headers have arrived; it must be read or destroyed. @throws TransportError */
export type SendRequest = (url: string | URL, request: OutgoingRequest) => Promise<IncomingMessage>;

export function createRequests(): SendRequest {
  const options = {
    keepAlive: true,
    timeout: IDLE_MS,
    ...(process.env.NODE_USE_ENV_PROXY === '1' && { proxyEnv: process.env }),
  };
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };
  const addresses = createLru<ReturnType<typeof urlToHttpOptions>>(MAX_ADDRESSES);
  /** When the last request to a host ended; the agent reuses the most recent connection. */
  const usedAt = createLru<number>(MAX_ADDRESSES);

  return async (url, { method = 'POST', headers, body, timeoutMs, signal }) => {
    const text = String(url);
    let address = addresses.get(text);
    if (!address) {
      address = urlToHttpOptions(new URL(text));
      addresses.set(text, address);
    }
    const host = `${address.hostname}:${address.port}`;
    if (performance.now() - (usedAt.get(host) ?? Number.NEGATIVE_INFINITY) > FRESH_MS) {
      // Waits a whole turn of the event loop, so that a connection the server has closed is noticed and not used.
      await setImmediate();
      await setImmediate();
    }
    return new Promise((resolve, reject) => {
      const isSecure = address.protocol === 'https:';
      const length = typeof body === 'string' ? { 'content-length': Buffer.byteLength(body) } : {};
      const request = (isSecure ? httpsRequest : httpRequest)({
        ...address,
        method,
        headers: { ...headers, ...length },
        agent: isSecure ? agents.https : agents.http,
      });
      const connection = watchConnection(request);
      const giveUp = (code: string) => request.destroy(Object.assign(new Error(code), { code }));
      const abort = () => giveUp('ABORTED');
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => giveUp('ETIMEDOUT'), timeoutMs);
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        usedAt.set(host, performance.now());
      };
      request.on('error', (error: NodeJS.ErrnoException) => {
        end();
        reject(new TransportError(error.code ?? error.message, { sent: connection.isMade, code: error.code }));
      });
      request.on('response', (response) => {
        clearTimeout(timer);
        response.once('close', () => {
          end();
          // Refused before the body was fully sent.
          if (!request.writableFinished) request.destroy();
        });
        resolve(response);
      });
      signal?.addEventListener('abort', abort);
      if (signal?.aborted) abort();
      else if (body === undefined || typeof body === 'string') request.end(body);
      else pipeline(body, request, () => 'a failure is the request’s own error');
    });
  };
}

/** Fails a request whose connection isn't made in time, and reports whether it was ever made. */
function watchConnection(request: ClientRequest): { isMade: boolean } {
  const connection = { isMade: false };
  const timer = setTimeout(() => request.destroy(tooLate()), CONNECT_MS);
  const made = () => {
    connection.isMade = true;
    clearTimeout(timer);
  };
  request.once('close', () => clearTimeout(timer));
  request.once('socket', (socket) => {
    if (isReady(socket)) made();
    else socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', made);
  });
  return connection;
}

const tooLate = (): Error => Object.assign(new Error(`no connection within ${CONNECT_MS} ms`), { code: 'ETIMEDOUT' });

function isReady(socket: Socket): boolean {
  if (socket.connecting) return false;
  return !(socket instanceof TLSSocket) || /^(TLS|SSL)/.test(socket.getProtocol() ?? '');
}

/** Holds the status of a channel's connection. Reports each change, and logs each problem once. */
export interface ChannelState {
  get(): ChannelStatus;
  set(next: ChannelStatus): void;
}

const otherWays = (): string =>
  `I keep trying. The rest of the gateway works: ${viberCommand('chat')} talks to it here, ${viberCommand('board')} opens the Board.`;

export function createChannelState(channel: string, log: Logger, onChange: () => void): ChannelState {
  let status: ChannelStatus = { state: 'off' };
  let wasConnected = false;
  return {
    get: () => status,
    set(next) {
      if (next.state === status.state && next.detail === status.detail) return;
      wasConnected ||= next.state === 'connected';
      if (next.detail !== undefined) {
        const isFirst = next.state === 'reconnecting' && !wasConnected;
        log.warn({ channel, state: next.state }, isFirst ? `${next.detail}; ${otherWays()}` : next.detail);
      }
      status = next;
      onChange();
    },
  };
}
