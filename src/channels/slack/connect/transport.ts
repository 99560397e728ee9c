/**
 * Sends requests to Slack over kept-alive connections of node:http(s). It exists to know, when a request fails, whether
 * anything was sent, which decides what may be repeated. It never follows redirects, since requests carry the token.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { watchConnection } from '../../shared/connection.ts';

/** A request without an answer from Slack. */
export class TransportError extends Error {
  override name = 'TransportError';
  /** False when Slack certainly received nothing of it. */
  readonly sent: boolean;
  /** The system's code. */
  readonly code: string | undefined;
  constructor(message: string, details: { sent: boolean; code: string | undefined }) {
    super(message);
    this.sent = details.sent;
    this.code = details.code;
  }
}

export interface RequestOptions {
  method: 'GET' | 'POST';
  headers?: Record<string, string>;
  /** A stream needs its `content-length` among the headers. */
  body?: string | Readable;
  /** Milliseconds until the answer's headers must arrive. */
  timeoutMs: number;
  signal?: AbortSignal;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Must be read or destroyed. */
  body: IncomingMessage;
}

export interface Transport {
  /** @throws TransportError */
  request(url: string | URL, options: RequestOptions): Promise<Answer>;
  /** Returns the answer's body as text, at most 50 MB. @throws TransportError */
  text(answer: Answer): Promise<string>;
  /** Returns how many ms Slack's clock is ahead of ours, to about a second; 0 before the first answer. */
  skewMs(): number;
}

/** Idle connections are closed before routers forget them: a request over a forgotten one never gets an answer. */
const IDLE_MS = 45_000;
const MAX_ANSWER_BYTES = 50_000_000;

export function createTransport(): Transport {
  const options = {
    keepAlive: true,
    timeout: IDLE_MS,
    ...(process.env.NODE_USE_ENV_PROXY === '1' && { proxyEnv: process.env }),
  };
  let skew = 0;
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };

  async function request(url: string | URL, options: RequestOptions): Promise<Answer> {
    // Waits a whole turn of the event loop, so that a connection the server has closed is noticed and not used.
    await setImmediate();
    await setImmediate();
    return new Promise((resolve, reject) => {
      const { method, headers = {}, body, timeoutMs, signal } = options;
      const isSecure = new URL(url).protocol === 'https:';
      const length = typeof body === 'string' ? { 'content-length': String(Buffer.byteLength(body)) } : {};
      const request = (isSecure ? httpsRequest : httpRequest)(url, {
        method,
        headers: { ...headers, ...length },
        agent: isSecure ? agents.https : agents.http,
      });
      const connection = watchConnection(request);
      const giveUp = (code: string) => request.destroy(Object.assign(new Error(code), { code }));
      const abort = () => giveUp('ABORTED');
      const timer = setTimeout(() => giveUp('ETIMEDOUT'), timeoutMs);
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      request.on('error', (error: NodeJS.ErrnoException) => {
        end();
        reject(new TransportError(error.code ?? error.message, { sent: connection.isMade, code: error.code }));
      });
      request.on('response', (response) => {
        clearTimeout(timer);
        const serverTime = Date.parse(response.headers.date ?? '');
        if (!Number.isNaN(serverTime)) skew = serverTime - Date.now();
        response.once('close', () => {
          end();
          // Refused before the body was fully sent.
          if (!request.writableFinished) request.destroy();
        });
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: response });
      });
      signal?.addEventListener('abort', abort);
      if (signal?.aborted) abort();
      else if (body === undefined || typeof body === 'string') request.end(body);
      else pipeline(body, request, () => 'a failure is the request’s own error');
    });
  }

  async function text({ body }: Answer): Promise<string> {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => body.destroy(), IDLE_MS);
    try {
      for await (const chunk of body) {
        size += chunk.length;
        if (size > MAX_ANSWER_BYTES) throw new Error('the answer is too long');
        chunks.push(chunk);
      }
    } catch {
      throw new TransportError('the answer was cut short', { sent: true, code: undefined });
    } finally {
      clearTimeout(timer);
    }
    return Buffer.concat(chunks).toString('utf8');
  }

  return { request, text, skewMs: () => skew };
}
