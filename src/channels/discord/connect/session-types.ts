/** What a session with the gateway is given and tells. */
import type { Logger } from '../../../log.ts';
import type { KeptSessions } from './kept-session.ts';

export interface SessionOptions {
  token: string;
  apiRoot: string;
  cdnRoot: string;
  log: Logger;
  timing: SessionTiming;
  /** Waits until this application may identify again. */
  mayIdentify: (signal: AbortSignal) => Promise<void>;
  /** Another process may hold the connection next: it is to go on where this one was. */
  kept: KeptSessions | undefined;
}

/** Milliseconds. */
export interface SessionTiming {
  /** Between tries of a connection that was lost. */
  backoffMs: { min: number; max: number };
  /** Without an event or a heartbeat's answer for so long, a connection is given up. */
  silentMs: number;
  /** A client that stays without a connection for so long is replaced. */
  stuckMs: number;
}

export interface SessionEnd {
  detail: string;
  /** Discord closed the connection with a code that forbids to come back. */
  closeCode?: number;
  error?: unknown;
}

export interface SessionEvents {
  /** Every dispatch, in order. */
  onPacket(type: string, data: unknown): void;
  /** Identified anew, and every guild was told of: what was said before may have been missed. */
  onReady(): void;
  /** The session goes on where it broke: nothing was missed. */
  onResumed(): void;
  onDown(detail: string): void;
  /** This client is of no more use; called once. */
  onEnd(end: SessionEnd): void;
}

export interface Session {
  close(): Promise<void>;
}
