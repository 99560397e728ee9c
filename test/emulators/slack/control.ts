/** What tests can see and break: the whole control object, and the platform if it runs in the same process. */
import type { CommonCounters, PlatformControl } from '../base/control.ts';
import type { RateCounts } from '../base/faults.ts';
import type { Fault } from './faults.ts';
import type { RateLimits } from './rates.ts';
import type { LoggedRequest } from './server.ts';
import type { People, RawAnswer, RawRequest } from './types.ts';
import type { Transcript } from './view.ts';

export interface Counters extends CommonCounters, RateCounts {
  methods: Record<string, number>;
  /** Refusals with status 200 and `ok: false`, by error. */
  errors: Record<string, number>;
  sockets: { open: number; opened: number };
  deliveries: {
    /** Announced events, without repetitions. */
    events: number;
    commands: number;
    presses: number;
    acknowledged: number;
    /** Events sent again because they weren't acknowledged in time, or because a test asked for it. */
    redelivered: number;
    /** Events given up after the last repetition. */
    lost: number;
    /** Events neither acknowledged nor lost yet. */
    pending: number;
  };
  /** Milliseconds from sending to acknowledgement, in order; the newest 100,000. */
  ackMs: { events: number[]; interactions: number[] };
  files: number;
}

type Control = PlatformControl<Fault, RateLimits, Counters, LoggedRequest>;

/** The functions that a test can call, in this process or another. */
export interface SlackControl extends Control, People, Omit<Transcript, 'waitFor' | 'onMessage'> {
  /** Sets what the bot token may do from now on. */
  setScopes(scopes: string[]): void;
  /**
   * Makes the workspace refuse files from now on (`file_uploads_disabled`, `restricted_action`); undefined: accepts
   * them again.
   */
  withholdFiles(error?: string): void;
  /** Makes every call with the bot token fail from now on; undefined ends this. */
  setAuth(error?: 'invalid_auth' | 'account_inactive' | 'token_revoked'): void;
  /**
   * From now on, POSTs events, commands and presses, signed, to this URL (or to one for each) instead of sending them
   * over sockets. Rejects if the URL doesn't answer the `url_verification` challenge. Without an argument: uses sockets
   * again.
   */
  deliverTo(url?: string | { events: string; commands: string; interactivity: string }): Promise<void>;
  /** Sends a hand-made request to the request URL; `replay()` sends the newest real request again. */
  sendRaw(request: RawRequest): Promise<RawAnswer>;
  /** Repeats the newest delivered request byte for byte, including its signature and timestamp. */
  replay(): Promise<RawAnswer>;
  /** Holds back the next `count` events until all have occurred, and sends them in reverse. */
  reverseNext(count: number): void;
  /** From now on, sends every event twice, or once. */
  duplicate(isOn: boolean): void;
  /** Says goodbye on every socket, as when Slack recycles a server (`warning` announces the closing in 10 s). */
  disconnect(reason: 'warning' | 'refresh_requested' | 'link_disabled'): void;
  /** Breaks every socket without warning. */
  dropSockets(): void;
  /** Keeps sockets open, but no longer answers, pings or sends anything; false ends this. */
  freeze(isFrozen: boolean): void;
  /** Resolves when this many sockets have been greeted. */
  connected(count?: number, timeoutMs?: number): Promise<void>;
  /** Resolves when no acknowledgement is pending. */
  settled(timeoutMs?: number): Promise<void>;
}
