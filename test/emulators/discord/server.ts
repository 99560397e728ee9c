/**
 * The HTTP server: `/v10/...` for the API, and the upgrade to the gateway. A call passes through outage, route, body,
 * fault, token, limits, handler and answer, in this order.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDowntime, createFaults, type Faults, type Outage } from '../base/faults.ts';
import { listen } from '../base/http.ts';
import type { FormOptions } from '../base/multipart.ts';
import { createRequestLog, type RequestLog } from '../base/request-log.ts';
import { answer, answerFault, limitedBody, limitedHeaders, WORDS } from './answers.ts';
import { type Body, readRequest } from './body.ts';
import { ApiError, methodNotAllowed, notFound, refusal, unauthorized } from './errors.ts';
import type { Platform } from './platform.ts';
import { createFinder, type Found } from './route.ts';
import { APP_ROUTES } from './routes-app.ts';
import { INTERACTION_ROUTES } from './routes-interactions.ts';
import { MESSAGE_ROUTES } from './routes-messages.ts';
import { THREAD_ROUTES } from './routes-threads.ts';
import type { Fault, LoggedRequest } from './types.ts';

export interface ServerOptions extends FormOptions {
  port: number;
  keepRequests: number;
}

export interface ApiServer {
  url: string;
  /** The address of the CDN, which has its own origin. */
  cdn: string;
  faults: CallFaults;
  log: RequestLog<LoggedRequest>;
  connections(): number;
  outage(kind?: Outage): Promise<void>;
  close(): Promise<void>;
}

type CallFaults = Faults<Fault, [method: string, route: string, path: string]>;

/** `path` is a route, with or without its method, or a part of the real path. */
function isOn(wanted: string | undefined, route: string, path: string): boolean {
  if (wanted === undefined || wanted === route) return true;
  return wanted.includes('/:') ? route.endsWith(` ${wanted}`) : path.includes(wanted);
}

const find = createFinder({ ...MESSAGE_ROUTES, ...THREAD_ROUTES, ...INTERACTION_ROUTES, ...APP_ROUTES });

