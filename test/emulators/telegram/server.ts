/**
 * The HTTP side: `/bot<token>/<method>` and `/file/bot<token>/<path>`, with outages, faults and limits in between. A call
 * goes through: outage, token, body, fault, limits, method, answer.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../listener.ts';
import { type BodyOptions, readParams } from './body.ts';
import { ApiError, notFound, refusal, unauthorized } from './errors.ts';
import { createFaults, DESCRIPTIONS, type Fault, type Faults, type Outage } from './faults.ts';
import { findMethod } from './methods.ts';
import { list, type Params } from './params.ts';
import type { Platform } from './platform.ts';
import { createRates, isCounted, type Rates } from './rates.ts';
import { createRequestLog, type LoggedRequest, type RequestLog } from './request-log.ts';

export interface ServerOptions extends BodyOptions {
  port: number;
  token: string;
  keepRequests: number;
  /** Rich messages as an older server treats them: `404` does not know the methods, `400` refuses them. */
  rich(): 'ok' | 400 | 404;
}

export interface ApiServer {
  url: string;
  faults: Faults;
  rates: Rates;
  log: RequestLog;
  connections(): number;
  outage(kind?: Outage): Promise<void>;
  /** Makes a call whose refusal nobody hears. */
  callQuietly(method: string, values: Record<string, unknown>): void;
  close(): Promise<void>;
}

const JSON_TYPE = 'application/json';
const BOT_PATH = /^\/bot([^/]*)\/(?:test\/)?([^/?]*)$/;
const FILE_PATH = /^\/file\/bot([^/]*)\/([^?]+)$/;

