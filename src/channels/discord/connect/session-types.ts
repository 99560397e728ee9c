/** Defines the options and events of a gateway session. */
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
  /** Set if another process may hold the connection next and resume the session. */
  kept: KeptSessions | undefined;
}

/** Times in milliseconds. */
export interface SessionTiming {
  /** The wait between tries of a lost connection. */
  backoffMs: { min: number; max: number };
  /** A connection without an event or a heartbeat's answer for this long is given up. */
  silentMs: number;
  /** A client without a connection for this long is replaced. */
  stuckMs: number;
}

export interface SessionEnd {
  detail: string;
  /** The code with which Discord closed the connection, if it forbids reconnecting. */
  closeCode?: number;
  error?: unknown;
}

export interface SessionEvents {
  /** Called for every dispatch, in order. */
  onPacket(type: string, data: unknown): void;
  /** Called after an identify, once every guild was listed; earlier messages may have been missed. */
  onReady(): void;
  /** Called when the session was resumed; nothing was missed. */
  onResumed(): void;
  onDown(detail: string): void;
  /** Called once, when this client is of no more use. */
  onEnd(end: SessionEnd): void;
}

export interface Session {
  close(): Promise<void>;
}
