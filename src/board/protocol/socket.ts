/**
 * `GET /ws`: JSON frames over a WebSocket (docs/protocol.md). Commands of one connection start in order. Sends a ping
 * every 20 s; a client that has been silent for 45 s is disconnected.
 */
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { parseJson } from '../../lib/json.ts';
import type { AwaitedCaller, BoardUpgrade, Caller } from '../../runtime/contract/board.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import { errorFields, RequestError } from '../respond.ts';
import { answerCommand } from './answer.ts';
import type { Connection } from './connection.ts';
import type { Exchange } from './exchange.ts';
import type { ProtocolParts } from './parts.ts';
import { authSchema, type Frame, frameSchema, MAX_FRAME, PROTOCOL } from './schemas.ts';

const BAD_FRAME = 4400;
const UNAUTHORISED = 4401;
const FORBIDDEN = 4403;
const RESTART = 1012;
const PING_MS = 20_000;
const DEAD_MS = 45_000;
const AUTH_MS = 5_000;
/** After this long without an answer to the close (in ms), buffered data is dropped. */
const CLOSE_MS = 2_000;
/** Concurrent commands of one connection; further ones are not read until one finishes. */
const MAX_AT_ONCE = 32;

export interface SocketParts {
  parts: ProtocolParts;
  exchange: Exchange;
  beat?: { pingMs: number; deadMs: number };
}

export function createSockets({ parts, exchange, beat = { pingMs: PING_MS, deadMs: DEAD_MS } }: SocketParts) {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME,
    handleProtocols: (offered) => (offered.has('viber.v1') ? 'viber.v1' : false),
  });
  const open = new Set<Line>();
  const timer = setInterval(() => {
    for (const line of open) line.beat(beat.deadMs);
  }, beat.pingMs).unref();

  return {
    upgrade({ request, socket, head, who }: BoardUpgrade): void {
      server.handleUpgrade(request, socket, head, (webSocket) => {
        const line = new Line(webSocket, parts, exchange, () => open.delete(line));
        open.add(line);
        line.begin(who);
      });
    },
    /** Serves a connection that this gateway has dialled, so its caller is known. */
    serve(webSocket: WebSocket, caller: Caller): void {
      const line = new Line(webSocket, parts, exchange, () => open.delete(line));
      open.add(line);
      line.begin(caller);
    },
    close(): void {
      clearInterval(timer);
      for (const line of open) line.end(RESTART, 'the gateway restarts');
      server.close();
    },
  };
}

class Line {
  readonly #socket: WebSocket;
  readonly #parts: ProtocolParts;
  readonly #exchange: Exchange;
  #connection: Connection | undefined;
  #awaited: AwaitedCaller | undefined;
  #authTimer: NodeJS.Timeout | undefined;
  #heardAt = Date.now();
  #atWork = 0;

  constructor(socket: WebSocket, parts: ProtocolParts, exchange: Exchange, onClose: () => void) {
    this.#socket = socket;
    this.#parts = parts;
    this.#exchange = exchange;
    socket.on('message', (data, isBinary) => this.#take(data, isBinary));
    socket.on('pong', () => this.#hear());
    socket.on('ping', () => this.#hear());
    // `close` follows; ws itself has closed with 1009 or 1002.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(this.#authTimer);
      if (this.#connection) exchange.leave(this.#connection);
      onClose();
    });
  }

  begin(who: Caller | AwaitedCaller): void {
    if ('principal' in who) {
      this.#enter(who);
      return;
    }
    this.#awaited = who;
    this.#authTimer = setTimeout(() => this.end(UNAUTHORISED, 'no key came in time'), AUTH_MS).unref();
  }

  beat(deadMs: number): void {
    if (Date.now() - this.#heardAt > deadMs) {
      this.#socket.terminate();
      return;
    }
    this.#connection?.catchUp();
    this.#socket.ping();
  }

  /** The first reason wins. */
  end(code: number, reason: string): void {
    this.#socket.close(code, reason);
    setTimeout(() => this.#socket.terminate(), CLOSE_MS).unref();
  }

  #hear(): void {
    this.#heardAt = Date.now();
  }

  #enter(caller: Caller): void {
    const { ended } = caller;
    const peer = {
      send: (text: string) => this.#socket.send(text),
      waiting: () => this.#socket.bufferedAmount,
      close: (code: number, reason: string) => this.end(code, reason),
    };
    if (ended.aborted) {
      this.end(UNAUTHORISED, 'this session has ended');
      return;
    }
    const connection = this.#exchange.connect(caller, peer, 'client');
    this.#connection = connection;
    // When the gateway stops, all sockets are closed with its own reason right after.
    const over = () => setImmediate(() => this.end(UNAUTHORISED, 'this session has ended'));
    ended.addEventListener('abort', over, { once: true });
    this.#socket.once('close', () => ended.removeEventListener('abort', over));
    const { home, about, runningTasks } = this.#parts;
    const seen = runningTasks().flatMap((id) => openTask(home, id).record() ?? []);
    connection.send({
      type: 'connected',
      protocol: PROTOCOL,
      viber: {
        ...about,
        id: caller.viber ?? about.id,
        runningTasks: seen.filter((task) => connection.maySee(task)).map(({ id }) => id),
      },
      cursor: this.#exchange.log.cursor,
    });
  }

  #take(data: RawData, isBinary: boolean): void {
    this.#hear();
    const frame = isBinary ? undefined : frameSchema.safeParse(parseJson(String(data))).data;
    if (!frame) {
      this.end(BAD_FRAME, 'a frame is a JSON object with a type');
      return;
    }
    if (frame.type === 'auth') {
      this.#authorise(frame);
      return;
    }
    if (!this.#connection) {
      this.end(UNAUTHORISED, 'the first frame is auth with the key');
      return;
    }
    // A hub acknowledges deliveries; nothing here waits for that.
    if (frame.type === 'ack') return;
    this.#answer(frame, this.#connection).catch((error: unknown) => this.#parts.onError(error));
  }

  async #answer(frame: Frame, connection: Connection): Promise<void> {
    this.#atWork += 1;
    if (this.#atWork >= MAX_AT_ONCE) this.#socket.pause();
    try {
      await answerCommand(frame, connection, this.#exchange, this.#parts);
    } finally {
      this.#atWork -= 1;
      if (this.#socket.isPaused && this.#atWork < MAX_AT_ONCE) this.#socket.resume();
    }
  }

  #authorise(frame: Frame): void {
    const asked = authSchema.safeParse(frame);
    if (!asked.success) {
      this.end(BAD_FRAME, 'auth has a key');
      return;
    }
    const { key, after } = asked.data;
    if (!this.#connection && this.#awaited) {
      try {
        this.#enter(this.#awaited.withKey(key));
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
        this.#refuse(frame, error);
        return;
      }
      clearTimeout(this.#authTimer);
    }
    const connection = this.#connection;
    if (!connection) return;
    if (frame.id !== undefined) connection.send({ type: 'ack', id: frame.id, ok: true });
    if (after !== undefined)
      this.#exchange.catchUp(connection, after, 'own').catch((error: unknown) => this.#parts.onError(error));
  }

  #refuse({ id = 'auth' }: Frame, error: RequestError): void {
    this.#socket.send(JSON.stringify({ type: 'ack', id, ok: false, error: errorFields(error, undefined) }));
    this.end(error.status === 403 ? FORBIDDEN : UNAUTHORISED, error.code);
  }
}
