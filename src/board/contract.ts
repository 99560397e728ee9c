/** What the parts of the board are written against: who asks, and what a path answers. Types only. */
import type http from 'node:http';
import type { Duplex } from 'node:stream';
import type { Principal } from '../access/principal.ts';
import type { Address } from '../channels/channel.ts';

/** Who asks, as the guard has found it. Nothing that a client sends in a body or a frame grants a right. */
export interface Caller {
  /** `client`: a token of `http.token` or `http.clients`; `session`: somebody who has logged in on the Board. */
  kind: 'client' | 'session';
  /** The client's name, `owner` for `http.token`, or the session's id: with a command's own id the key that makes a repetition harmless. */
  id: string;
  /** On whose behalf, with the role they have now. */
  principal: Principal;
  /** The channel that its conversations are in; `api` where it is absent. */
  channel?: string;
  /** Whom it talks to unless it names another; the gateway's own where it is absent. */
  viber?: string;
  /** Where this person is written to directly, when that is known: their conversation there is the one on Now. */
  direct?: Address;
  /** Aborted when the session is revoked or its person loses the role, and when the server stops: sockets and streams end at once. */
  ended: AbortSignal;
}

/** A cookie alone is not enough on a socket: the first frame brings the key, and makes a caller of it. */
export interface AwaitedCaller {
  /** The error is to be told before the socket is closed with 4401. */
  withKey(key: string): Caller | BoardError;
}

/** A request that the guard has let in. */
export interface BoardRequest {
  request: http.IncomingMessage;
  response: http.ServerResponse;
  url: URL;
  /** What stands for the names in the route's path, decoded once; never empty, `.` or `..`, and without a slash but in a `*rest`. */
  params: Readonly<Record<string, string>>;
  caller: Caller;
}

export interface BoardRoute {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `/api/tasks/:id/messages`; a last part `*rest` takes what is left, with its slashes. */
  path: string;
  /** `owner`: anybody else gets 403. */
  asks: 'caller' | 'owner';
  /** Milliseconds without a byte after which the connection is closed; streams say more than the usual minute. */
  silenceMs?: number;
  /** Milliseconds until the body must be there; the usual ten seconds where it is absent. */
  bodyMs?: number;
  /** What it throws as a Refused (`respond.ts`) is answered as that error; anything else is a 500 without details. */
  handle(asked: BoardRequest): Promise<void>;
}

/** A WebSocket to `/ws`, from an own page or no page, by a token or with a cookie. Whoever gets it answers or destroys the socket. */
export interface BoardUpgrade {
  request: http.IncomingMessage;
  socket: Duplex;
  head: Buffer;
  who: Caller | AwaitedCaller;
}

/** What anybody gets who comes under a right Host: the page itself, which holds nothing private, and what trades a code. */
export interface OpenRoute {
  method: 'GET' | 'POST';
  path: string;
  handle(asked: Omit<BoardRequest, 'caller'>): Promise<void>;
}

/** All that is loaded at the first request for it. */
export interface Board {
  routes: readonly BoardRoute[];
  open: readonly OpenRoute[];
  /** Whoever the cookie of a request means. */
  session(request: http.IncomingMessage): AwaitedCaller | BoardError;
  /** Absent: there are no sockets. */
  upgrade?: (asked: BoardUpgrade) => void;
  close(): Promise<void>;
}

/** An error of the protocol: HTTP bodies and frames carry it alike as `{error: {code, message, field?}}`. */
export interface BoardError {
  status: 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 421 | 429 | 500 | 503;
  code: string;
  message: string;
  field?: string;
}
