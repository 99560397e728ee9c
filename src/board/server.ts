/**
 * HTTP of the gateway: health, readiness, metrics, the API, and the webhooks that channels mount. Loopback by default; only the
 * exact paths of the table answer. Invariant: everything is refused from the head of a request, before a byte of its body is read.
 */
import http from 'node:http';
import { ConfigError, errorCode } from '../errors.ts';
import type { Readiness } from '../runtime/readiness.ts';
import { createPlaces, createTokens, type Places, type Refusal, type Tokens, wrongForm } from './guard.ts';

export type HttpHandler = (request: http.IncomingMessage, response: http.ServerResponse) => Promise<void>;

export interface ServerOptions {
  host: string;
  port: number;
  /** Where the port is taken, a free one will do. */
  isAnyPort?: boolean;
  /** By which others than this machine's programs reach the server, as `https://viber.example.org`. */
  origins: readonly string[];
  readiness: () => Promise<Readiness>;
  /** The page for the `Accept` header of a request. */
  metrics: (accept: string | undefined) => Promise<{ type: string; body: string }>;
  /** Where it is set it is asked for, from this machine too. */
  token: string | undefined;
  /** By path; they check secrets of their own. */
  webhooks: ReadonlyMap<string, HttpHandler>;
  /** By path; only with the token. */
  api: ReadonlyMap<string, HttpHandler>;
  /** Connections at the same time; those beyond are closed at once. */
  maxConnections: number;
  onError: (error: unknown) => void;
  /** An address goes on sending wrong tokens. */
  onWrongTokens: (address: string) => void;
}

export interface Server {
  /** The port in use. */
  port: number;
  close(): Promise<void>;
}

interface Route {
  methods: readonly string[];
  /** `secret`: one that its handler checks; `given token`: where one is set, and always for those who come by another Host. */
  asks: 'nothing' | 'secret' | 'host' | 'given token' | 'token';
  /** `isTrusted`: may see everything. */
  handle: (request: http.IncomingMessage, response: http.ServerResponse, isTrusted: boolean) => Promise<void>;
}

interface Guard {
  places: Places;
  tokens: Tokens;
}

const READ = ['GET', 'HEAD'];
/** docs/operations.md tells these numbers. */
const TIMES = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
};
/** Milliseconds without a byte in either direction: whoever asks and does not take the answer. */
const SILENCE_MS = 60_000;

const JSON_TYPE = 'application/json';
const OK = { status: 'ok' };

const FOREIGN_HOST: Refusal = {
  status: 421,
  text: 'This gateway is not asked under this host name. To allow it, list its origin, for example https://viber.example.org, under http.origins in config.yaml.',
};
const FOREIGN_PAGE: Refusal = {
  status: 403,
  text: 'Pages of other origins may not use this; http.origins in config.yaml lists those that may.',
};
const NOT_FOUND: Refusal = { status: 404, text: 'not found' };
const NO_TOKEN: Refusal = { status: 403, text: 'Set http.token in config.yaml to use this.' };
const WRONG_TOKEN: Refusal = { status: 401, text: 'Send the token of http.token as "Authorization: Bearer ...".' };
const TOO_MANY: Refusal = { status: 429, text: 'Too many wrong tokens; the right one is taken at any time.' };

