/**
 * Decides whether a request is admitted, and as which caller. Rights come from here alone; unauthorised callers don't
 * learn what exists.
 */
import type http from 'node:http';
import { commandForAnyone } from '../lib/invocation.ts';
import { say } from '../messages/messages.ts';
import type { AwaitedCaller, BoardDoor, Caller, Places } from '../runtime/contract/board.ts';
import { RequestError } from './respond.ts';
import type { ProgramToken, Tokens } from './tokens.ts';

const foreignPage = () => new RequestError(403, 'foreign_origin', say('requests.foreignOrigin'));
export const noToken = () =>
  new RequestError(403, 'no_token', say('requests.noToken', { command: commandForAnyone('board') }));
export const wrongToken = () => new RequestError(401, 'unauthorized', say('requests.wrongToken'));
export const tooManyTokens = () => new RequestError(429, 'too_many', say('requests.wrongTokens'));
const loggedOut = () =>
  new RequestError(401, 'unauthorized', say('requests.loggedOut', { command: commandForAnyone('board') }));

/** Each method throws RequestError for a request that isn't admitted. */
export interface Gate {
  /** Refuses a foreign Host or origin. */
  checkPlace(request: http.IncomingMessage): void;
  /** @param session used if the request has no token */
  enter(request: http.IncomingMessage, session: Session | undefined): Caller;
  /** Like `enter`, for a socket, whose first frame may bring the key. */
  enterSocket(request: http.IncomingMessage, session: Session | undefined): Caller | AwaitedCaller;
}

type Session = BoardDoor['session'];

/** @param closed aborted when the server stops */
export function createGate(places: Places, tokens: Tokens, closed: AbortSignal): Gate {
  function byToken(request: http.IncomingMessage): Caller | undefined {
    const given = tokens.check(request);
    if (given === 'absent' || !tokens.isSet) return undefined;
    if (given === 'often') throw tooManyTokens();
    if (given === 'wrong') throw wrongToken();
    return callerOf(given, closed);
  }

  /** Trusts a cookie only from a page of exactly this origin: other ports of this machine share its cookies. */
  function byCookie(request: http.IncomingMessage, session: Session | undefined): AwaitedCaller {
    const { headers, method } = request;
    const site = headers['sec-fetch-site'];
    if (headers.cookie === undefined || !session) {
      if (site !== undefined) throw loggedOut();
      throw tokens.isSet ? wrongToken() : noToken();
    }
    if (site !== undefined && site !== 'same-origin') throw foreignPage();
    const mustName = method !== 'GET' || headers.upgrade !== undefined;
    const isExact = headers.origin !== undefined && headers.origin.toLowerCase() === places.originOf(request);
    if ((mustName || headers.origin !== undefined) && !isExact) throw foreignPage();
    return session(request);
  }

  return {
    checkPlace(request) {
      if (places.hostOf(request) === 'foreign')
        throw new RequestError(421, 'foreign_host', say('requests.foreignHost'));
      if (!places.isOwnPage(request)) throw foreignPage();
    },
    enter(request, session) {
      const key = request.headers['x-viber-key'];
      return byToken(request) ?? byCookie(request, session).withKey(typeof key === 'string' ? key : '');
    },
    enterSocket: (request, session) => byToken(request) ?? byCookie(request, session),
  };
}

function callerOf(program: ProgramToken, ended: AbortSignal): Caller {
  const principal = program.principal();
  if (!principal) throw new RequestError(401, 'unauthorized', say('requests.tokenGone'));
  return { kind: 'client', id: program.name, principal, ended };
}