/** Starts listening on loopback: the API and gateway on `port`, the CDN beside it. */
export async function startServer(platform: Platform, options: ServerOptions): Promise<ApiServer> {
  const faults: CallFaults = createFaults((fault, method, route, path) => {
    return (fault.method === undefined || fault.method === method) && isOn(fault.path, route, path);
  });
  const log = createRequestLog<LoggedRequest>(options.keepRequests, 'route', 'code');
  const downtime = createDowntime((response, status) => answer(response, status, { message: WORDS[status], code: 0 }));

  /** Returns true if the fault has handled the call completely. */
  async function before(fault: Fault, entry: LoggedRequest, response: ServerResponse): Promise<boolean> {
    if (fault.delayMs) await sleep(fault.delayMs);
    const { kind } = fault;
    if (kind === 'status') log.done(entry, answerFault(fault, entry.route, response));
    else if (kind === 'reset') response.socket?.resetAndDestroy();
    if (kind === 'reset' || kind === 'hang') log.done(entry, 0);
    return kind === 'status' || kind === 'reset' || kind === 'hang';
  }

  function carryOut({ route, params }: Found, entry: LoggedRequest, body: Body): unknown {
    return route.call({ platform, params, query: entry.query, body });
  }

  async function serveCall(found: Found, entry: LoggedRequest, body: Body, response: ServerResponse): Promise<void> {
    const { route, params } = found;
    const fault = faults.take(entry.method, entry.route, entry.path);
    if (fault && (await before(fault, entry, response))) return;
    const { headers, limited } = platform.rates.take({
      route: entry.route,
      major: params.id ?? params.guild ?? params.token ?? '',
      isRename:
        entry.route === 'PATCH /channels/:id' && (body.fields.name !== undefined || body.fields.topic !== undefined),
      isFree: route.open === true,
    });
    if (limited) {
      log.done(entry, 429);
      return answer(response, 429, limitedBody(limited), { ...headers, ...limitedHeaders(limited) });
    }
    let result: unknown;
    try {
      result = carryOut(found, entry, body);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      log.done(entry, error.status, { code: error.code });
      return answer(response, error.status, refusal(error), headers);
    }
    const isLost = fault?.kind === 'lostAnswer' || fault?.kind === 'hangAfter';
    log.done(entry, isLost ? 0 : result === undefined ? 204 : (route.status ?? 200));
    if (fault?.kind === 'lostAnswer') response.socket?.resetAndDestroy();
    else if (!isLost) answer(response, route.status ?? 200, result, headers);
  }

  async function serveApi(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://discord');
    const { method = 'GET' } = request;
    const path = /^\/v10(\/.*)$/.exec(url.pathname)?.[1];
    const found = path === undefined ? undefined : find(method, path);
    if (found === undefined || found === 'other-method' || path === undefined) {
      request.resume();
      const error = found === undefined ? notFound() : methodNotAllowed();
      return answer(response, error.status, refusal(error));
    }
    if (!found.route.open && request.headers.authorization !== `Bot ${platform.settings.token}`) {
      request.resume();
      const refused = log.note({ method, path, route: found.route.on, body: undefined, files: [], query: {} });
      log.done(refused, 401, { code: 0 });
      return answer(response, 401, refusal(unauthorized()));
    }
    const query = Object.fromEntries(url.searchParams);
    let body: Body;
    try {
      body = await readRequest(request, options);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const refused = log.note({ method, path, route: found.route.on, body: undefined, files: [], query });
      log.done(refused, error.status, { code: error.code });
      return answer(response, error.status, refusal(error));
    }
    const files = [...body.uploads.values()].map((file) => file.name);
    const entry = log.note({ method, path, route: found.route.on, body: body.json, files, query });
    return serveCall(found, entry, body, response);
  }

  async function serveFile(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://cdn');
    const path = url.pathname;
    const entry = log.note({ method: 'GET', path, route: 'GET /attachments', body: undefined, files: [], query: {} });
    const fault = faults.take('GET', entry.route, path);
    if (fault && (await before(fault, entry, response))) return;
    const file = platform.files.find(path, url.searchParams);
    log.done(entry, file?.bytes ? 200 : 404);
    if (!file?.bytes) {
      return void response.writeHead(404, { 'content-type': 'text/plain' }).end('This content is no longer available.');
    }
    const { bytes } = file;
    response.writeHead(200, { 'content-type': file.contentType, 'content-length': bytes.length });
    if (fault?.kind !== 'lostAnswer' && fault?.kind !== 'hangAfter') return void response.end(bytes);
    response.write(bytes.subarray(0, bytes.length >> 1), () => {
      if (fault.kind === 'lostAnswer') response.socket?.resetAndDestroy();
    });
  }

  const handler =
    (serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>) =>
    (request: IncomingMessage, response: ServerResponse) =>
      downtime.meets(request, response) ? undefined : serve(request, response);

  function failed(error: unknown, response: ServerResponse): void {
    process.stderr.write(`discord emulator: ${error instanceof Error ? error.stack : error}\n`);
    answer(response, 500, { message: WORDS[500], code: 0 });
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const outage = downtime.now();
    if (outage === 'hang') return;
    if (outage !== undefined) return void socket.destroy();
    platform.gateway.upgrade(request, socket, head);
  }

  const api = await listen(handler(serveApi), { port: options.port, upgrade, failed });
  const cdn = await listen(handler(serveFile), { failed });
  return {
    url: api.url,
    cdn: cdn.url,
    faults,
    log,
    connections: () => api.connections(),
    outage(kind) {
      const isSet = downtime.set(kind, [api, cdn]);
      // A gateway socket doesn't survive an outage; if the platform hangs, the socket becomes silent.
      if (kind === 'hang') platform.gateway.stall(true);
      else if (kind === undefined) platform.gateway.stall(false);
      else platform.gateway.drop();
      return isSet;
    },
    async close() {
      await Promise.all([api.close(), cdn.close()]);
    },
  };
}