/** Throws ConfigError naming `http.port` when it is not allowed, or taken and no other will do; any other system error as it is. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const routes = routesOf(options);
  const server = http.createServer(TIMES);
  server.maxConnections = options.maxConnections;
  server.setTimeout(SILENCE_MS);
  await listen(server, options).catch((error: unknown) => {
    if (!options.isAnyPort || errorCode(error) !== 'EADDRINUSE') throw portError(error, options) ?? error;
    return listen(server, { ...options, port: 0 });
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : options.port;
  const guard = {
    places: createPlaces({ host: options.host, port, origins: options.origins }),
    tokens: createTokens(options.token, options.onWrongTokens),
  };

  function handle(request: http.IncomingMessage, response: http.ServerResponse): void {
    const route = routes.get((request.url ?? '').split('?', 1)[0] ?? '');
    const found = wrongForm(request) ?? admit(request, route, guard);
    if ('status' in found || !route) {
      refuse(request, response, 'status' in found ? found : NOT_FOUND, route);
      return;
    }
    route.handle(request, response, found.isTrusted).catch((error: unknown) => {
      options.onError(error);
      if (response.headersSent) response.destroy();
      else refuse(request, response, { status: 500, text: 'error' });
    });
  }

  server.on('request', handle);
  // Nobody is told to send a body before it is known that the request may.
  server.on('checkContinue', handle);
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Every path there is. */
function routesOf({ webhooks, api, readiness, metrics }: ServerOptions): ReadonlyMap<string, Route> {
  const healthz: Route['handle'] = async (request, response) => answer(request, response, 200, JSON_TYPE, OK);
  const readyz: Route['handle'] = async (request, response, isTrusted) => {
    const state = await readiness();
    const shown = isTrusted ? state : { ready: state.ready };
    answer(request, response, state.ready ? 200 : 503, JSON_TYPE, shown);
  };
  const numbers: Route['handle'] = async (request, response) => {
    const { type, body } = await metrics(request.headers.accept);
    answer(request, response, 200, type, body);
  };
  return new Map<string, Route>([
    ...[...webhooks].map(([path, handle]): [string, Route] => [path, { methods: ['POST'], asks: 'secret', handle }]),
    ...[...api].map(([path, handle]): [string, Route] => [path, { methods: ['GET', 'POST'], asks: 'token', handle }]),
    ['/healthz', { methods: READ, asks: 'nothing', handle: healthz }],
    ['/readyz', { methods: READ, asks: 'host', handle: readyz }],
    ['/metrics', { methods: READ, asks: 'given token', handle: numbers }],
  ]);
}

/** Why a request is refused, or what it may see. What is there is a secret from those who may not ask. */
function admit(
  request: http.IncomingMessage,
  route: Route | undefined,
  { places, tokens }: Guard,
): Refusal | { isTrusted: boolean } {
  const asks = route?.asks ?? 'host';
  const isOpen = asks === 'nothing' || asks === 'secret';
  const host = isOpen ? 'own' : places.hostOf(request);
  if (host === 'foreign') return FOREIGN_HOST;
  if (!isOpen && !places.isOwnPage(request)) return FOREIGN_PAGE;
  if (!route) return NOT_FOUND;
  if (!route.methods.includes(request.method ?? '')) return { status: 405, text: `${route.methods.join(' or ')}.` };
  if (isOpen) return { isTrusted: false };
  if (asks === 'token' && !tokens.isSet) return NO_TOKEN;
  if (!tokens.isSet) return host === 'own' || asks === 'host' ? { isTrusted: host === 'own' } : NO_TOKEN;
  const given = tokens.check(request);
  if (given === 'often') return TOO_MANY;
  return given === 'right' || asks === 'host' ? { isTrusted: given === 'right' } : WRONG_TOKEN;
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

function refuse(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  { status, text }: Refusal,
  route?: Route,
): void {
  if (status === 401) response.setHeader('www-authenticate', 'Bearer');
  if (status === 405 && route) response.setHeader('allow', route.methods.join(', '));
  // Nothing follows on this connection that was not looked at as strictly.
  if (status === 400) response.setHeader('connection', 'close');
  answer(request, response, status, JSON_TYPE, { error: text });
}

/** @param body a text, or what becomes JSON */
function answer(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  status: number,
  type: string,
  body: unknown,
): void {
  const text = typeof body === 'string' ? body : `${JSON.stringify(body)}\n`;
  response.writeHead(status, {
    ...{ 'content-type': type, 'content-length': Buffer.byteLength(text) },
    ...{ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' },
    // What it has of a body is not read.
    ...(bodyIsLeft(request) ? { connection: 'close' } : {}),
  });
  response.end(text);
}

function bodyIsLeft({ complete, headers }: http.IncomingMessage): boolean {
  return !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);
}
