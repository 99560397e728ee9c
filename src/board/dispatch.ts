/** Dispatches requests to the Board's routes; loads the Board at the first one. */
import http from 'node:http';
import type { Duplex } from 'node:stream';
import type {
  AwaitedCaller,
  Board,
  BoardError,
  BoardRequest,
  BoardRoute,
  Caller,
  OpenRoute,
} from '../runtime/contract/board.ts';
import type { Connections } from './connections.ts';
import { type Gate, NOT_FOUND, OWNERS_ONLY } from './gate.ts';
import {
  asRequestError,
  bodyIsLeft,
  DATA_HEADERS,
  errorBody,
  isError,
  JSON_TYPE,
  RequestError,
  sendError,
} from './respond.ts';
import { createRouter } from './router.ts';

const BODY_MS = 10_000;

const TOO_MANY_AT_ONCE: BoardError = {
  status: 429,
  code: 'too_many',
  message: 'You have too many requests and streams open; close one, then try again.',
};
export const INTERNAL: BoardError = { status: 500, code: 'internal', message: 'Something went wrong here.' };

export interface Dispatch {
  /** @throws {RequestError} and any error of the route */
  answer(request: http.IncomingMessage, response: http.ServerResponse, path: string): Promise<void>;
  /** Answers a refusal on the socket itself; rejects with unexpected errors. */
  upgrade(request: http.IncomingMessage, socket: Duplex, head: Buffer, wrong?: BoardError): Promise<void>;
  close(): Promise<void>;
}

export function createDispatch(
  gate: Gate,
  connections: Connections,
  load: (() => Promise<Board>) | undefined,
): Dispatch {
  let loading: Promise<Board> | undefined;
  let match: ReturnType<typeof routerOf> | undefined;

  /** Loads the Board once; after a failure the next request tries again. */
  async function board(): Promise<Board> {
    if (!load) throw asRequestError(NOT_FOUND);
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }

  async function take(request: http.IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const wrong = gate.refusal(request);
    if (wrong) throw asRequestError(wrong);
    const { session, upgrade } = await board();
    const who = gate.enterSocket(request, session);
    if (isError(who)) throw asRequestError(who);
    if (!upgrade) throw asRequestError(NOT_FOUND);
    const counted = countedIn(who, (caller) => connections.admit(caller, request.socket));
    if (isError(counted)) throw asRequestError(counted);
    if (!socket.destroyed) upgrade({ request, socket, head, who: counted });
  }

  return {
    async answer(request, response, path) {
      const wrong = gate.refusal(request);
      if (wrong) throw asRequestError(wrong);
      const { routes, open, session } = await board();
      match ??= routerOf([...routes, ...open]);
      const { method = '', url = '/' } = request;
      const found = match(method === 'HEAD' ? 'GET' : method, path);
      if (!found) throw asRequestError(NOT_FOUND);
      if ('methods' in found) {
        response.setHeader('allow', found.methods.join(', '));
        throw asRequestError({ status: 405, code: 'wrong_method', message: `${found.methods.join(' or ')}.` });
      }
      const { route, params } = found;
      const asked = { request, response, params, url: new URL(`http://viber.invalid${url}`) };
      if (!('asks' in route)) {
        limitBody(request, response);
        return route.handle(asked);
      }
      const caller = gate.enter(request, session);
      if (isError(caller)) throw asRequestError(caller);
      if (route.asks === 'owner' && caller.principal.role !== 'owner') throw asRequestError(OWNERS_ONLY);
      if (!connections.admit(caller, request.socket, response)) throw asRequestError(TOO_MANY_AT_ONCE);
      await answerRoute(route, { ...asked, caller });
    },
    async upgrade(request, socket, head, wrong) {
      request.socket.setTimeout(0);
      socket.on('error', () => socket.destroy());
      try {
        if (wrong) throw asRequestError(wrong);
        await take(request, socket, head);
      } catch (error) {
        refuseSocket(socket, error instanceof RequestError ? error.error : INTERNAL);
        if (!(error instanceof RequestError)) throw error;
      }
    },
    close: async () => (await loading)?.close(),
  };
}

/** Counts a socket once its caller is known. */
function countedIn(
  who: Caller | AwaitedCaller,
  admit: (caller: Caller) => boolean,
): Caller | AwaitedCaller | BoardError {
  if ('principal' in who) return admit(who) ? who : TOO_MANY_AT_ONCE;
  return {
    withKey(key) {
      const caller = who.withKey(key);
      return isError(caller) || admit(caller) ? caller : TOO_MANY_AT_ONCE;
    },
  };
}

const routerOf = (routes: readonly (BoardRoute | OpenRoute)[]) => createRouter<BoardRoute | OpenRoute>(routes);

/** Sets default headers, which a route may override. */
async function answerRoute(route: BoardRoute, asked: BoardRequest): Promise<void> {
  const { request, response } = asked;
  for (const [name, value] of Object.entries(DATA_HEADERS)) response.setHeader(name, value);
  if (route.silenceMs !== undefined) request.socket.setTimeout(route.silenceMs);
  limitBody(request, response, route.bodyMs);
  try {
    await route.handle(asked);
  } catch (error) {
    throw error instanceof RequestError ? asRequestError(error.errorIn(asked.caller.language)) : error;
  }
}

/** Ends the connection if the body does not arrive in time. */
export function limitBody(request: http.IncomingMessage, response: http.ServerResponse, ms = BODY_MS): void {
  if (!bodyIsLeft(request)) return;
  const timer = setTimeout(() => {
    if (request.complete) return;
    if (response.headersSent) request.destroy();
    else sendError(response, { status: 408, code: 'too_slow', message: "The body didn't arrive in time." });
  }, ms).unref();
  response.once('close', () => clearTimeout(timer));
}

function refuseSocket(socket: Duplex, error: BoardError): void {
  const body = `${JSON.stringify(errorBody(error))}\n`;
  const headers = { ...DATA_HEADERS, 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(body) };
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}`);
  const first = `HTTP/1.1 ${error.status} ${http.STATUS_CODES[error.status] ?? ''}`;
  socket.end([first, ...lines, '', body].join('\r\n'), () => socket.destroy());
}
