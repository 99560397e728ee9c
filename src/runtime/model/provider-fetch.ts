/**
 * The `fetch` that providers' libraries use: based on node:http, at half the cost of the built-in one, with limits.
 * Invariants: requests are scrubbed of known secrets (promise 57); redirects are never followed, because the request
 * carries a key and a conversation; an answer beyond its size limit is not read further, and one that breaks off never
 * ends as if complete; events that carry nothing are left out; a web page is never read as an answer.
 */

import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, Agent as SecureAgent } from 'node:https';
import type { Socket } from 'node:net';
import { parseJson } from '../../lib/json.ts';
import { scrub } from '../../log.ts';
import { isPageType, WebPageError } from '../contract/web-page.ts';
import { createCarrier, type Shape } from './events.ts';

/** Thrown for an answer that exceeds every plausible size. */
export class EndlessError extends Error {
  override name = 'EndlessError';
}

const EVENTS = 'text/event-stream';
const MB = 1_048_576;
/**
 * Limits for one line of a stream and for the whole stream, in bytes: each token comes with some 300 bytes around it.
 */
const MAX_LINE = MB;
const MAX_STREAM = 64 * MB;
/** The limit for an answer in one piece, in bytes: we ask for at most 128 vectors of 3,072 numbers. */
const MAX_BODY = 16 * MB;
/** The limit for an error response, in bytes: the important part comes first. */
const MAX_REFUSAL = 65_536;

/**
 * Reads an answer piece by piece.
 * @throws EndlessError
 */
interface Take {
  /** Returns what the reader gets for a piece; undefined once it has enough. */
  piece(piece: Bytes): Bytes | undefined;
  /** Returns what the reader gets when the answer has ended. */
  end?(): Bytes;
}
type Bytes = Uint8Array<ArrayBuffer>;
const NOTHING: Bytes = new Uint8Array();

/**
 * @param connectMs limits name lookup, connection and TLS together
 * @param shape of the requested events; absent if none are requested
 */
export function createFetch(connectMs: number, shape?: Shape): typeof fetch {
  const options = { keepAlive: true, ...(process.env.NODE_USE_ENV_PROXY === '1' && { proxyEnv: process.env }) };
  const agents = { 'http:': new Agent(options), 'https:': new SecureAgent(options) };
  return async (input, { method = 'POST', headers, body, signal } = {}) => {
    if (typeof body !== 'string') throw new TypeError('only text is sent');
    const url = new URL(input instanceof Request ? input.url : input);
    const secure = url.protocol === 'https:';
    // The libraries pass plain objects; converting them to `Headers` would be a detour.
    const given = headers instanceof Headers || Array.isArray(headers) ? Object.fromEntries(headers) : headers;
    const sent = { ...given, 'accept-encoding': 'identity' };
    const request = (secure ? httpsRequest : httpRequest)(url, {
      method,
      headers: sent,
      agent: agents[secure ? 'https:' : 'http:'],
    });
    const failure = (cause: unknown) => (signal?.aborted ? signal.reason : new TypeError('fetch failed', { cause }));
    // By hand: the option `signal` watches the whole stream, at several times the cost.
    const abort = () => request.destroy(systemError('ABORT_ERR', 'aborted'));
    signal?.addEventListener('abort', abort, { once: true });
    request.once('close', () => signal?.removeEventListener('abort', abort));
    request.once('socket', (socket) => {
      if (socket.connecting) limitConnecting(request, socket, secure ? 'secureConnect' : 'connect', connectMs);
    });
    if (signal?.aborted) abort();
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve).on('error', (error) => reject(failure(error)));
      request.end(scrub(body));
    });
    return toResponse(message, failure, shape);
  };
}

function limitConnecting(request: ClientRequest, socket: Socket, connected: string, connectMs: number): void {
  const late = setTimeout(
    () => request.destroy(systemError('ETIMEDOUT', `no connection in ${connectMs} ms`)),
    connectMs,
  );
  socket.once(connected, () => clearTimeout(late));
  request.once('close', () => clearTimeout(late));
}

/** The one header of a stream that the libraries read. They copy all they get several times. */
const READ_OF_STREAMS = 'content-type';

function toResponse(message: IncomingMessage, failure: (cause: unknown) => unknown, shape?: Shape): Response {
  const { statusCode: status = 0 } = message;
  const isOk = status >= 200 && status < 300;
  const isPage = isPageType(message.headers['content-type']);
  const encoding = message.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    message.destroy();
    throw isOk && isPage ? new WebPageError() : failure(new Error(`unwanted encoding ${encoding}`));
  }
  const isStream = message.headers['content-type']?.toLowerCase().startsWith(EVENTS) === true;
  const headers = Object.entries(message.headers)
    .filter(([name]) => !(isOk && isStream) || name === READ_OF_STREAMS)
    .map(([name, value]): [string, string] => [name, String(value)]);
  if ([204, 205, 304].includes(status)) return new Response(null, { status, headers });
  const answer = () => (shape === 'chat' ? takeAnyForm() : isStream ? takeEvents(shape) : takeAtMost(MAX_BODY));
  return new Response(reading(message, failure, isOk ? takeNoPage(answer(), isPage) : takeRefusal()), {
    status,
    headers,
  });
}

