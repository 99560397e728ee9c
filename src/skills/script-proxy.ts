/**
 * The only network access of a script with `network`: a proxy on a socket in its private folder, which connects only to
 * the public internet, as fetches do (promise 53). The sandbox has no network but its own loopback interface. The
 * address a name resolves to is checked here when connecting: never this machine, link-local addresses, or the local
 * network.
 */
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { UserError } from '../errors.ts';
import { isPublicAddress, notPublicError, publicLookup, type Resolve, resolveBySystem } from '../lib/public-address.ts';
import { readFirstBytes } from './client-hello.ts';
import { hasSandbox } from './sandbox.ts';

/** What a proxy lets through. */
export interface Reach {
  /** Replaces the system's resolver. */
  resolve?: Resolve;
  /** Hosts and ports that may be reached although they are near, for tests. */
  allowed?: readonly string[];
  /** What stands for a host and port, for tests. */
  standIns?: Readonly<Record<string, { host: string; port: number }>>;
  /**
   * Returns whether a host may be reached by name; absent: each that is public. A tunnel then carries TLS for this name
   * and nothing else: servers of many hosts would serve another one.
   */
  mayReach?(host: string, port: number): boolean;
  /** Told of each host, with its port, that `mayReach` refused. */
  onRefused?(place: string): void;
}

export interface ScriptProxy {
  /** Mounted in the sandbox. */
  socket: string;
  close(): void;
}

/** Most simultaneous connections of one script. */
const MAX_OPEN = 128;
/** The timeout of an idle connection. */
const IDLE_MS = 120_000;
/** The port inside, on the sandbox's own loopback interface. */
const PORT = 3128;

/** Variables that announce the proxy: nearly all http programs respect one of them. */
export const PROXY_VARIABLES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'all_proxy'].map((name) => [
      name,
      `http://127.0.0.1:${PORT}`,
    ]),
  ),
  no_proxy: 'localhost,127.0.0.1,::1',
  NO_PROXY: 'localhost,127.0.0.1,::1',
  NODE_USE_ENV_PROXY: '1',
};

/**
 * Runs inside, as source text for Node: forwards each connection to the socket, and starts the command once it listens.
 */
const FORWARDER = `
const [socket, ...command] = process.argv.slice(1);
const net = require('node:net');
const server = net.createServer({ allowHalfOpen: true }, (inner) => {
  const outer = net.connect({ path: socket, allowHalfOpen: true });
  const end = () => { inner.destroy(); outer.destroy(); };
  for (const [from, to] of [[inner, outer], [outer, inner]]) from.on('error', end).on('close', end).pipe(to);
});
server.listen(${PORT}, '127.0.0.1', () => {
  const child = require('node:child_process').spawn(command[0], command.slice(1), { stdio: 'inherit' });
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'];
  for (const signal of signals) process.on(signal, () => undefined);
  child.on('error', (error) => { console.error(error.message); process.exit(127); });
  child.on('exit', (code, signal) => {
    for (const one of signals) process.removeAllListeners(one);
    if (signal) process.kill(process.pid, signal); else process.exit(code);
  });
});`;

/** Returns a command that uses the proxy, for a sandbox that shows `node` and the socket. */
export const withProxy = (node: string, socket: string, command: readonly string[]): string[] => [
  ...[node, '-e', FORWARDER, '--', socket],
  ...command,
];

/**
 * Returns whether a script can reach a host: without a sandbox whatever this machine can, in one with `network` public
 * addresses.
 */
export async function scriptsReach(host: string, resolve: Resolve = resolveBySystem): Promise<boolean> {
  if (!(await hasSandbox())) return true;
  const name = host.replace(/^\[|\]$/g, '');
  // A name that doesn't resolve now may resolve later.
  const addresses = isIP(name) ? [{ address: name }] : await resolve(name).catch(() => [{ address: name }]);
  return addresses.some(({ address }) => isIP(address) === 0 || isPublicAddress(address));
}

