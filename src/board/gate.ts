/**
 * Decides whether a request is admitted, and as which caller. Rights come from here alone; unauthorised callers don't
 * learn what exists.
 */
import type http from 'node:http';
import { commandForAnyone } from '../lib/invocation.ts';
import type { AwaitedCaller, BoardError, Caller, Places } from '../runtime/contract/board.ts';
import { isError } from './respond.ts';
import type { ProgramToken, Tokens } from './tokens.ts';

export const FOREIGN_HOST: BoardError = {
  status: 421,
  code: 'foreign_host',
  message:
    "This gateway doesn't answer under this host name. To allow it, list its origin, for example https://viber.example.org, under http.origins in config.yaml.",
};
export const FOREIGN_PAGE: BoardError = {
  status: 403,
  code: 'foreign_origin',
  message: 'Pages of other origins may not use this; http.origins in config.yaml lists those that may.',
};
export const NOT_FOUND: BoardError = { status: 404, code: 'not_found', message: 'There is nothing here.' };
export const NO_TOKEN: BoardError = {
  status: 403,
  code: 'no_token',
  message: `Set http.token in config.yaml to use this, or log in on the Board with ${commandForAnyone('board')}.`,
};
export const WRONG_TOKEN: BoardError = {
  status: 401,
  code: 'unauthorized',
  message: 'Send the token of http.token as "Authorization: Bearer ...".',
};
export const TOO_MANY: BoardError = {
  status: 429,
  code: 'too_many',
  message: 'Too many wrong tokens; the right one still works.',
};
const LOGGED_OUT: BoardError = {
  status: 401,
  code: 'unauthorized',
  message: `Nobody is logged in here: ${commandForAnyone('board')}, or /board in a chat with the viber, gives a link.`,
};
export const OWNERS_ONLY: BoardError = { status: 403, code: 'forbidden', message: 'Only an owner may do this.' };
const NOBODY: BoardError = { status: 401, code: 'unauthorized', message: 'This token is no longer valid.' };

export interface Gate {
  /** Returns an error for a foreign Host or origin. */
  refusal(request: http.IncomingMessage): BoardError | undefined;
  /** @param session used if the request has no token */
  enter(request: http.IncomingMessage, session: Session | undefined): Caller | BoardError;
  /** Like `enter`, for a socket, whose first frame may bring the key. */
  enterSocket(request: http.IncomingMessage, session: Session | undefined): Caller | AwaitedCaller | BoardError;
}

type Session = (request: http.IncomingMessage) => AwaitedCaller | BoardError;

/** @param closed aborted when the server stops */
export function createGate(places: Places, tokens: Tokens, closed: AbortSignal): Gate {
  /** Returns undefined if no token was sent. */
  function byToken(request: http.IncomingMessage): Caller | BoardError | undefined {
    const given = tokens.check(request);
    if (given === 'absent' || !tokens.isSet) return undefined;
    if (given === 'often') return TOO_MANY;
    return given === 'wrong' ? WRONG_TOKEN : callerOf(given, closed);
  }

  /** Trusts a cookie only from a page of exactly this origin: other ports of this machine share its cookies. */
  function byCookie(request: http.IncomingMessage, session: Session | undefined): AwaitedCaller | BoardError {
    const { headers, method } = request;
    if (headers.cookie === undefined || !session) {
      const isBrowser = headers['sec-fetch-site'] !== undefined;
      return isBrowser ? LOGGED_OUT : tokens.isSet ? WRONG_TOKEN : NO_TOKEN;
    }
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin') return FOREIGN_PAGE;
    const mustName = method !== 'GET' || headers.upgrade !== undefined;
    const isExact = headers.origin !== undefined && headers.origin.toLowerCase() === places.originOf(request);
    if ((mustName || headers.origin !== undefined) && !isExact) return FOREIGN_PAGE;
    return session(request);
  }

  return {
    refusal(request) {
      if (places.hostOf(request) === 'foreign') return FOREIGN_HOST;
      return places.isOwnPage(request) ? undefined : FOREIGN_PAGE;
    },
    enter(request, session) {
      const client = byToken(request);
      if (client) return client;
      const found = byCookie(request, session);
      if (isError(found)) return found;
      const key = request.headers['x-viber-key'];
      return found.withKey(typeof key === 'string' ? key : '');
    },
    enterSocket: (request, session) => byToken(request) ?? byCookie(request, session),
  };
}

function callerOf(program: ProgramToken, ended: AbortSignal): Caller | BoardError {
  const principal = program.principal();
  return principal ? { kind: 'client', id: program.name, principal, ended } : NOBODY;
}
