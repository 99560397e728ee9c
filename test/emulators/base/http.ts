/**
 * The HTTP side of every emulator: a port on the loopback interface that can disappear and come back, request bodies,
 * and JSON answers.
 */
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { addSource } from './activity.ts';

export interface Listener {
  /** `http://127.0.0.1:PORT`. */
  url: string;
  port: number;
  /** The open connections. */
  connections(): number;
  /** Breaks every open connection. */
  breakAll(): void;
  /** Stops listening. */
  down(): void;
  up(): Promise<void>;
  /** Stops for good; resolves when the port is free. */
  close(): Promise<void>;
}

/** Answers one request; may return a promise. */
export type Handle = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface ListenOptions {
  /** 0, the default, picks a free one. */
  port?: number;
  host?: string;
  /** Takes over a connection that becomes a WebSocket. */
  upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Answers a request whose handling has thrown; by default its connection breaks. */
  failed?: (error: unknown, response: ServerResponse) => void;
}

/** Requests that wait for news, which nobody else waits for. */
const polls = new WeakSet<ServerResponse>();

/** From now on this request counts as one that waits for news. */
export const markPoll = (response: ServerResponse): void => void polls.add(response);

/** Watches the requests of one server: those that are open, and how many there have been. */
function watchRequests() {
  const open = new Map<ServerResponse, string>();
  let count = 0;
  const remove = addSource({
    open: () => [...open].flatMap(([response, name]) => (polls.has(response) ? [] : [name])),
    count: () => count,
  });
  return {
    remove,
    add({ method, url }: IncomingMessage, response: ServerResponse): void {
      open.set(response, `${method} ${url}`);
      response.once('close', () => {
        open.delete(response);
        if (!polls.has(response)) count += 1;
      });
    },
  };
}

/** Starts listening; a request that the client itself has cut off needs no answer, whatever its handling throws. */
export async function listen(handle: Handle, options: ListenOptions = {}): Promise<Listener> {
  const { port = 0, host = '127.0.0.1', upgrade, failed = (_error, response) => response.destroy() } = options;
  const sockets = new Set<Socket>();
  const requests = watchRequests();
  const server = createServer((request, response) => {
    requests.add(request, response);
    new Promise((resolve) => resolve(handle(request, response))).catch((error: unknown) => {
      if (!request.destroyed || request.complete) failed(error, response);
    });
  });
  if (upgrade) server.on('upgrade', upgrade);
  // A client that returns after a pause must not get a connection that is just being closed.
  server.keepAliveTimeout = 120_000;
  server.requestTimeout = 0;
  server.on('connection', (socket) => void sockets.add(socket.once('close', () => sockets.delete(socket))));
  server.listen(port, host);
  await once(server, 'listening');
  const own = portOf(server);

  const listener: Listener = {
    url: `http://${host}:${own}`,
    port: own,
    connections: () => sockets.size,
    breakAll() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    down() {
      if (server.listening) server.close();
      listener.breakAll();
    },
    async up() {
      if (server.listening) return;
      server.listen(own, host);
      await once(server, 'listening');
    },
    async close() {
      requests.remove();
      const closed = server.listening ? once(server, 'close') : undefined;
      listener.down();
      await closed;
    },
  };
  return listener;
}

/** Returns the port of a listening server. */
export function portOf(server: Server): number {
  const address = server.address() as AddressInfo | null;
  if (!address) throw new Error('the server does not listen');
  return address.port;
}

/** Passes on the body piece by piece and resolves at its end. Rejects if the client disconnects or `take` throws. */
export function eachChunk(request: IncomingMessage, take: (chunk: Buffer) => void): Promise<void> {
  // Listeners cost a third of an async iterator, which matters when a benchmark runs against us.
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      try {
        take(chunk);
      } catch (error) {
        reject(error);
      }
    });
    request.on('end', resolve);
    request.on('error', reject);
  });
}

/** Returns the whole body of a request as one buffer. Rejects if the client disconnects. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await eachChunk(request, (chunk) => void chunks.push(chunk));
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

export async function readText(request: IncomingMessage): Promise<string> {
  return (await readBody(request)).toString();
}

/** Answers with JSON, or without a body if it is undefined; does nothing once the connection is gone. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body?: unknown,
  headers: OutgoingHttpHeaders = {},
): void {
  if (response.destroyed) return;
  if (body === undefined) {
    response.writeHead(204, headers).end();
    return;
  }
  const text = JSON.stringify(body);
  const own = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  response.writeHead(status, { ...own, ...headers }).end(text);
}
