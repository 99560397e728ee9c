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
  /** The client's name, `owner` for `http.token`, or the session's ID; with a command's own ID the idempotency key. */
  id: string;
  principal: Principal;
  channel?: string;
  /** Absent: the gateway's own. */
  viber?: string;
  /** A logged-in person's, or their browser's while theirs is unknown. Programs read English. */
  language?: string;
  /** The one shown on Now. */
  direct?: Address;
  /** When this login was made, in ms, if its link was made on the machine itself. */
  atMachine?: number;
  /** Aborted when the session is revoked, its person loses the role or the server stops: sockets and streams end. */
  ended: AbortSignal;
}

/** A socket with only a cookie: its first frame must bring the key, which turns it into a caller. */
export interface AwaitedCaller {
  /** @throws RequestError to send before the socket is closed with 4401 */
  withKey(key: string): Caller;
}

export interface BoardRequest {
  request: http.IncomingMessage;
  response: http.ServerResponse;
  url: URL;
  /** Names in the route's path, decoded once; never empty, `.` or `..`, without slashes except in a `*rest`. */
  params: Readonly<Record<string, string>>;
  caller: Caller;
}

export interface BoardRoute {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `/api/tasks/:id/messages`; a last part `*rest` matches the remaining path, including slashes. */
  path: string;
  /** `owner`: everybody else gets 403. */
  asks: 'caller' | 'owner';
  /** The limit without a byte; the default is one minute. */
  silenceMs?: number;
  /** The limit for the whole body; the default is ten seconds. */
  bodyMs?: number;
  /** Writes a refusal in the form of another protocol; absent: `{error: {code, message, field}}`. */
  refusal?(fields: { code: string; message: string; field?: string }, status: number): object;
  /** A thrown RequestError (`respond.ts`) becomes that error; anything else a 500 without details. */
  handle(asked: BoardRequest): Promise<void>;
}

/** `own`: the server's own address; `listed`: an entry of `http.origins`, so possibly from another machine. */
export type Host = 'own' | 'listed' | 'foreign';

export interface Places {
  hostOf(request: http.IncomingMessage): Host;
  isOwnPage(request: http.IncomingMessage): boolean;
  originOf(request: http.IncomingMessage): string | undefined;
}

export interface Readiness {
  ready: boolean;
  channels: Record<string, ChannelStatus>;
  /** Set with several processes: the roles of this one, and those that no process has now. */
  roles?: { own: readonly string[]; missing: readonly string[]; detail?: string };
  workspace: { writable: boolean; detail?: string };
  /** Problems of the store for messages and answers. */
  engine?: EngineHealth;
  handles: HandleState;
  /** Age of the oldest undelivered message. */
  oldestUndeliveredSeconds: number | null;
  waiting: number;
  dead: number;
  unsure: number;
}

/** The running program, as far as the Board may change it. */
export interface BoardProgram {
  /** Returns the configuration in use, or the one to create. */
  configFile(): Promise<string>;
  /** Restarts in order; absent if nothing would start the program again. */
  restart?(): void;
  /**
   * Starts a chat channel with its section of the configuration. Returns false if that needs a restart.
   * @throws ConfigError if the channel can't work with it
   */
  startChat(name: string, section: unknown): Promise<boolean>;
  /** Runs a command of `viber` on the same home and returns what it prints; absent if this isn't `viber start`. */
  run?(words: readonly string[], limitMs: number): Promise<{ code: number; output: string }>;
}

/** What routes of features use of the Board. */
export interface BoardAt {
  readonly program: BoardProgram;
  readonly places: Places;
  readonly port: number;
  /** The parts of the protocol; `board/protocol/parts.ts` has their types. */
  readonly protocol: object;
  readiness(): Promise<Readiness>;
  /**
   * Returns the viber of `?viber=`, or the usual one.
   * @throws RequestError for an unknown viber
   */
  viberOf(url: URL): string;
  /** Decides about a suggestion, as the protocol's frame does. | @throws RequestError */
  decide(
    caller: Caller,
    decision: { suggestion: string; verdict: 'accept' | 'edit' | 'reject'; text?: string },
  ): Promise<object>;
}

/** A WebSocket to `/ws` with a token or a cookie, which the receiver answers or destroys. */
export interface BoardUpgrade {
  request: http.IncomingMessage;
  socket: Duplex;
  head: Buffer;
  who: Caller | AwaitedCaller;
}

/**
 * Open to anybody under a permitted Host: the page itself, which holds nothing private, and the exchange of a login
 * code.
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
  /**
   * Returns the login of the request's cookie.
   * @throws RequestError without one
   */
  session(request: http.IncomingMessage): AwaitedCaller;
  close(): void;
}

export interface Board {
  routes: readonly BoardRoute[];
  open: readonly OpenRoute[];
  /** Absent if nobody can log in. */
  session?: BoardDoor['session'] | undefined;
  /** Absent if there are no sockets. */
  upgrade?: (asked: BoardUpgrade) => void;
  close(): Promise<void>;
}
