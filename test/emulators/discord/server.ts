/**
 * The HTTP side: `/v10/...` for the API and the upgrade to the gateway, with outages, faults and limits in between. A call
 * goes through: outage, route, body, fault, token, limits, handler, answer.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Listener, listen } from '../listener.ts';
import { answer, answerFault, limitedBody, limitedHeaders } from './answers.ts';
import { type Body, readRequest } from './body.ts';
import { ApiError, methodNotAllowed, notFound, refusal, unauthorized } from './errors.ts';
import { createFaults, type Faults, WORDS } from './faults.ts';
import type { Platform } from './platform.ts';
import { createRequestLog, type RequestLog } from './request-log.ts';
import { createFinder, type Found } from './route.ts';
import { APP_ROUTES } from './routes-app.ts';
import { INTERACTION_ROUTES } from './routes-interactions.ts';
import { MESSAGE_ROUTES } from './routes-messages.ts';
import { THREAD_ROUTES } from './routes-threads.ts';
import type { Fault, LoggedRequest, Outage } from './types.ts';

export interface ServerOptions {
  port: number;
  keepRequests: number;
  keepFiles: boolean;
  uploadLimit: number;
}

export interface ApiServer {
  url: string;
  /** Address of the CDN, an origin of its own. */
  cdn: string;
  faults: Faults;
  log: RequestLog;
  connections(): number;
  outage(kind?: Outage): Promise<void>;
  close(): Promise<void>;
}

const find = createFinder([...MESSAGE_ROUTES, ...THREAD_ROUTES, ...INTERACTION_ROUTES, ...APP_ROUTES]);

/** Starts listening on loopback: the API and gateway on `port`, the CDN beside it. */
export async function startServer(platform: Platform, options: ServerOptions): Promise<ApiServer> {
  const faults = createFaults();
  const log = createRequestLog(options.keepRequests);
  let outage: Outage | undefined;

  /** True when the fault has taken the call; what is left is to carry it out. */
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
      log.done(entry, error.status, error.code);
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
      log.done(refused, 401, 0);
      return answer(response, 401, refusal(unauthorized()));
    }
    const query = Object.fromEntries(url.searchParams);
    let body: Body;
    try {
      body = await readRequest(request, options.keepFiles, options.uploadLimit);
    } catch (error) {
      // A body cut off by the client has nobody to answer to.
      if (request.destroyed && !request.complete) return;
      if (!(error instanceof ApiError)) throw error;
      const refused = log.note({ method, path, route: found.route.on, body: undefined, files: [], query });
      log.done(refused, error.status, error.code);
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

  function handler(serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>) {
    return (request: IncomingMessage, response: ServerResponse) => {
      if (outage === 'hang') return;
      if (outage === 'reset' || outage === 'refuse') return void request.socket.resetAndDestroy();
      if (outage !== undefined) {
        request.resume();
        return answer(response, outage, { message: WORDS[outage], code: 0 });
      }
      serve(request, response).catch((error: unknown) => {
        process.stderr.write(`discord emulator: ${error instanceof Error ? error.stack : error}\n`);
        answer(response, 500, { message: WORDS[500], code: 0 });
      });
    };
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (outage === 'hang') return;
    if (outage !== undefined) return void socket.destroy();
    platform.gateway.upgrade(request, socket, head);
  }

  const api = await listen(options.port, handler(serveApi), upgrade);
  const cdn = await listen(0, handler(serveFile));
  const both = (act: (each: Listener) => void) => [api, cdn].forEach(act);
  return {
    url: `http://127.0.0.1:${api.port}`,
    cdn: `http://127.0.0.1:${cdn.port}`,
    faults,
    log,
    connections: () => api.connections(),
    async outage(kind) {
      outage = kind;
      if (kind === 'refuse') both((each) => each.down());
      else await Promise.all([api.up(), cdn.up()]);
      if (kind === 'reset') both((each) => each.breakAll());
      // A socket of the gateway does not survive a platform that is away; one that hangs goes silent.
      if (kind === 'hang') platform.gateway.stall(true);
      else if (kind === undefined) platform.gateway.stall(false);
      else platform.gateway.drop();
      // Clients in this process must see their idle connections break before they use them again.
      if (kind === 'refuse' || kind === 'reset') await sleep(10);
    },
    async close() {
      await Promise.all([api.close(), cdn.close()]);
    },
  };
}
