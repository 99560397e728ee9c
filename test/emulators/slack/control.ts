/** What tests see and break: the whole control object, and the platform when it runs in the same process. */
import type { LoggedRequest } from '../telegram/request-log.ts';
import type { Fault, Outage } from './faults.ts';
import type { RateLimits } from './rates.ts';
import type { People, RawAnswer, RawRequest } from './types.ts';
import type { Transcript } from './view.ts';

export interface Counters {
  methods: Record<string, number>;
  /** Answers by HTTP status; `0` for answers that were lost on purpose. */
  statuses: Record<string, number>;
  /** Refusals with 200 and `ok: false`, by error. */
  errors: Record<string, number>;
  /** Open HTTP connections, sockets included. */
  connections: number;
  sockets: { open: number; opened: number };
  deliveries: {
    /** Events announced, not counting repetitions. */
    events: number;
    commands: number;
    presses: number;
    acknowledged: number;
    /** Sent again because nothing was acknowledged in time, or because a test asked. */
    redelivered: number;
    /** Given up after the last repetition. */
    lost: number;
    /** Not yet acknowledged and not yet lost. */
    pending: number;
  };
  /** Milliseconds from sending to acknowledgement, in order; the newest 100,000. */
  ackMs: { events: number[]; interactions: number[] };
  /** Calls answered with 429 by the limits of `rate`. */
  violations: number;
  /** Those that came before an earlier `Retry-After` had passed. */
  early: number;
  files: number;
  faultsLeft: number;
  /** Microseconds of CPU this process has used. */
  cpuMicros: number;
}

/** What a test, in this process or another, can do. */
export interface SlackControl extends People, Omit<Transcript, 'waitFor' | 'onMessage'> {
  fault(fault: Fault): void;
  clearFaults(): void;
  /** The whole platform is away until this is called without an argument; open sockets end too. */
  outage(kind?: Outage): Promise<void>;
  /** Switches sending limits on, with these changes to the real ones, or off. */
  rate(limits?: Partial<RateLimits> | false): void;
  /** What the bot token may do from now on. */
  setScopes(scopes: string[]): void;
  /** The workspace takes no files from now on (`file_uploads_disabled`, `restricted_action`); undefined: it does again. */
  withholdFiles(error?: string): void;
  /** How every call with the bot token fails from now on; `undefined` mends it. */
  setAuth(error?: 'invalid_auth' | 'account_inactive' | 'token_revoked'): void;
  /**
   * From now on events, commands and presses are POSTed, signed, to this URL (or one for each) instead of sent over
   * sockets. Rejects when the URL does not answer the `url_verification` challenge. Without an argument: sockets again.
   */
  deliverTo(url?: string | { events: string; commands: string; interactivity: string }): Promise<void>;
  /** Sends a hand-made request to the request URL; the newest real request again with `replay()`. */
  sendRaw(request: RawRequest): Promise<RawAnswer>;
  /** Repeats the newest delivered request byte for byte, its signature and timestamp included. */
  replay(): Promise<RawAnswer>;
  /** Holds the next `count` events back until all are there and sends them in reverse. */
  reverseNext(count: number): void;
  /** Sends every event twice from now on, or once. */
  duplicate(isOn: boolean): void;
  /** Says goodbye on every socket, as when Slack recycles a server (`warning` says it will close in 10 s). */
  disconnect(reason: 'warning' | 'refresh_requested' | 'link_disabled'): void;
  /** Breaks every socket without a word. */
  dropSockets(): void;
  /** Sockets stay open, but nothing is answered, pinged or sent any more; false ends it. */
  freeze(isFrozen: boolean): void;
  /** Resolves when this many sockets have been greeted. */
  connected(count?: number, timeoutMs?: number): Promise<void>;
  /** Resolves when nothing waits for an acknowledgement. */
  settled(timeoutMs?: number): Promise<void>;
  counters(): Counters;
  requests(method?: string): LoggedRequest[];
  /** The newest call of a method, waiting for the first. */
  called(method: string, timeoutMs?: number): Promise<LoggedRequest>;
  /** Bytes of a file, as base64. */
  file(fileId: string): string;
  /** Forgets counts, log, faults, limits and undelivered events; channels stay. */
  reset(): void;
}
