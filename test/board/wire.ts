/** A client of `viber.v1` made of nothing but a WebSocket: what it was sent, in order. */
import { once } from 'node:events';
import { WebSocket } from 'ws';

export interface Frame {
  type: string;
  id?: string;
  ok?: boolean;
  taskId?: string;
  runId?: string;
  state?: string;
  cursor?: string;
  error?: { code: string; message: string; field?: string; trace?: string };
  result?: { text: string; summary: string; artifactRefs: { id: string; ref: string; title: string; type: string }[] };
  event?: { type: string; content?: string; [field: string]: unknown };
  [field: string]: unknown;
}

export interface Wire {
  socket: WebSocket;
  frames: Frame[];
  /** The acknowledgement of a command. */
  command(frame: object, id?: string): Promise<Frame>;
  send(frame: object): void;
  /** The first frame, also of those that have come already, that is wanted. */
  until(wanted: (frame: Frame) => boolean, timeoutMs?: number): Promise<Frame>;
  closed: Promise<number>;
  close(): void;
}

let next = 0;

export async function openWire(
  port: number | undefined,
  token: string,
  headers: Record<string, string> = {},
): Promise<Wire> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
  const frames: Frame[] = [];
  const watchers = new Set<() => void>();
  socket.on('message', (data) => {
    frames.push(JSON.parse(String(data)));
    for (const watcher of watchers) watcher();
  });
  const closed = once(socket, 'close').then(([code]) => Number(code));
  socket.on('error', () => undefined);
  function until(wanted: (frame: Frame) => boolean, timeoutMs = 60_000): Promise<Frame> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        watchers.delete(look);
        reject(new Error(`no such frame among ${JSON.stringify(frames).slice(0, 3_000)}`));
      }, timeoutMs);
      const look = () => {
        const found = frames.find(wanted);
        if (!found) return;
        clearTimeout(timer);
        watchers.delete(look);
        resolve(found);
      };
      watchers.add(look);
      look();
    });
  }
  await Promise.race([once(socket, 'open'), closed.then((code) => Promise.reject(new Error(`closed with ${code}`)))]);
  return {
    ...{ socket, frames, until, closed },
    send: (frame) => socket.send(JSON.stringify(frame)),
    command(frame, id = `c-${++next}`) {
      const from = frames.length;
      socket.send(JSON.stringify({ ...frame, id }));
      return until((each) => each.type === 'ack' && each.id === id && frames.indexOf(each) >= from);
    },
    close: () => socket.close(),
  };
}
