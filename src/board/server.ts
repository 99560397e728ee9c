/**
 * HTTP of the gateway: health, readiness, metrics, and the webhooks that channels mount. Loopback by default; only the
 * exact paths of the table answer.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import http from 'node:http';
import { ConfigError, errorCode } from '../errors.ts';
import type { Readiness } from '../runtime/readiness.ts';

export type HttpHandler = (request: http.IncomingMessage, response: http.ServerResponse) => Promise<void>;

export interface ServerOptions {
  host: string;
  port: number;
  readiness: () => Readiness;
  metrics: () => string;
  /** Required for `/metrics` and for the details of `/readyz` when others than this machine can reach the server. */
  token: string | undefined;
  /** Paths of channels' webhooks. */
  mounts: () => ReadonlyMap<string, HttpHandler>;
  onError: (error: unknown) => void;
}

export interface Server {
  /** The port in use. */
  port: number;
  close(): Promise<void>;
}

/** Throws ConfigError naming `http.port` when it is taken or not allowed, another system error for anything else. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const server = http.createServer((request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    const mounted = options.mounts().get(path);
    if (mounted) {
      mounted(request, response).catch((error: unknown) => {
        options.onError(error);
        if (!response.headersSent) answer(response, 500, 'text/plain', 'error\n');
        else response.destroy();
      });
      return;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return answer(response, 404, 'text/plain', 'not found\n');
    switch (path) {
      case '/healthz':
        return answer(response, 200, 'application/json', '{"status":"ok"}\n');
      case '/readyz': {
        const readiness = options.readiness();
        const shown = mayLook(request, options.token) ? readiness : { ready: readiness.ready };
        return answer(response, readiness.ready ? 200 : 503, 'application/json', `${JSON.stringify(shown)}\n`);
      }
      case '/metrics':
        if (!mayLook(request, options.token)) return answer(response, 401, 'text/plain', 'unauthorized\n');
        return answer(response, 200, 'text/plain; version=0.0.4; charset=utf-8', options.metrics());
      default:
        return answer(response, 404, 'text/plain', 'not found\n');
    }
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(portError(error, options) ?? error));
    server.listen(options.port, options.host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : options.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function portError(error: Error, { host, port }: ServerOptions): ConfigError | undefined {
  const why = { EADDRINUSE: 'is in use by another program', EACCES: 'is not allowed to this user' };
  const code = errorCode(error);
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return undefined;
  const message = `port ${port} on ${host} ${why[code]}; choose another, or 0 for any free one`;
  return new ConfigError([{ path: 'http.port', message }], { cause: error });
}

function mayLook(request: http.IncomingMessage, token: string | undefined): boolean {
  if (token === undefined) return true;
  const given = createHash('sha256')
    .update(request.headers.authorization ?? '')
    .digest();
  return timingSafeEqual(given, createHash('sha256').update(`Bearer ${token}`).digest());
}

function answer(response: http.ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, {
    'content-type': type,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  response.end(body);
}
