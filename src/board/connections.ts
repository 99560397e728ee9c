/**
 * Limits how many connections each client may hold. Invariant: a new connection is always accepted and answered, so
 * health checks, webhooks and owners get through: it displaces the longest idle connection without a token, and clients
 * with a token have a share.
 */
import type http from 'node:http';
import type { Socket } from 'node:net';
import type { Caller } from '../runtime/contract/board.ts';

/** The share of all connections above which a new one displaces one without a token. */
const OPEN_SHARE = 7 / 8;
/** The share of all connections for one client's open requests and streams. */
const SHARES = { owner: 1 / 2, member: 1 / 4, guest: 1 / 8 } as const;
/** The share of all connections for all clients together that aren't owners. */
const OTHERS_SHARE = 1 / 2;

export interface Connections {
  /**
   * Returns whether this caller may have another open request; it counts until its connection, or `response`, is
   * closed.
   */
  admit(caller: Caller, socket: Socket, response?: http.ServerResponse): boolean;
}

interface Open {
  address: string;
  busy: number;
  vouched: number;
}

export function watchConnections(server: http.Server, max: number): Connections {
  /** Ordered by the start of the last request, oldest first. */
  const open = new Map<Socket, Open>();
  const byClient = new Map<string, number>();
  let others = 0;
  const most = Math.max(1, Math.floor(max * OPEN_SHARE));

  /** Closes the longest idle connection of the address that holds the most; a busy one only if none is idle. */
  function giveWay(): void {
    const idle = [...open].filter(([, { vouched, busy }]) => vouched === 0 && busy === 0);
    const unvouched = idle.length > 0 ? idle : [...open].filter(([, { vouched }]) => vouched === 0);
    const counts = new Map<string, number>();
    for (const [, { address }] of unvouched) counts.set(address, (counts.get(address) ?? 0) + 1);
    const greatest = Math.max(0, ...counts.values());
    const [victim] = unvouched.find(([, { address }]) => counts.get(address) === greatest) ?? [];
    victim?.destroy();
    if (victim) open.delete(victim);
  }

  server.on('connection', (socket: Socket) => {
    if (open.size >= most) giveWay();
    open.set(socket, { address: socket.remoteAddress ?? '', busy: 0, vouched: 0 });
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', ({ socket }: http.IncomingMessage, response: http.ServerResponse) => {
    const known = open.get(socket);
    if (!known) return;
    known.busy++;
    open.delete(socket);
    open.set(socket, known);
    response.once('close', () => known.busy--);
  });

  return {
    admit({ id, principal: { role } }, socket, response) {
      const mine = byClient.get(id) ?? 0;
      const isOwner = role === 'owner';
      if (mine >= Math.max(1, Math.floor(max * SHARES[role]))) return false;
      if (!isOwner && others >= Math.max(1, Math.floor(max * OTHERS_SHARE))) return false;
      const known = open.get(socket);
      byClient.set(id, mine + 1);
      if (!isOwner) others++;
      if (known) known.vouched++;
      (response ?? socket).once('close', () => {
        const left = (byClient.get(id) ?? 1) - 1;
        if (left > 0) byClient.set(id, left);
        else byClient.delete(id);
        if (!isOwner) others--;
        if (known) known.vouched--;
      });
      return true;
    },
  };
}
