/** Dispatches requests to the Board's routes; loads the Board at the first one. */
import http from 'node:http';
import type { Duplex } from 'node:stream';
import { say } from '../messages/messages.ts';
import type { AwaitedCaller, Board, BoardRequest, BoardRoute, Caller, OpenRoute } from '../runtime/contract/board.ts';
import type { Connections } from './connections.ts';
import type { Gate } from './gate.ts';
import { checkForm } from './guard.ts';
import {
  acceptedLanguage,
  asRequestError,
  bodyIsLeft,
  DATA_HEADERS,
  errorFields,
  internalError,
  JSON_TYPE,
  nothingHere,
  ownersOnly,
  RequestError,
  sendError,
  tooSlow,
} from './respond.ts';
import { createRouter } from './router.ts';

const BODY_MS = 10_000;

export interface Dispatch {
  /** @throws {RequestError} and any error of the route */
  answer(request: http.IncomingMessage, response: http.ServerResponse, path: string): Promise<void>;
  /** Answers a refusal on the socket itself; rejects with unexpected errors. */
  upgrade(request: http.IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
  close(): Promise<void>;
}

export function createDispatch(
  gate: Gate,
  connections: Connections,
  load: (() => Promise<Board>) | undefined,
): Dispatch {
  let loading: Promise<Board> | undefined;
  let match: ReturnType<typeof createRouter<BoardRoute | OpenRoute>> | undefined;

  /** Loads the Board once; after a failure the next request tries again. */
  async function board(): Promise<Board> {
    if (!load) throw nothingHere();
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }

  /** Counts the caller's request or socket. */
  function count(caller: Caller, request: http.IncomingMessage, response?: http.ServerResponse): Caller {
    if (connections.admit(caller, request.socket, response)) return caller;
    throw new RequestError(429, 'too_many', say('requests.tooManyOpen'));
  }

  async function open(request: http.IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    checkForm(request);
    gate.checkPlace(request);
    const { session, upgrade } = await board();
    const who = gate.enterSocket(request, session);
    if (!upgrade) throw nothingHere();
    const counted: Caller | AwaitedCaller =
      'principal' in who ? count(who, request) : { withKey: (key) => count(who.withKey(key), request) };
    if (!socket.destroyed) upgrade({ request, socket, head, who: counted });
  }

  return {
    async answer(request, response, path) {
      gate.checkPlace(request);
      const { routes, open: openRoutes, session } = await board();
      match ??= createRouter<BoardRoute | OpenRoute>([...routes, ...openRoutes]);
      const { method = '', url = '/' } = request;
      const found = match(method === 'HEAD' ? 'GET' : method, path);
      if (!found) throw nothingHere();
      if ('methods' in found) throw wrongMethod(response, found.methods);
      const { route, params } = found;
      const asked = { request, response, params, url: new URL(`http://viber.invalid${url}`) };
      if (!('asks' in route)) {
        limitBody(request, response);
        return route.handle(asked);
      }
      await answerRoute(route, asked, () => {
        const caller = gate.enter(request, session);
        if (route.asks === 'owner' && caller.principal.role !== 'owner') throw ownersOnly();
        return count(caller, request, response);
      });
    },
    async upgrade(request, socket, head) {
      request.socket.setTimeout(0);
      socket.on('error', () => socket.destroy());
      try {
        await open(request, socket, head);
      } catch (error) {
        const refusal = asRequestError(error);
        refuseSocket(socket, refusal ?? internalError(), acceptedLanguage(request));
        if (!refusal) throw error;
      }
    },
    close: async () => (await loading)?.close(),
  };
}

export function wrongMethod(response: http.ServerResponse, methods: readonly string[]): RequestError {
  response.setHeader('allow', methods.join(', '));
  return new RequestError(405, 'wrong_method', say('requests.wrongMethod', { methods: methods.join(', ') }));
}

/** Sets default headers, which a route may override. */
async function answerRoute(route: BoardRoute, asked: Omit<BoardRequest, 'caller'>, enter: () => Caller): Promise<void> {
  const { request, response } = asked;
  let caller: Caller | undefined;
  try {
    caller = enter();
    for (const [name, value] of Object.entries(DATA_HEADERS)) response.setHeader(name, value);
    if (route.silenceMs !== undefined) request.socket.setTimeout(route.silenceMs);
    limitBody(request, response, route.bodyMs);
    await route.handle({ ...asked, caller });
  } catch (error) {
    const refusal = asRequestError(error);
    if (!refusal) throw error;
    const language = caller ? (caller.language ?? 'en') : acceptedLanguage(request);
    sendError(response, refusal, language, route.refusal);
  }
}

/** Ends the connection if the body does not arrive in time. */
export function limitBody(request: http.IncomingMessage, response: http.ServerResponse, ms = BODY_MS): void {
  if (!bodyIsLeft(request)) return;
  const timer = setTimeout(() => {
    if (request.complete) return;
    if (response.headersSent) request.destroy();
    else sendError(response, tooSlow());
  }, ms).unref();
  response.once('close', () => clearTimeout(timer));
}

function refuseSocket(socket: Duplex, error: RequestError, language: string | undefined): void {
  const body = `${JSON.stringify({ error: errorFields(error, language) })}\n`;
  const headers = { ...DATA_HEADERS, 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(body) };
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}`);
  const first = `HTTP/1.1 ${error.status} ${http.STATUS_CODES[error.status] ?? ''}`;
  socket.end([first, ...lines, '', body].join('\r\n'), () => socket.destroy());
}
