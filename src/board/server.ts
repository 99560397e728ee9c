/**
 * The gateway's HTTP server: health, readiness, metrics, channel webhooks and the Board. Loopback by default; only
 * listed paths answer. Invariant: every refusal is decided from a request's headers, before a byte of its body is read.
 */
import http from 'node:http';
import { ConfigError, errorCode } from '../errors.ts';
import type { Board, Places, Readiness } from '../runtime/contract/board.ts';
import { watchConnections } from './connections.ts';
import { createDispatch, limitBody, wrongMethod } from './dispatch.ts';
import { createGate, type Gate, noToken, tooManyTokens, wrongToken } from './gate.ts';
import { checkForm, createPlaces, SOCKET_PATH, withoutQuery } from './guard.ts';
import {
  asRequestError,
  bodyIsLeft,
  DATA_HEADERS,
  internalError,
  JSON_TYPE,
  nothingHere,
  ownersOnly,
  sendError,
} from './respond.ts';
import { createTokens, type ProgramToken, type Tokens } from './tokens.ts';

export type HttpHandler = (request: http.IncomingMessage, response: http.ServerResponse) => Promise<void>;

export interface ServerOptions {
  host: string;
  port: number;
  /** Uses a free port if the port is taken. */
  isAnyPort?: boolean;
  /** Origins from which browsers and other machines reach the server, such as `https://viber.example.org`. */
  origins: readonly string[];
  readiness: () => Promise<Readiness>;
  /** Returns the page for a request's `Accept` header. */
  metrics: (accept: string | undefined) => Promise<{ type: string; body: string }>;
  /** If there is any, it is required from this machine too. */
  tokens: readonly ProgramToken[];
  /** Handlers by path; they check their own secrets. */
  webhooks: ReadonlyMap<string, HttpHandler>;
  /** Loaded at the first request for `/api/`, `/v1/`, `/board` or `/ws`. */
  board?: (places: Places, port: number) => Promise<Board>;
  /** The limit of open connections; a new one displaces one without a token (`connections.ts`). */
  maxConnections: number;
  onError: (error: unknown) => void;
  /** Called when an address keeps sending wrong tokens. */
  onWrongTokens: (address: string) => void;
}

export interface Server {
  /** The actual port. */
  port: number;
  close(): Promise<void>;
}

interface Route {
  methods: readonly string[];
  /** `secret`: the handler checks one; `given token`: required if one is set, and always under another Host. */
  asks: 'nothing' | 'secret' | 'host' | 'given token';
  /** @param isTrusted the caller may see everything */
  handle: (request: http.IncomingMessage, response: http.ServerResponse, isTrusted: boolean) => Promise<void>;
}

interface Guard {
  places: Places;
  tokens: Tokens;
  gate: Gate;
}

const READ = ['GET', 'HEAD'];
/** docs/operations.md lists these numbers. The body's time is limited per request, since uploads may take longer. */
const TIMES = {
  headersTimeout: 5_000,
  requestTimeout: 0,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
};
/** Milliseconds without a byte in either direction, such as a client that does not read the answer. */
const SILENCE_MS = 60_000;

const OK = { status: 'ok' };
const BOARD_PATH = /^\/(api\/|v1\/|board(\/|$)|ws$|$)/;

/**
 * @throws {ConfigError} for `http.port` if the port is not permitted, or is taken and `isAnyPort` is not set; other
 * system errors unchanged
 */
