/** A listening port that can go away and come back: the same port, with its open connections broken in between. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { portOf } from './remote.ts';

export interface Listener {
  port: number;
  /** Open connections. */
  connections(): number;
  /** Breaks every open connection. */
  breakAll(): void;
  /** Nothing listens any more. */
  down(): void;
  up(): Promise<void>;
  /** Down for good; resolves when the port is free. */
  close(): Promise<void>;
}

/** Takes over a connection that is to become a WebSocket. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Listens on loopback; port 0 picks a free one. */
export async function listen(port: number, handle: RequestListener, upgrade?: Upgrade): Promise<Listener> {
  const sockets = new Set<Socket>();
  const server = createServer(handle);
  if (upgrade) server.on('upgrade', upgrade);
  // A client that comes back after a pause must not meet a connection that is just being closed.
  server.keepAliveTimeout = 120_000;
  server.requestTimeout = 0;
  server.on('connection', (socket) => void sockets.add(socket.once('close', () => sockets.delete(socket))));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const own = portOf(server);

  const listener: Listener = {
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
      server.listen(own, '127.0.0.1');
      await once(server, 'listening');
    },
    async close() {
      const closed = server.listening ? once(server, 'close') : undefined;
      listener.down();
      await closed;
    },
  };
  return listener;
}