function answer(response: ServerResponse, status: number, body: object): void {
  if (response.destroyed) return;
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

/** What an overloaded or broken platform answers. */
function plainError(status: number): ApiError {
  return new ApiError(status, DESCRIPTIONS[status] ?? 'fault injected');
}

function isRich(method: string): boolean {
  return method === 'sendRichMessage' || method === 'sendRichMessageDraft';
}

/** Starts listening on loopback. */
export async function startServer(platform: Platform, options: ServerOptions): Promise<ApiServer> {
  const faults = createFaults();
  const rates = createRates();
  const log = createRequestLog(options.keepRequests);
  let outage: Outage | undefined;

  /** True when the fault has taken the call; what is left is to carry it out. */
  async function before(fault: Fault, entry: LoggedRequest, response: ServerResponse): Promise<boolean> {
    if (fault.delayMs) await sleep(fault.delayMs);
    const { kind } = fault;
    if (kind === 'refuse') response.socket?.destroy();
    else if (kind === 'reset-before') response.socket?.resetAndDestroy();
    else if (kind === 'status') {
      const status = fault.status ?? (fault.retryAfter === undefined ? 500 : 429);
      const wait = fault.retryAfter === undefined ? undefined : { retry_after: fault.retryAfter };
      const words =
        wait && !fault.description ? `Too Many Requests: retry after ${fault.retryAfter}` : fault.description;
      const error = new ApiError(status, words ?? DESCRIPTIONS[status] ?? 'fault injected', wait);
      if (fault.html) response.writeHead(status, { 'content-type': 'text/html' }).end(`<h1>${status}</h1>`);
      else answer(response, status, refusal(error));
      log.done(entry, status, error.message);
    }
    return kind !== 'delay' && kind !== 'reset-after' && kind !== 'hang-after';
  }

  function call(name: string, params: Params, gone: (then: () => void) => void = () => undefined): unknown {
    const found = findMethod(name);
    if (!found || (isRich(found.name) && options.rich() === 404)) throw notFound();
    if (isRich(found.name) && options.rich() === 400) throw new ApiError(400, 'Bad Request: method is not supported');
    if (isCounted(found.name)) {
      const album = found.name === 'sendMediaGroup' ? (list(params, 'media')?.length ?? 1) : 1;
      rates.take(params.values.chat_id, album);
    }
    return found.method(platform, { params, gone });
  }

  async function serveMethod(
    name: string,
    query: string | undefined,
    request: IncomingMessage,
    response: ServerResponse,
  ) {
    let entry: LoggedRequest | undefined;
    try {
      const params = await readParams(request, query ? new URLSearchParams(query) : undefined, options);
      entry = log.note(findMethod(name)?.name ?? name, params);
      const fault = faults.take(entry.method, params.values.chat_id);
      if (fault && (await before(fault, entry, response))) return;
      const result = await call(name, params, (then) => void response.once('close', then));
      log.done(entry, fault?.kind.endsWith('-after') ? 0 : 200);
      if (fault?.kind === 'reset-after') response.socket?.resetAndDestroy();
      else if (fault?.kind !== 'hang-after') answer(response, 200, { ok: true, result });
    } catch (error) {
      // A body cut off by the client has nobody to answer to.
      if (request.destroyed && !request.complete) return;
      if (!(error instanceof ApiError)) throw error;
      if (entry) log.done(entry, error.code, error.message);
      answer(response, error.code, refusal(error));
    }
  }

  async function serveFile(path: string, response: ServerResponse): Promise<void> {
    const entry = log.note('file', { values: { path }, files: new Map() });
    const fault = faults.take('file', undefined);
    if (fault && (await before(fault, entry, response))) return;
    const bytes = platform.world.files.byPath(decodeURIComponent(path))?.bytes;
    log.done(entry, bytes ? 200 : 404);
    if (!bytes) return answer(response, 404, refusal(notFound()));
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': bytes.length });
    if (!fault?.kind.endsWith('-after')) return void response.end(bytes);
    // The answer breaks, or stops, in the middle.
    response.write(bytes.subarray(0, bytes.length >> 1), () => {
      if (fault.kind === 'reset-after') response.socket?.resetAndDestroy();
    });
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', query] = (request.url ?? '/').split('?', 2);
    if (outage === 'hang') return;
    if (outage === 'reset' || outage === 'refuse') return void request.socket.resetAndDestroy();
    if (outage !== undefined) {
      request.resume();
      return answer(response, outage, refusal(plainError(outage)));
    }
    const [, token, name = ''] = BOT_PATH.exec(path) ?? FILE_PATH.exec(path) ?? [];
    if (token !== options.token) {
      request.resume();
      // Something that is not even shaped like a token leads nowhere.
      const error = token && /^\d+(?::|%3A)[\w-]+$/i.test(token) ? unauthorized() : notFound();
      return answer(response, error.code, refusal(error));
    }
    if (path.startsWith('/file/')) return serveFile(name, response);
    return serveMethod(name, query, request, response);
  }

  const listener = await listen(options.port, (request, response) => {
    serve(request, response).catch((error: unknown) => {
      process.stderr.write(`telegram emulator: ${error instanceof Error ? error.stack : error}\n`);
      answer(response, 500, refusal(new ApiError(500, 'Internal Server Error')));
    });
  });

  return {
    url: `http://127.0.0.1:${listener.port}`,
    faults,
    rates,
    log,
    connections: () => listener.connections(),
    callQuietly(method, values) {
      const params = { values, files: new Map() };
      const entry = log.note(findMethod(method)?.name ?? method, params);
      new Promise((resolve) => resolve(call(method, params))).then(
        () => log.done(entry, 200),
        (error: unknown) => log.done(entry, error instanceof ApiError ? error.code : 500, String(error)),
      );
    },
    async outage(kind) {
      outage = kind;
      if (kind !== undefined) platform.updates.endPoll(typeof kind === 'number' ? plainError(kind) : undefined);
      if (kind === 'refuse') listener.down();
      else await listener.up();
      if (kind === 'reset') listener.breakAll();
      // Clients in this process must see their idle connections break before they use them again.
      if (kind === 'refuse' || kind === 'reset') await sleep(10);
    },
    close: () => listener.close(),
  };
}
