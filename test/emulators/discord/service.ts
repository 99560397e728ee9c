/** The state of the service: faults, limits and counts. Everything here survives JSON. */

export interface Fault {
  /** HTTP method; any when absent. */
  method?: string;
  /** A route as counted, `/channels/:id/messages`, or a piece of the real path, `/channels/123/`; any when absent. */
  path?: string;
  /** How many calls it meets; 1 unless told. */
  times?: number;
  /** Lets this many fitting calls through first. */
  skip?: number;
  /**
   * `status`: answered with `status` and `body`, nothing done. `lostAnswer`: carried out, then the connection is reset.
   * `reset`: reset before anything is done. `hang`: no answer, nothing done. `hangAfter`: carried out, no answer.
   * `delay`: all well after `delayMs`. On the CDN `lostAnswer` and `hangAfter` break off in the middle of the file.
   */
  kind: 'status' | 'lostAnswer' | 'reset' | 'hang' | 'hangAfter' | 'delay';
  status?: number;
  /** A JSON body or, as a string, an HTML page. */
  body?: object | string;
  /** Seconds; makes it a 429 with this `retry_after`. */
  retryAfter?: number;
  /** What the 429 is for; `user` unless told. `cloudflare` is the plain-text ban page without a JSON body. */
  scope?: 'user' | 'shared' | 'global' | 'cloudflare';
  delayMs?: number;
}

/** The whole platform, REST, CDN and gateway: `refuse` (nobody listens), `reset`, `hang`, or an HTTP status. */
export type Outage = 'refuse' | 'reset' | 'hang' | 500 | 502 | 503 | 504;

export interface RateLimits {
  /** Messages a channel takes; Discord's is 5 in 5 s. */
  channel: { limit: number; perMs: number };
  /** Everything the bot asks for; Discord's is 50 a second. Interaction callbacks do not count. */
  global: { limit: number; perMs: number };
  /** Any other route and major parameter. */
  route: { limit: number; perMs: number };
  reaction: { limit: number; perMs: number };
  /** New names of one channel or thread, 2 in 10 minutes. Enforced from the start; `rate(false)` ends that too. */
  rename: { limit: number; perMs: number };
}

export interface LoggedRequest {
  n: number;
  method: string;
  path: string;
  /** With ids taken out: `POST /channels/:id/messages`. */
  route: string;
  body: unknown;
  /** Names of uploaded files. */
  files: string[];
  /** Query parameters. */
  query: Record<string, string>;
  at: number;
  /** HTTP status of the answer; 0 when there was none. */
  status: number;
  /** Discord's error code of a refusal. */
  code?: number;
}

export interface GatewayView {
  /** A session is identified (or resumed) and its socket open. */
  connected: boolean;
  /** Sockets accepted. */
  connections: number;
  identifies: number;
  resumes: number;
  /** Identifies and resumes that were refused, by close code, and INVALID_SESSION as `9`. */
  refused: Record<string, number>;
  heartbeats: number;
  /** Events sent to a socket, by name. */
  dispatched: Record<string, number>;
  /** Events that nobody will ever get: no session at all, or a session that was not resumed in time. */
  lost: number;
  /** Events waiting for a resume. */
  buffered: number;
}

export interface Counters {
  routes: Record<string, number>;
  /** Answers by HTTP status; `0` for answers that were lost on purpose. */
  statuses: Record<string, number>;
  /** Refusals by Discord's error code. */
  codes: Record<string, number>;
  connections: number;
  gateway: GatewayView;
  rate: {
    /** Calls answered with 429 by the limits (not by faults). */
    violations: number;
    /** Those of them that came before an earlier `retry_after` had passed. */
    early: number;
  };
  interactions: { total: number; acknowledged: number; failed: number; latenciesMs: number[] };
  /** PUTs and POSTs of commands. */
  commandsRegistered: number;
  messages: number;
  files: number;
  faultsLeft: number;
  /** Microseconds of CPU this process has used. */
  cpuMicros: number;
}
