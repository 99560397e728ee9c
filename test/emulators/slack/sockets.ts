/**
 * Socket Mode: tickets, greetings, envelopes and their acknowledgements, on a separate port as on the real platform.
 */
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import { portOf } from '../base/http.ts';
import type { Outcome, Outgoing } from './deliveries.ts';
import { isRecord } from './state.ts';

export interface Sockets {
  /** Returns a URL that is valid for one connection. */
  ticket(): string;
  send(outgoing: Outgoing): void;
  open(): number;
  opened(): number;
  /** Emits `greeted` for each new connection. */
  changes: EventEmitter;
  disconnect(reason: string): void;
  drop(): void;
  freeze(isFrozen: boolean): void;
  /** Refuses connections from now on, or accepts them again. */
  refuse(isRefused: boolean): void;
  close(): Promise<void>;
}

interface Connection {
  socket: WebSocket;
  /** Whether goodbye was said, so that nothing new is sent. */
  isLeaving: boolean;
  isFrozen: boolean;
}

/** The number of connections that one app may have. */
const MAX_OPEN = 10;
const TICKET_MS = 30_000;
/** How long after its goodbye a socket is closed. */
const GRACE_MS = 2000;

export interface SocketOptions {
  /** The content of the greeting. */
  appId: string;
  pingMs: number;
  /** Whether the connection stays open after the closing handshake, until the client breaks it. */
  lingers: boolean;
}

export async function startSockets({ appId, pingMs, lingers }: SocketOptions): Promise<Sockets> {
  const http = createServer((_request, response) => void response.writeHead(426).end('Upgrade Required'));
  const server = new WebSocketServer({ noServer: true, autoPong: false, maxPayload: 4 * 1024 * 1024 });
  const changes = new EventEmitter().setMaxListeners(0);
  const connections = new Set<Connection>();
  const tickets = new Map<string, number>();
  const waiting = new Map<string, (outcome: Outcome) => void>();
  let opened = 0;
  let turn = 0;
  let isRefusing = false;

  function take(data: string): void {
    const message: unknown = JSON.parse(data);
    if (!isRecord(message) || typeof message.envelope_id !== 'string') return;
    const settle = waiting.get(message.envelope_id);
    waiting.delete(message.envelope_id);
    settle?.({ ok: true, status: 200, body: message.payload });
  }

  function greet(socket: WebSocket): void {
    if (connections.size >= MAX_OPEN) {
      socket.send(JSON.stringify({ type: 'disconnect', reason: 'too_many_websockets' }));
      socket.close();
      return;
    }
    const connection: Connection = { socket, isLeaving: false, isFrozen: false };
    connections.add(connection);
    opened += 1;
    socket.on('ping', (data) => void (connection.isFrozen || socket.pong(data)));
    socket.on('message', (data) => void (connection.isFrozen || take(String(data))));
    // A broken connection reports an error; its close follows.
    socket.on('error', () => connections.delete(connection));
    socket.on('close', () => connections.delete(connection));
    socket.send(
      JSON.stringify({
        type: 'hello',
        num_connections: connections.size,
        debug_info: { host: 'applink-emulated', build_number: 1, approximate_connection_time: 18_060 },
        connection_info: { app_id: appId },
      }),
    );
    socket.ping();
    changes.emit('greeted');
  }

  http.on('upgrade', (request, socket, head) => {
    const ticket = new URL(request.url ?? '/', 'http://socket').searchParams.get('ticket') ?? '';
    const until = tickets.get(ticket) ?? 0;
    tickets.delete(ticket);
    if (isRefusing) socket.destroy();
    else if (until < Date.now()) socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
    else {
      if (lingers) socket.end = () => socket;
      server.handleUpgrade(request, socket, head, greet);
    }
  });
  const pinger = setInterval(() => {
    for (const { socket, isFrozen } of connections) if (!isFrozen && socket.readyState === socket.OPEN) socket.ping();
  }, pingMs);
  pinger.unref();
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const port = portOf(http);

  const drop = () => {
    for (const { socket } of connections) socket.terminate();
    connections.clear();
  };
  return {
    changes,
    drop,
    open: () => connections.size,
    opened: () => opened,
    ticket() {
      const ticket = randomUUID();
      tickets.set(ticket, Date.now() + TICKET_MS);
      return `ws://127.0.0.1:${port}/link/?ticket=${ticket}&app_id=${appId}`;
    },
    send({ kind, payload, attempt, reason, settle }) {
      const fit = [...connections].filter(({ socket, isLeaving }) => !isLeaving && socket.readyState === socket.OPEN);
      turn += 1;
      const chosen = fit[turn % Math.max(1, fit.length)];
      if (!chosen) return settle({ ok: false, status: 0, reason: 'no_connection' });
      const id = randomUUID();
      waiting.set(id, settle);
      // A frozen connection swallows it, as if the other end were gone.
      if (chosen.isFrozen) return;
      const envelope = {
        envelope_id: id,
        payload,
        type: kind,
        accepts_response_payload: kind !== 'events_api',
        ...(kind === 'events_api' && { retry_attempt: attempt, retry_reason: reason ?? '' }),
      };
      chosen.socket.send(JSON.stringify(envelope));
    },
    disconnect(reason) {
      for (const connection of connections) {
        connection.isLeaving = reason !== 'warning';
        connection.socket.send(
          JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'applink-emulated' } }),
        );
        if (connection.isLeaving) setTimeout(() => connection.socket.close(), GRACE_MS).unref();
      }
    },
    freeze(isFrozen) {
      for (const connection of connections) connection.isFrozen = isFrozen;
    },
    refuse(isRefused) {
      isRefusing = isRefused;
      if (isRefused) drop();
    },
    async close() {
      clearInterval(pinger);
      // A client that said goodbye itself must not see its connection break before it is done.
      for (const { socket } of connections) socket.close(1001);
      for (let n = 0; n < 10 && connections.size > 0; n += 1) await sleep(5);
      drop();
      server.close();
      const closed = once(http, 'close');
      http.close();
      http.closeAllConnections();
      await closed;
    },
  };
}
