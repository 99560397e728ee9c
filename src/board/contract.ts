/** What the parts of the board are written against: who asks, and what a path answers. Types only. */
import type http from 'node:http';
import type { Principal } from '../access/principal.ts';

/** Who asks, as the guard has found it. Nothing that a client sends in a body or a frame grants a right. */
export interface Caller {
  /** `client`: a token of `http.token` or `http.clients`; `session`: somebody who has logged in on the Board. */
  kind: 'client' | 'session';
  /** The client's name, `owner` for `http.token`, or the session's id: with a command's own id the key that makes a repetition harmless. */
  id: string;
  /** On whose behalf, with the role they have now. */
  principal: Principal;
  /** Aborted when the session is revoked or the client's token is no longer valid: sockets and streams end at once. */
  ended: AbortSignal;
}

/** A request that the guard has let in. */
export interface BoardRequest {
  request: http.IncomingMessage;
  response: http.ServerResponse;
  url: URL;
  /** What stands for the names in the route's path, decoded once. */
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
  handle(asked: BoardRequest): Promise<void>;
}

/** An error of the protocol: HTTP bodies and frames carry it alike as `{error: {code, message, field?}}`. */
export interface BoardError {
  status: 400 | 401 | 403 | 404 | 409 | 413 | 421 | 429 | 503;
  code: string;
  message: string;
  field?: string;
}
