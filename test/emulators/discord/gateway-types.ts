/** The gateway's dependencies, and the functions that it offers to the rest of the platform. */
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
  /** READY's body without the session, and the GUILD_CREATEs that follow it. */
  welcome(): { ready: object; guilds: GatewayEvent[] };
}

export interface Gateway {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  dispatch(event: GatewayEvent): void;
  /** Dispatches regardless of intents. */
  force(name: string, data: object): void;
  view(): GatewayView;
  /** Events that the bot hasn't confirmed; asks it to. Those that are held back don't count. */
  unconfirmed(): number;
  identifiesLeft(): number;
  /** Emits `ready` when a session has identified or resumed. */
  changes: EventEmitter;
  presence(): object | null;
  drop(options?: { resumable?: boolean; code?: number }): void;
  refuse(n: number): void;
  refuseResumes(n: number): void;
  /** Sends an op to every open socket. */
  send(op: number, d: unknown): void;
  /** Sends INVALID_SESSION; the session ends unless it is resumable. */
  invalidate(isResumable: boolean): void;
  stall(isStalled: boolean): void;
  hold(): void;
  release(order?: 'reversed' | number[]): void;
  resetCounts(): void;
  close(): void;
}