function reading(message: IncomingMessage, failure: (cause: unknown) => unknown, take: Take): ReadableStream<Bytes> {
  let isOpen = true;
  return new ReadableStream<Bytes>({
    start(controller) {
      const end = (how: () => void) => {
        if (isOpen) how();
        isOpen = false;
      };
      message.on('data', (piece: Bytes) => {
        if (!isOpen) return;
        try {
          const taken = take.piece(piece);
          if (taken && taken.length > 0) controller.enqueue(taken);
          if (!taken) end(() => controller.close());
        } catch (error) {
          end(() => controller.error(error));
        }
        if (!isOpen) message.destroy();
        else if ((controller.desiredSize ?? 0) <= 0) message.pause();
      });
      message.once('end', () =>
        end(() => {
          try {
            const last = take.end?.();
            if (last && last.length > 0) controller.enqueue(last);
            controller.close();
          } catch (error) {
            controller.error(error);
          }
        }),
      );
      message.on('error', (error) => end(() => controller.error(failure(error))));
      message.once('close', () =>
        end(() => controller.error(failure(systemError('ECONNRESET', 'the answer broke off')))),
      );
    },
    pull: () => void message.resume(),
    cancel() {
      isOpen = false;
      message.destroy();
    },
  });
}

const systemError = (code: string, message: string): Error => Object.assign(new Error(message), { code });

function takeRefusal(): Take {
  let total = 0;
  return {
    piece(piece) {
      total += piece.length;
      return total > MAX_REFUSAL ? undefined : piece;
    },
  };
}

/** How JSON and events begin. */
const ANSWER = /^(?:[{[:]|(?:data|event|id|retry):)/;
const MARK_LENGTH = 'event:'.length;

/**
 * Neither JSON nor an event begins like markup, whatever the content type says. Some servers call their answers a page,
 * so a body that is called one is read if it begins like an answer.
 */
function takeNoPage(take: Take, isCalledPage: boolean): Take {
  let hasBegun = false;
  let held: Bytes = NOTHING;
  return {
    piece(piece) {
      if (hasBegun) return take.piece(piece);
      held = Buffer.concat([held, piece]);
      const text = new TextDecoder().decode(held).trimStart();
      if (text.startsWith('<')) throw new WebPageError();
      if (isCalledPage && !ANSWER.test(text)) {
        if (text.length >= MARK_LENGTH || held.length > MAX_REFUSAL) throw new WebPageError();
        return NOTHING;
      }
      hasBegun = text !== '';
      const begun = held;
      held = NOTHING;
      return take.piece(begun);
    },
    end() {
      if (isCalledPage && !hasBegun) throw new WebPageError();
      return take.end?.() ?? NOTHING;
    },
  };
}

function takeAtMost(most: number): Take {
  let total = 0;
  return {
    piece(piece) {
      total += piece.length;
      if (total > most) throw new EndlessError('the answer never ends');
      return piece;
    },
  };
}

/** Reads Chat Completions whatever the content type: events, one JSON body, or one per line. */
function takeAnyForm(): Take {
  let take: Take | undefined;
  return {
    piece(piece) {
      if (!take) {
        const first = new TextDecoder().decode(piece).trimStart().at(0);
        if (first === undefined) return NOTHING;
        take = /[{[]/.test(first) ? takeBodies() : takeEvents('chat');
      }
      return take.piece(piece);
    },
    end: () => take?.end?.() ?? NOTHING,
  };
}

function takeBodies(): Take {
  const measure = takeAtMost(MAX_BODY);
  const pieces: Bytes[] = [];
  return {
    piece(piece) {
      measure.piece(piece);
      pieces.push(piece);
      return NOTHING;
    },
    end() {
      const text = Buffer.concat(pieces).toString();
      const bodies = parseJson(text) === undefined ? text.split('\n') : [text.replace(/[\r\n]+/g, ' ')];
      const carried = createCarrier('chat');
      const events = [...bodies, '[DONE]'].flatMap(carried);
      return new TextEncoder().encode(events.map((event) => `data: ${event}\n\n`).join(''));
    },
  };
}

/** Reads whole lines of server-sent events. Data of several lines, which no provider writes, is passed on unchanged. */
function takeEvents(shape: Shape | undefined): Take {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const measure = takeAtMost(MAX_STREAM);
  const carried = shape && createCarrier(shape);
  let pending = '';
  let isAfterReturn = false;
  /** Writes every line end as \n: a return alone ends a line too, and the \n after it may come with the next piece. */
  const linesIn = (text: string): string => {
    const rest = isAfterReturn && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') isAfterReturn = text.endsWith('\r');
    return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
  };
  const read = (lines: string) =>
    encoder.encode(carried ? lines.replace(DATA, (_line, data: string) => dataLine(carried(data))) : lines);
  return {
    piece(piece) {
      measure.piece(piece);
      pending += linesIn(decoder.decode(piece, { stream: true }));
      const end = pending.lastIndexOf('\n') + 1;
      if (pending.length - end > MAX_LINE) throw new EndlessError('a line of the answer never ends');
      const lines = pending.slice(0, end);
      pending = pending.slice(end);
      return read(lines);
    },
    // Some servers omit the empty line after the last event.
    end: () => read(`${pending}\n\n`),
  };
}

const DATA = /^data:[ \t]?([^\n]*)/gm;

/** Replaces events that carry nothing with a comment, which readers ignore. */
const dataLine = (events: readonly string[]): string =>
  events.length === 0 ? ':' : events.map((data) => `data: ${data}`).join('\n\n');
