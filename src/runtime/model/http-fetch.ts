/**
 * Calls to a model over kept-alive connections of node:http(s): text out, a stream of bytes in. It costs half of what the
 * built-in fetch does. Invariants: a redirect is never followed (the request carries a key and a conversation), an abort
 * closes the connection at once, a body that breaks off errors its stream and never ends it, one that goes on past what an
 * answer can be closes the connection too.
 */
import { Agent, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest, Agent as SecureAgent } from 'node:https';

/** An answer whose body is still coming. */
export interface Incoming {
  message: IncomingMessage;
  status: number;
  /** Told each piece of the body as it comes: false when it is enough, and throws EndlessError when no answer is that long. */
  measure: Measure;
  /** What an error of `message` means to the caller: the signal's reason, or a TypeError as fetch has it. */
  failure(error: unknown): unknown;
}

export type Post = (input: string | URL | Request, init?: RequestInit) => Promise<Incoming>;

type Measure = (piece: { readonly length: number; lastIndexOf(mark: '\n'): number }) => boolean;

/** More came than any answer has. */
export class EndlessError extends Error {
  override name = 'EndlessError';
}

export const EVENTS = 'text/event-stream';
const MB = 1_048_576;
/** Bytes of one line of a stream, and of a whole one: each token comes with some 300 bytes around it. */
const MAX_LINE = MB;
const MAX_STREAM = 64 * MB;
/** Of an answer in one piece: 128 vectors of 3,072 numbers are the most we ask for. */
const MAX_BODY = 16 * MB;
/** Of a refusal: what matters stands at its beginning. */
const MAX_REFUSAL = 65_536;
const BODILESS = new Set([204, 205, 304]);

/**
 * Gives a function that sends a request. It rejects as fetch does: with the signal's reason, or with a TypeError
 * `fetch failed` whose cause has the system's code. `connectMs` limits name lookup, connection and TLS together.
 */
export function createPost({ connectMs }: { connectMs: number }): Post {
  const options = { keepAlive: true, ...(process.env.NODE_USE_ENV_PROXY === '1' && { proxyEnv: process.env }) };
  const agents = [new Agent(options), new SecureAgent(options)] as const;
  return (input, { method = 'POST', headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (typeof body !== 'string') throw new TypeError('only text is sent');
      const url = new URL(input instanceof Request ? input.url : input);
      const secure = url.protocol === 'https:';
      const sent = { ...toRecord(headers), 'accept-encoding': 'identity' };
      const send = secure ? httpsRequest : httpRequest;
      const request = send(url, { method, headers: sent, agent: agents[secure ? 1 : 0] });
      const onAbort = () => void request.destroy(signal?.reason);
      signal?.addEventListener('abort', onAbort, { once: true });
      const late = setTimeout(
        () => request.destroy(systemError('ETIMEDOUT', `no connection in ${connectMs} ms`)),
        connectMs,
      );
      const connected = () => clearTimeout(late);
      request.once('socket', (socket) => {
        if (socket.connecting) socket.once(secure ? 'secureConnect' : 'connect', connected);
        else connected();
      });
      request.once('close', () => {
        connected();
        signal?.removeEventListener('abort', onAbort);
      });
      const failure = (error: unknown) =>
        signal?.aborted ? signal.reason : new TypeError('fetch failed', { cause: error });
      request.on('error', (error) => reject(failure(error)));
      request.once('response', (message) => {
        const encoding = message.headers['content-encoding'] ?? 'identity';
        if (encoding !== 'identity') return void request.destroy(new Error(`unwanted encoding ${encoding}`));
        const status = message.statusCode ?? 0;
        resolve({ message, status, measure: createMeasure(status, isEvents(message)), failure });
      });
      request.end(body);
    });
}

/** `post` as a `fetch` for an AI SDK provider. */
export function createHttpFetch(post: Post): typeof fetch {
  return async (input, init) => toResponse(await post(input, init));
}

export const isEvents = ({ headers }: IncomingMessage): boolean => headers['content-type']?.startsWith(EVENTS) === true;

function createMeasure(status: number, areEvents: boolean): Measure {
  let total = 0;
  let line = 0;
  return (piece) => {
    total += piece.length;
    if (status < 200 || status > 299) return total <= MAX_REFUSAL;
    const end = areEvents ? piece.lastIndexOf('\n') : -1;
    line = end < 0 ? line + piece.length : piece.length - end - 1;
    if (areEvents && line > MAX_LINE) throw new EndlessError('a line of the answer does not come to an end');
    if (total > (areEvents ? MAX_STREAM : MAX_BODY)) throw new EndlessError('the answer does not come to an end');
    return true;
  };
}

export function toResponse(incoming: Incoming): Response {
  const { message, status } = incoming;
  const headers = Object.entries(message.headers).map(([name, value]): [string, string] => [name, String(value)]);
  return new Response(BODILESS.has(status) ? null : toStream(incoming), { status, headers });
}

function toStream({ message: response, measure, failure }: Incoming): ReadableStream<Uint8Array> {
  let open = true;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const settle = (how: () => void) => {
        if (open) how();
        open = false;
      };
      const isEnough = (chunk: Buffer): boolean => {
        try {
          return !measure(chunk);
        } catch (error) {
          settle(() => controller.error(error));
          return true;
        }
      };
      response.on('data', (chunk: Buffer) => {
        if (open && isEnough(chunk)) {
          settle(() => controller.close());
          response.destroy();
        }
        if (!open) return;
        controller.enqueue(chunk);
        if ((controller.desiredSize ?? 0) <= 0) response.pause();
      });
      response.once('end', () => settle(() => controller.close()));
      response.on('error', (error) => settle(() => controller.error(failure(error))));
      response.once('close', () => settle(() => controller.error(failure(brokeOff()))));
    },
    pull: () => void response.resume(),
    cancel() {
      open = false;
      response.destroy();
    },
  });
}

export const brokeOff = (): Error => systemError('ECONNRESET', 'the answer broke off');

/** The SDK gives plain objects, for which a `Headers` would be a detour. */
function toRecord(headers: RequestInit['headers']): OutgoingHttpHeaders {
  return headers instanceof Headers || Array.isArray(headers) ? Object.fromEntries(headers) : { ...headers };
}

const systemError = (code: string, message: string): Error => Object.assign(new Error(message), { code });