export async function openScriptProxy(
  folder: string,
  { resolve = resolveBySystem, allowed = [], standIns = {}, mayReach, onRefused }: Reach = {},
): Promise<ScriptProxy> {
  const sockets = new Set<Duplex>();
  const keep = <T extends Socket | Duplex>(socket: T): T => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    return socket;
  };
  /**
   * Returns how to connect to a host.
   * @throws UserError for an address that isn't public, or a name that may not be reached
   */
  const wayTo: WayTo = (host, port) => {
    if (mayReach && !mayReach(host.toLowerCase(), port)) {
      onRefused?.(`${host}:${port}`);
      throw new UserError(`${host}:${port} is not among the hosts that may be reached from here.`);
    }
    const standIn = standIns[`${host}:${port}`];
    if (standIn) return standIn;
    if (allowed.includes(`${host}:${port}`)) return { host, port };
    if (isIP(host) !== 0 && !isPublicAddress(host)) throw notPublicError(host);
    return { host, port, lookup: publicLookup(resolve) };
  };

  const server = createServer((request, response) => forward(request, response, wayTo, keep));
  server.maxConnections = MAX_OPEN;
  server.on('connection', (socket: Socket) => {
    keep(socket);
    socket.setTimeout(IDLE_MS, () => socket.destroy());
  });
  server.on('connect', (request: IncomingMessage, inner: Duplex, first: Buffer) => {
    // Data that came with the request goes first.
    if (first.length > 0) inner.unshift(first);
    tunnel(request, inner, wayTo, { keep, ...(mayReach && { onMisnamed: (place) => onRefused?.(place) }) });
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  const socket = path.join(folder, 'net');
  const { promise, resolve: listening, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen(socket, listening);
  await promise;
  return {
    socket,
    close() {
      server.close();
      for (const each of sockets) each.destroy();
    },
  };
}

type WayTo = (host: string, port: number) => { host: string; port: number; lookup?: LookupFunction };
type Keep = <T extends Socket | Duplex>(socket: T) => T;

interface TunnelOptions {
  keep: Keep;
  /** Told of a tunnel that carries something else than TLS for the name that was asked for; absent: it may. */
  onMisnamed?(place: string): void;
}

/** Tunnels https and anything else that isn't http: bytes in both directions. */
function tunnel(request: IncomingMessage, inner: Duplex, wayTo: WayTo, { keep, onMisnamed }: TunnelOptions): void {
  keep(inner);
  const refuse = (status: string, why: string) =>
    inner.end(`HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${why}\n`);
  const [, host = '', port = ''] = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(request.url ?? '') ?? [];
  if (host === '' || Number(port) > 65_535) {
    refuse('400 Bad Request', 'This is no host and port.');
    return;
  }
  try {
    const outer = keep(connect(wayTo(host, Number(port))));
    let isOpen = false;
    outer.setTimeout(IDLE_MS, () => outer.destroy());
    outer.on('error', (error) => isOpen || refuse(statusOf(error), error.message));
    outer.on('connect', () => {
      isOpen = true;
      inner.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      if (!onMisnamed) inner.pipe(outer).pipe(inner);
      else
        passNamed(inner, outer, host.toLowerCase(), (as) => {
          onMisnamed(`${host}:${port} ${as}`);
          inner.destroy();
          outer.destroy();
        });
    });
    inner.on('close', () => outer.destroy());
  } catch (error) {
    refuse(statusOf(error), error instanceof Error ? error.message : 'refused');
  }
}

/** Passes on what comes once it is TLS for this name. */
function passNamed(inner: Duplex, outer: Socket, wanted: string, onMisnamed: (as: string) => void): void {
  let bytes = Buffer.alloc(0);
  const readMore = (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    const first = readFirstBytes(bytes);
    if (first.is === 'part') return;
    inner.off('data', readMore);
    inner.pause();
    if (first.is === 'other') onMisnamed('without TLS');
    else if (first.name !== wanted) onMisnamed(`as ${JSON.stringify(first.name?.slice(0, 100) ?? 'no name')}`);
    else if (first.isHidden) onMisnamed('as a hidden name');
    else {
      outer.write(bytes);
      inner.pipe(outer).pipe(inner);
    }
  };
  inner.on('data', readMore);
}

/** Forwards one http request unchanged, except for hop-by-hop headers. */
function forward(request: IncomingMessage, response: ServerResponse, wayTo: WayTo, keep: Keep): void {
  const refuse = (status: number, why: string) => {
    if (response.headersSent) response.destroy();
    else response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${why}\n`);
  };
  const url = URL.parse(request.url ?? '');
  if (url?.protocol !== 'http:') {
    refuse(400, "This isn't an http address.");
    return;
  }
  const { 'proxy-connection': _connection, 'proxy-authorization': _secret, ...headers } = request.headers;
  try {
    const way = wayTo(url.hostname.replace(/^\[|\]$/g, ''), Number(url.port || 80));
    const about = { method: request.method, path: url.pathname + url.search, agent: false };
    const outer = httpRequest({
      ...way,
      ...about,
      headers: { ...headers, host: url.host, connection: 'close' },
    } as never);
    outer.setTimeout(IDLE_MS, () => outer.destroy());
    outer.on('socket', keep).on('error', (error) => refuse(error.name === 'UserError' ? 403 : 502, error.message));
    outer.on('response', (answer) => {
      const { connection: _hop, 'keep-alive': _keep, ...rest } = answer.headers;
      answer.on('error', () => response.destroy());
      try {
        response.writeHead(answer.statusCode ?? 502, rest);
        answer.pipe(response);
      } catch (error) {
        // An invalid status or header.
        outer.destroy();
        refuse(502, error instanceof Error ? error.message : 'no answer');
      }
    });
    response.on('close', () => outer.destroy());
    request.pipe(outer);
  } catch (error) {
    refuse(403, error instanceof Error ? error.message : 'refused');
  }
}

const statusOf = (error: unknown): string =>
  error instanceof Error && error.name === 'UserError' ? '403 Forbidden' : '502 Bad Gateway';
