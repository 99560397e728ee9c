/** Detects whether a request had a connection. If it had none, certainly nothing was sent. */
import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

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