export async function startServer(options: ServerOptions): Promise<Server> {
  const routes = routesOf(options);
  const isSocket = ({ url }: http.IncomingMessage) => withoutQuery(url) === SOCKET_PATH;
  const server = http.createServer({ ...TIMES, shouldUpgradeCallback: isSocket });
  server.maxConnections = options.maxConnections;
  const connections = watchConnections(server, options.maxConnections);
  server.setTimeout(SILENCE_MS);
  await listen(server, options).catch((error: unknown) => {
    if (!options.isAnyPort || errorCode(error) !== 'EADDRINUSE') throw portError(error, options) ?? error;
    return listen(server, { ...options, port: 0 });
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : options.port;
  const closed = new AbortController();
  const places = createPlaces({ host: options.host, port, origins: options.origins });
  const tokens = createTokens(options.tokens, options.onWrongTokens);
  const guard = { places, tokens, gate: createGate(places, tokens, closed.signal) };
  const { board: load } = options;
  const board = createDispatch(guard.gate, connections, load && (() => load(places, port)));

  /** Refuses the request or passes it to its handler. */
  async function answerTo(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    checkForm(request);
    const path = withoutQuery(request.url);
    const route = routes.get(path);
    if (!route && BOARD_PATH.test(path)) return board.answer(request, response, path);
    if (!route) {
      guard.gate.checkPlace(request);
      throw nothingHere();
    }
    const isTrusted = admit(request, response, route, guard);
    limitBody(request, response);
    await route.handle(request, response, isTrusted);
  }

  function handle(request: http.IncomingMessage, response: http.ServerResponse): void {
    answerTo(request, response).catch((error: unknown) => {
      const refusal = asRequestError(error);
      if (!refusal) options.onError(error);
      sendError(response, refusal ?? internalError());
    });
  }

  server.on('request', handle);
  // A client must not send a body before its request is admitted.
  server.on('checkContinue', handle);
  server.on('upgrade', (request, socket, head) => {
    board.upgrade(request, socket, head).catch(options.onError);
  });
  return {
    port,
    async close() {
      closed.abort();
      const done = new Promise<void>((resolve) => server.close(() => resolve()));
      await board.close();
      server.closeAllConnections();
      await done;
    },
  };
}

/** Returns the paths that always exist. */
function routesOf({ webhooks, readiness, metrics }: ServerOptions): ReadonlyMap<string, Route> {
  const healthz: Route['handle'] = async (request, response) => sendAnswer(request, response, 200, JSON_TYPE, OK);
  const readyz: Route['handle'] = async (request, response, isTrusted) => {
    const state = await readiness();
    const shown = isTrusted ? state : { ready: state.ready };
    sendAnswer(request, response, state.ready ? 200 : 503, JSON_TYPE, shown);
  };
  const numbers: Route['handle'] = async (request, response) => {
    const { type, body } = await metrics(request.headers.accept);
    sendAnswer(request, response, 200, type, body);
  };
  return new Map<string, Route>([
    ...[...webhooks].map(([path, handle]): [string, Route] => [path, { methods: ['POST'], asks: 'secret', handle }]),
    ['/healthz', { methods: READ, asks: 'nothing', handle: healthz }],
    ['/readyz', { methods: READ, asks: 'host', handle: readyz }],
    ['/metrics', { methods: READ, asks: 'given token', handle: numbers }],
  ]);
}

/**
 * Returns whether the caller may see everything. Unauthorised callers don't learn what exists.
 * @throws {RequestError} if the request is refused
 */
function admit(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  { asks, methods }: Route,
  { places, tokens, gate }: Guard,
): boolean {
  const isOpen = asks === 'nothing' || asks === 'secret';
  if (!isOpen) gate.checkPlace(request);
  if (!methods.includes(request.method ?? '')) throw wrongMethod(response, methods);
  if (isOpen) return false;
  if (!tokens.isSet) {
    const isOwn = places.hostOf(request) === 'own';
    if (isOwn || asks === 'host') return isOwn;
    throw noToken();
  }
  const given = tokens.check(request);
  if (given === 'often') throw tooManyTokens();
  const isTrusted = typeof given === 'object' && given.principal()?.role === 'owner';
  if (asks === 'host' || isTrusted) return isTrusted;
  throw typeof given === 'object' ? ownersOnly() : wrongToken();
}

function listen(server: http.Server, { port, host }: ServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function portError(error: unknown, { host, port }: ServerOptions): ConfigError | undefined {
  const why = { EADDRINUSE: 'is in use by another program', EACCES: 'is not allowed to this user' };
  const code = errorCode(error);
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return undefined;
  const message = `port ${port} on ${host} ${why[code]}; choose another, or 0 for any free one`;
  return new ConfigError([{ path: 'http.port', message }], { cause: error });
}

/** @param body a string, or a value to serialise as JSON */
function sendAnswer(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  status: number,
  type: string,
  body: unknown,
): void {
  const text = typeof body === 'string' ? body : `${JSON.stringify(body)}\n`;
  response.writeHead(status, {
    ...DATA_HEADERS,
    'content-type': type,
    'content-length': Buffer.byteLength(text),
    ...(bodyIsLeft(request) ? { connection: 'close' } : {}),
  });
  response.end(text);
}
