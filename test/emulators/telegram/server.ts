/**
 * The HTTP server: `/bot<token>/<method>` and `/file/bot<token>/<path>`. A call passes through outage, token, body,
 * fault, limits, method and answer, in this order.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDowntime, type Outage } from '../base/faults.ts';
import { listen, markPoll, sendJson } from '../base/http.ts';
import type { FormOptions } from '../base/multipart.ts';
import { createRequestLog, type Logged, type RequestLog } from '../base/request-log.ts';
import { readParams } from './body.ts';
import { ApiError, notFound, refusal, unauthorized } from './errors.ts';
import { type CallFaults, createCallFaults, DESCRIPTIONS, type Fault } from './faults.ts';
import { findMethod } from './methods.ts';
import { list, type Params } from './params.ts';
import type { Platform } from './platform.ts';
import { createRates, isCounted, type Rates } from './rates.ts';

export interface LoggedRequest extends Logged {
  /** The method's name as the platform spells it; `file` for a download. */
  method: string;
  params: Record<string, unknown>;
  /** The names of the uploaded files. */
  files: string[];
  /** The refusal, if it was one. */
  description?: string;
}

export interface ServerOptions extends FormOptions {
  port: number;
  token: string;
  keepRequests: number;
  /** How an older server treats rich messages: `404` doesn't know the methods, `400` refuses them. */
  rich(): 'ok' | 400 | 404;
}

export interface ApiServer {
  url: string;
  faults: CallFaults;
  rates: Rates;
  log: RequestLog<LoggedRequest>;
  connections(): number;
  outage(kind?: Outage): Promise<void>;
  /** Makes a call whose refusal nobody learns. */
  callQuietly(method: string, values: Record<string, unknown>): void;
  close(): Promise<void>;
}

const BOT_PATH = /^\/bot([^/]*)\/(?:test\/)?([^/?]*)$/;
const FILE_PATH = /^\/file\/bot([^/]*)\/([^?]+)$/;

/** Answers as an overloaded or broken platform. */
function plainError(status: number): ApiError {
  return new ApiError(status, DESCRIPTIONS[status] ?? 'fault injected');
}

/** Returns a call as it is logged. */
function noted(name: string, { values, files }: Params): Omit<LoggedRequest, keyof Logged> {
  const method = findMethod(name)?.name ?? name;
  return { method, params: values, files: [...files.values()].map((file) => file.name) };
}

function isRich(method: string): boolean {
  return method === 'sendRichMessage';
}

/** Starts listening on the loopback interface. */
export async function startServer(platform: Platform, options: ServerOptions): Promise<ApiServer> {
  const faults = createCallFaults();
  const rates = createRates();
  const log = createRequestLog<LoggedRequest>(options.keepRequests, 'method');
  const downtime = createDowntime((response, status) => refuse(response, plainError(status)));
  const refuse = (response: ServerResponse, error: ApiError) => sendJson(response, error.code, refusal(error));

  /** Returns true if the fault has handled the call completely. */
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
      else refuse(response, error);
      log.done(entry, status, { description: error.message });
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
      entry = log.note(noted(name, params));
      if (entry.method === 'getUpdates') markPoll(response);
      const fault = faults.take(entry.method, params.values.chat_id);
      if (fault && (await before(fault, entry, response))) return;
      const result = await call(name, params, (then) => void response.once('close', then));
      log.done(entry, fault?.kind.endsWith('-after') ? 0 : 200);
      if (fault?.kind === 'reset-after') response.socket?.resetAndDestroy();
      else if (fault?.kind !== 'hang-after') sendJson(response, 200, { ok: true, result });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (entry) log.done(entry, error.code, { description: error.message });
      refuse(response, error);
    }
  }

  async function serveFile(path: string, response: ServerResponse): Promise<void> {
    const entry = log.note({ method: 'file', params: { path }, files: [] });
    const fault = faults.take('file', undefined);
    if (fault && (await before(fault, entry, response))) return;
    const bytes = platform.world.files.byPath(decodeURIComponent(path))?.bytes;
    log.done(entry, bytes ? 200 : 404);
    if (!bytes) return refuse(response, notFound());
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': bytes.length });
    if (!fault?.kind.endsWith('-after')) return void response.end(bytes);
    // The answer breaks off, or stops, in the middle.
    response.write(bytes.subarray(0, bytes.length >> 1), () => {
      if (fault.kind === 'reset-after') response.socket?.resetAndDestroy();
    });
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', query] = (request.url ?? '/').split('?', 2);
    if (downtime.meets(request, response)) return;
    const [, token, name = ''] = BOT_PATH.exec(path) ?? FILE_PATH.exec(path) ?? [];
    if (token !== options.token) {
      request.resume();
      // A path that doesn't even look like a token gets a 404.
      return refuse(response, token && /^\d+(?::|%3A)[\w-]+$/i.test(token) ? unauthorized() : notFound());
    }
    if (path.startsWith('/file/')) return serveFile(name, response);
    return serveMethod(name, query, request, response);
  }

  const listener = await listen(serve, {
    port: options.port,
    failed(error, response) {
      process.stderr.write(`telegram emulator: ${error instanceof Error ? error.stack : error}\n`);
      refuse(response, new ApiError(500, 'Internal Server Error'));
    },
  });

  return {
    url: listener.url,
    faults,
    rates,
    log,
    connections: () => listener.connections(),
    callQuietly(method, values) {
      const params = { values, files: new Map() };
      const entry = log.note(noted(method, params));
      new Promise((resolve) => resolve(call(method, params))).then(
        () => log.done(entry, 200),
        (error: unknown) =>
          log.done(entry, error instanceof ApiError ? error.code : 500, { description: String(error) }),
      );
    },
    outage(kind) {
      const isSet = downtime.set(kind, [listener]);
      if (kind !== undefined) platform.updates.endPoll(typeof kind === 'number' ? plainError(kind) : undefined);
      return isSet;
    },
    close: () => listener.close(),
  };
}
