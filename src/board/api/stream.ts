/** Helpers for streams of server-sent events. */
import type { BoardRequest } from '../../runtime/contract/board.ts';
import { type Connection, TRY_LATER } from '../protocol/connection.ts';
import type { Exchange } from '../protocol/exchange.ts';

/** States without a running run. */
export const OVER: ReadonlySet<string> = new Set(['completed', 'error', 'stopped']);
export const SILENCE_MS = 60_000;
const BEAT_MS = 15_000;

/**
 * Connects a response to the exchange until either side ends. A client that doesn't read is disconnected; its unread
 * events are dropped.
 */
export function connectStream(
  { response, caller }: BoardRequest,
  exchange: Exchange,
  { send, end }: { send(text: string): void; end(): void },
): Connection {
  const peer = {
    send,
    waiting: () => response.writableLength,
    close: (code: number) => void (code === TRY_LATER ? response.destroy() : end()),
  };
  const connection = exchange.connect(caller, peer, 'named');
  const beat = setInterval(() => {
    if (!response.headersSent) return;
    connection.catchUp();
    response.write(':\n\n');
  }, BEAT_MS);
  caller.ended.addEventListener('abort', end, { once: true });
  response.once('close', () => {
    clearInterval(beat);
    caller.ended.removeEventListener('abort', end);
    exchange.leave(connection);
  });
  return connection;
}
