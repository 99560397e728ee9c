/**
 * A channel's connection: its status, and whether a request had one. If it had none, certainly nothing was sent.
 */

import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { viberCommand } from '../../lib/invocation.ts';
import type { Logger } from '../../log.ts';
import type { ChannelStatus } from '../channel.ts';

const CONNECT_MS = 10_000;

/** Fails a request whose connection isn't made in time, and tells whether it was ever made. */
export function watchConnection(request: ClientRequest): { isMade: boolean } {
  const connection = { isMade: false };
  const timer = setTimeout(() => request.destroy(tooLate()), CONNECT_MS);
  const made = () => {
    connection.isMade = true;
    clearTimeout(timer);
  };
  request.once('close', () => clearTimeout(timer));
  request.once('socket', (socket) => {
    if (isReady(socket)) made();
    else socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', made);
  });
  return connection;
}

const tooLate = (): Error => Object.assign(new Error(`no connection within ${CONNECT_MS} ms`), { code: 'ETIMEDOUT' });

function isReady(socket: Socket): boolean {
  if (socket.connecting) return false;
  return !(socket instanceof TLSSocket) || /^(TLS|SSL)/.test(socket.getProtocol() ?? '');
}

/** Holds the status of a channel's connection. Reports each change, and logs each problem once. */
export interface ChannelState {
  get(): ChannelStatus;
  set(next: ChannelStatus): void;
}

const meanwhile = (): string =>
  `I keep trying. The rest of the gateway works: ${viberCommand('chat')} talks to it here, ${viberCommand('board')} opens the Board.`;

export function createChannelState(channel: string, log: Logger, onChange: () => void): ChannelState {
  let status: ChannelStatus = { state: 'off' };
  let wasConnected = false;
  return {
    get: () => status,
    set(next) {
      if (next.state === status.state && next.detail === status.detail) return;
      wasConnected ||= next.state === 'connected';
      if (next.detail !== undefined) {
        const isFirst = next.state === 'reconnecting' && !wasConnected;
        log.warn({ channel, state: next.state }, isFirst ? `${next.detail}; ${meanwhile()}` : next.detail);
      }
      status = next;
      onChange();
    },
  };
}
