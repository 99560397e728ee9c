/** The Board's shared contract: callers, requests and routes. Types only. */
import type http from 'node:http';
import type { Duplex } from 'node:stream';
import type { Principal } from '../../access/principal.ts';
import type { Address, ChannelStatus } from '../../channels/channel.ts';
import type { EngineHealth } from '../../engine/engine.ts';
import type { HandleState } from '../../lib/handles.ts';

/** The caller, as the guard has identified it. Nothing in a body or a frame grants rights. */
export interface Caller {
  /** `client`: a token from `http.token` or `http.clients`; `session`: a person who is logged in on the Board. */
  kind: 'client' | 'session';
  /**
   * The client's name, `owner` for `http.token`, or the session's ID. With a command's own ID it is the idempotency
   * key.
   */
  id: string;
  /** The person on whose behalf it acts, with their current role. */
  principal: Principal;
  /** The channel of its conversations; `api` if absent. */
  channel?: string;
  /** The viber it talks to by default; the gateway's own if absent. */
  viber?: string;
  /** The language of a logged-in person, or of their browser while theirs is unknown. Programs read English. */
  language?: string;
  /** The person's direct conversation, if known; it is the one shown on Now. */
  direct?: Address;
  /**
   * Aborted when the session is revoked, its person loses the role or the server stops: sockets and streams end at
   * once.
   */
  ended: AbortSignal;
}

/** A socket with only a cookie: its first frame must bring the key, which turns it into a caller. */
export interface AwaitedCaller {
  /** Returns the caller, or an error to send before the socket is closed with 4401. */
  withKey(key: string): Caller | BoardError;
}

/** A request that the guard has admitted. */
export interface BoardRequest {
  request: http.IncomingMessage;
  response: http.ServerResponse;
  url: URL;
  /**
   * Values of the names in the route's path, decoded once; never empty, `.` or `..`, and without slashes except in a
   * `*rest`.
   */
  params: Readonly<Record<string, string>>;
  caller: Caller;
}

export interface BoardRoute {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `/api/tasks/:id/messages`; a last part `*rest` matches the remaining path, including slashes. */
  path: string;
  /** `owner`: everybody else gets 403. */
  asks: 'caller' | 'owner';
  /** Milliseconds without a byte until the connection is closed; the default is one minute. */
  silenceMs?: number;
  /** Milliseconds until the body must be complete; ten seconds if absent. */
  bodyMs?: number;
  /** A thrown RequestError (`respond.ts`) becomes that error; anything else a 500 without details. */
  handle(asked: BoardRequest): Promise<void>;
}

/** `own`: the server's own address; `listed`: an entry of `http.origins`, so possibly from another machine. */
export type Host = 'own' | 'listed' | 'foreign';

export interface Places {
  hostOf(request: http.IncomingMessage): Host;
  /** Returns true if the request comes from one of our pages or from no page. */
  isOwnPage(request: http.IncomingMessage): boolean;
  /** Returns the origin of a page loaded under this request's Host, or undefined for a foreign Host. */
  originOf(request: http.IncomingMessage): string | undefined;
}

/** What the gateway can do now. */
export interface Readiness {
  ready: boolean;
  channels: Record<string, ChannelStatus>;
  /** Set if there are several processes: the roles of this one, and those that no process has now. */
  roles?: { own: readonly string[]; missing: readonly string[]; detail?: string };
  workspace: { writable: boolean; detail?: string };
  /** Problems of the store for messages and answers; absent if there are none. */
  engine?: EngineHealth;
  handles: HandleState;
  /** Seconds since the oldest undelivered message was accepted; null if there is none. */
  oldestUndeliveredSeconds: number | null;
  waiting: number;
  dead: number;
  unsure: number;
}

/** What routes of features use of the Board. */
export interface BoardAt {
  readonly places: Places;
  /** The port in use. */
  readonly port: number;
  /** The parts of the protocol; `board/protocol/parts.ts` has their types. */
  readonly protocol: object;
  readiness(): Promise<Readiness>;
  /**
   * Returns the viber of `?viber=`, or the usual one.
   * @throws RequestError for an unknown viber
   */
  viberOf(url: URL): string;
  /**
   * Carries out an owner's decision about a suggestion, as the protocol's frame does.
   * @throws RequestError
   */
  decide(
    caller: Caller,
    decision: { suggestion: string; verdict: 'accept' | 'edit' | 'reject'; text?: string },
  ): Promise<object>;
}

/**
 * A WebSocket to `/ws` from an own page or no page, with a token or a cookie. The receiver answers or destroys the
 * socket.
 */
export interface BoardUpgrade {
  request: http.IncomingMessage;
  socket: Duplex;
  head: Buffer;
  who: Caller | AwaitedCaller;
}

/**
 * A route for anybody under a permitted Host: the page itself, which contains nothing private, and the exchange of a
 * login code.
 */
export interface OpenRoute {
  method: 'GET' | 'POST';
  path: string;
  handle(asked: Omit<BoardRequest, 'caller'>): Promise<void>;
}

/** Logins with a browser, and what anybody is served. */
export interface BoardDoor {
  routes: readonly BoardRoute[];
  open: readonly OpenRoute[];
  /** Returns the login of the request's cookie. */
  session(request: http.IncomingMessage): AwaitedCaller | BoardError;
  close(): void;
}

/** Everything that is loaded at the first request for the Board. */
export interface Board {
  routes: readonly BoardRoute[];
  open: readonly OpenRoute[];
  /** Absent if nobody can log in. */
  session?: BoardDoor['session'] | undefined;
  /** Absent if there are no sockets. */
  upgrade?: (asked: BoardUpgrade) => void;
  close(): Promise<void>;
}

/** A protocol error; HTTP bodies and frames both carry it as `{error: {code, message, field?}}`. */
export interface BoardError {
  status: 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 421 | 429 | 500 | 503;
  code: string;
  message: string;
  field?: string;
}
