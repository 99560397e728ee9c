/** HTTP as a hostile client speaks it: bytes on a socket, and what comes back until it is closed. */
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  /** 0 when there was none. */
  status: number;
  headers: Record<string, string>;
  body: string;
  /** All that came, for what is more than one answer. */
  text: string;
}

export interface Held {
  socket: Socket;
  /** What has come so far. */
  seen(): string;
  /** Resolves when the connection is closed. */
  answer: Promise<RawAnswer>;
}

/** @param from one of this machine's own addresses, in the place of the usual one */
export function open(port: number, bytes: string | Buffer, from?: string): Held {
  const socket = connect({ port, host: '127.0.0.1', ...(from !== undefined && { localAddress: from }) });
  socket.write(bytes);
  let text = '';
  socket.on('data', (data) => {
    text += data.toString('latin1');
  });
  socket.on('error', () => 'a reset is an end like another');
  const answer = new Promise<RawAnswer>((resolve) => socket.once('close', () => resolve(parse(text))));
  return { socket, answer, seen: () => text };
}

/** Sends a whole request and reads until the server closes, or for `waitMs`. */
export async function send(port: number, bytes: string | Buffer, waitMs = 20_000): Promise<RawAnswer> {
  const { socket, answer } = open(port, bytes);
  const timer = setTimeout(() => socket.destroy(), waitMs);
  const got = await answer;
  clearTimeout(timer);
  return got;
}

/** The head of a request, each line ended. */
export const head = (...lines: string[]): string => `${lines.join('\r\n')}\r\n\r\n`;

function parse(text: string): RawAnswer {
  const [top = '', body = ''] = text.split('\r\n\r\n', 2);
  const [first = '', ...lines] = top.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status: Number(first.split(' ')[1] ?? 0), headers, body, text };
}
