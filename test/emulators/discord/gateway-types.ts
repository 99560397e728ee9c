/** What the gateway is given, and what it lets the rest of the platform do. */
import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GatewayEvent } from './session.ts';
import type { GatewayView } from './types.ts';

export interface GatewayOptions {
  token: string;
  heartbeatMs: number;
  identifyMs: number;
  identifiesLeft: number;
  resumeMs: number;
  messageContent(): boolean;
  url(): string;
  /** READY's body without session, and the GUILD_CREATEs that follow it. */
  welcome(): { ready: object; guilds: GatewayEvent[] };
}

export interface Gateway {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  dispatch(event: GatewayEvent): void;
  /** Dispatches whatever the intents. */
  force(name: string, data: object): void;
  view(): GatewayView;
  identifiesLeft(): number;
  /** Emits `ready` when a session is identified or resumed. */
  changes: EventEmitter;
  presence(): object | null;
  drop(options?: { resumable?: boolean; code?: number }): void;
  refuse(n: number): void;
  refuseResumes(n: number): void;
  /** Sends an op to every socket that is open. */
  send(op: number, d: unknown): void;
  /** INVALID_SESSION; the session is gone unless it is resumable. */
  invalidate(isResumable: boolean): void;
  stall(isStalled: boolean): void;
  hold(): void;
  release(order?: 'reversed' | number[]): void;
  resetCounts(): void;
  close(): void;
}
