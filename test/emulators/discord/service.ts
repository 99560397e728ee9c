/** The state of the service: faults, limits and counts. Everything here can be sent as JSON. */
import type { CommonCounters } from '../base/control.ts';
import type { PlannedFault, RateCounts } from '../base/faults.ts';
import type { Logged } from '../base/request-log.ts';

export interface Fault extends PlannedFault {
  /** The HTTP method; any by default. */
  method?: string;
  /** A route as counted, `/channels/:id/messages`, or a part of the real path, `/channels/123/`; any by default. */
  path?: string;
  /**
   * `status`: answers with `status` and `body`, does nothing. `lostAnswer`: carries out the call, then resets the
   * connection. `reset`: resets before doing anything. `hang`: never answers, does nothing. `hangAfter`: carries out
   * the call, never answers. `delay`: succeeds after `delayMs`. On the CDN, `lostAnswer` and `hangAfter` break off in
   * the middle of the file.
   */
  kind: 'status' | 'lostAnswer' | 'reset' | 'hang' | 'hangAfter' | 'delay';
  status?: number;
  /** A JSON body or, as a string, an HTML page. */
  body?: object | string;
  /** Seconds; turns it into a 429 with this `retry_after`. */
  retryAfter?: number;
  /** The scope of the 429; `user` by default. `cloudflare` is the plain-text ban page without a JSON body. */
  scope?: 'user' | 'shared' | 'global' | 'cloudflare';
  delayMs?: number;
}

export interface RateLimits {
  /** The messages that a channel accepts; Discord's limit is 5 in 5 s. */
  channel: { limit: number; perMs: number };
  /** All requests of the bot; Discord's limit is 50 a second. Interaction callbacks don't count. */
  global: { limit: number; perMs: number };
  /** Any other route and major parameter. */
  route: { limit: number; perMs: number };
  reaction: { limit: number; perMs: number };
  /**
   * New names of one channel or thread: 2 in 10 minutes. Enforced from the start; `rate(false)` switches this off too.
   */
  rename: { limit: number; perMs: number };
}

export interface LoggedRequest extends Logged {
  method: string;
  path: string;
  /** With IDs removed: `POST /channels/:id/messages`. */
  route: string;
  body: unknown;
  /** The names of uploaded files. */
  files: string[];
  /** Query parameters. */
  query: Record<string, string>;
  /** Discord's error code, for a refusal. */
  code?: number;
}

export interface GatewayView {
  /** Whether a session is identified (or resumed) and its socket open. */
  connected: boolean;
  /** The number of accepted sockets. */
  connections: number;
  identifies: number;
  resumes: number;
  /** Identifies and resumes that were refused, by close code; INVALID_SESSION counts as `9`. */
  refused: Record<string, number>;
  heartbeats: number;
  /** Events sent to a socket, by name. */
  dispatched: Record<string, number>;
  /** Events that nobody will receive: there was no session, or it wasn't resumed in time. */
  lost: number;
  /** Events waiting for a resume. */
  buffered: number;
}

export interface Counters extends CommonCounters {
  routes: Record<string, number>;
  /** Refusals by Discord's error code. */
  codes: Record<string, number>;
  gateway: GatewayView;
  /** Because of the limits, not of faults. */
  rate: RateCounts;
  interactions: { total: number; acknowledged: number; failed: number; latenciesMs: number[] };
  /** The number of PUTs and POSTs of commands. */
  commandsRegistered: number;
  messages: number;
  files: number;
}
