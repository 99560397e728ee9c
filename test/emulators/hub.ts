/** A hub: a WebSocket server that gateways dial. It sends commands, and acknowledges the ends of runs if told to. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Frame } from '../board/wire.ts';

export interface HubOptions {
  token: string;
  port?: number;
}

export class HubEmulator {
  /** Everything that the gateway has sent, over all connections. */
  readonly frames: Frame[] = [];
  /** The times at which it was dialled. */
  readonly dialled: number[] = [];
  /** Whether to acknowledge ends as they arrive. */
  acknowledges = true;
  /** The frames to send as soon as somebody has dialled. */
  greeting: object | undefined;
  #server: WebSocketServer | undefined;
  #socket: WebSocket | undefined;
  #port: number;
  readonly #token: string;

  constructor({ token, port = 0 }: HubOptions) {
    this.#token = token;
    this.#port = port;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.#port}/gateways`;
  }

  get isConnected(): boolean {
    return this.#socket?.readyState === 1;
  }

  async start(): Promise<void> {
    const server = new WebSocketServer({
      ...{ host: '127.0.0.1', port: this.#port, path: '/gateways' },
      verifyClient: ({ req }, done) => {
        this.dialled.push(Date.now());
        done(req.headers.authorization === `Bearer ${this.#token}`, 401);
      },
    });
    this.#server = server;
    server.on('connection', (socket) => {
      this.#socket = socket;
      socket.on('message', (data) => this.#take(JSON.parse(String(data))));
      socket.on('error', () => undefined);
      if (this.greeting) this.send(this.greeting);
    });
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Drops everything, as a hub that is killed does. */
  stop(): void {
    for (const socket of this.#server?.clients ?? []) socket.terminate();
    this.#server?.close();
    this.#socket = undefined;
  }

  drop(): void {
    this.#socket?.terminate();
  }

  send(frame: object): void {
    this.#socket?.send(JSON.stringify(frame));
  }

  sent(type: string): Frame[] {
    return this.frames.filter((frame) => frame.type === type);
  }

  acknowledge(runId: string | undefined): void {
    this.send({ type: 'ack', runId });
  }

  #take(frame: Frame): void {
    this.frames.push(frame);
    if (this.acknowledges && (frame.type === 'task:completed' || frame.type === 'task:error'))
      this.acknowledge(frame.runId);
  }
}
