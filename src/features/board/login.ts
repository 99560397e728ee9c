/**
 * Login to the Board: a code is exchanged for a cookie and a key, which are valid only together. A logged-in person
 * must be an owner, checked at every request; without that role the session ends, and its sockets and streams within
 * seconds.
 */

import type http from 'node:http';
import { z } from 'zod';
import { createRateLimiter } from '../../access/limits.ts';
import { isPrivate } from '../../board/guard.ts';
import { RequestError, readBody, sendJson } from '../../board/respond.ts';
import type { Speakers } from '../../board/speakers.ts';
import { expects } from '../../config/expects.ts';
import { UserError } from '../../errors.ts';
import { commandForAnyone } from '../../lib/invocation.ts';
import { servedBy } from '../../messages/messages.ts';
import type {
  AwaitedCaller,
  BoardError,
  BoardRequest,
  BoardRoute,
  Caller,
  OpenRoute,
  Places,
} from '../../runtime/contract/board.ts';
import { isKeyOf, type Session, type Sessions } from './sessions.ts';

export interface Login {
  open: readonly OpenRoute[];
  routes: readonly BoardRoute[];
  session(request: http.IncomingMessage): AwaitedCaller | BoardError;
  /** Ends the session and its sockets and streams at once. Returns false if it doesn't exist. */
  revoke(id: string): boolean;
  close(): void;
}

export interface LoginOptions {
  sessions: Sessions;
  speakers: Speakers;
  places: Places;
  /** Part of the cookie's name: all ports of a host share cookies. */
  port: number;
  /** Called when an address keeps guessing codes. */
  onWrongCodes: (address: string) => void;
  now?: () => number;
}

const WRONG_PER_MINUTE = 20;
/** How often to look for sessions that another process has revoked. */
const LOOK_MS = 5_000;
const COOKIE_SECONDS = 30 * 86_400;

const ENDED: BoardError = {
  status: 401,
  code: 'unauthorized',
  message: `This login has ended: ${commandForAnyone('board')}, or /board in a chat with the viber, gives a new link.`,
};
const WRONG_KEY: BoardError = {
  status: 401,
  code: 'wrong_key',
  message: 'The key in x-viber-key is not that of this login.',
};
const codeBody = z.object({ code: z.string(expects('requests.code')).min(1).max(200) });

/** Returns the first language of the browser that has a catalogue. */
const browserLanguage = ({ headers }: http.IncomingMessage): string | undefined =>
  headers['accept-language']
    ?.split(',', 10)
    .map((part) => servedBy(part.split(';')[0]?.trim()))
    .find((tag) => tag !== undefined);

/** The present sessions, checked periodically while there are any. */
class Present {
  readonly #options: LoginOptions;
  readonly #now: () => number;
  readonly #live = new Map<string, AbortController>();
  #looking: NodeJS.Timeout | undefined;

  constructor(options: LoginOptions, now: () => number) {
    this.#options = options;
    this.#now = now;
  }

  #speakerOf({ by }: Session) {
    const { speakers } = this.#options;
    return by ? speakers.ofAccount(by) : speakers.ofOwner();
  }

  callerOf(cookie: string, key: string, browser: string | undefined): Caller | BoardError {
    const { sessions } = this.#options;
    const session = sessions.find(cookie, this.#now());
    if (!session) return ENDED;
    if (!isKeyOf(session, key)) return WRONG_KEY;
    const { principal, direct, language = browser } = this.#speakerOf(session);
    if (principal.role !== 'owner') {
      this.end(session.id);
      return ENDED;
    }
    sessions.touch(session, this.#now());
    const { id } = session;
    const known = { ...(direct && { direct }), ...(language !== undefined && { language }) };
    return { kind: 'session', id, principal, ...known, ended: this.#signalOf(id) };
  }

  end(id: string): boolean {
    const isGone = this.#options.sessions.revoke(id);
    this.#live.get(id)?.abort();
    this.#live.delete(id);
    return isGone;
  }

  #signalOf(id: string): AbortSignal {
    const controller = this.#live.get(id) ?? new AbortController();
    this.#live.set(id, controller);
    this.#looking ??= setInterval(() => this.#look(), LOOK_MS).unref();
    return controller.signal;
  }

  #look(): void {
    for (const id of this.#live.keys()) {
      const session = this.#options.sessions.get(id, this.#now());
      if (!session || this.#speakerOf(session).principal.role !== 'owner') this.end(id);
    }
    if (this.#live.size > 0) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }

  close(): void {
    clearInterval(this.#looking);
    for (const controller of this.#live.values()) controller.abort();
    this.#live.clear();
  }
}

export function createLogin(options: LoginOptions): Login {
  const { sessions, places, port, onWrongCodes, now = Date.now } = options;
  const wrong = createRateLimiter(WRONG_PER_MINUTE);
  const present = new Present(options, now);

  const isSecure = (request: http.IncomingMessage) => places.originOf(request)?.startsWith('https://') === true;
  const nameOf = (request: http.IncomingMessage) => `${isSecure(request) ? '__Host-' : ''}viber-${port}`;
  const cookieText = (request: http.IncomingMessage, value: string, seconds: number) =>
    `${nameOf(request)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure(request) ? '; Secure' : ''}`;

  async function trade({ request, response }: Omit<BoardRequest, 'caller'>): Promise<void> {
    const origin = places.originOf(request) ?? '';
    if (!isPrivate(origin)) throw plainHttp(port);
    const { code } = await readBody({ request, response }, codeBody);
    const traded = attempt(() => sessions.trade(code, request.headers['user-agent'] ?? '', now()));
    if (!traded) throw wrongCode(request);
    response.setHeader('set-cookie', cookieText(request, traded.cookie, COOKIE_SECONDS));
    sendJson(response, 200, { key: traded.key, id: traded.session.id });
  }

  function wrongCode({ socket }: http.IncomingMessage): RequestError {
    const address = socket.remoteAddress ?? '';
    const taken = wrong.take(address, now());
    if (taken.ok)
      return new RequestError(
        401,
        'wrong_code',
        `This link was used already or is older than five minutes: ${commandForAnyone('board')}, or /board in a chat with the viber, gives a new one.`,
      );
    if (taken.first) onWrongCodes(address);
    return new RequestError(429, 'too_many', 'Too many wrong codes; a right one is taken at any time.');
  }

  async function logOut({ request, response, params, caller }: BoardRequest): Promise<void> {
    const { id = '' } = params;
    if (!present.end(id)) throw new RequestError(404, 'not_found', 'There is no login of that id.');
    if (caller.id === id) response.setHeader('set-cookie', cookieText(request, '', 0));
    sendJson(response, 200, { id });
  }

  return {
    open: [{ method: 'POST', path: '/board/session', handle: trade }],
    routes: [{ method: 'DELETE', path: '/board/session/:id', asks: 'owner', handle: logOut }],
    session(request) {
      const cookie = cookieOf(request, nameOf(request));
      return cookie === undefined
        ? ENDED
        : { withKey: (key) => present.callerOf(cookie, key, browserLanguage(request)) };
    },
    revoke: (id) => present.end(id),
    close: () => present.close(),
  };
}

/**
 * A crash may have left the file locked for a few seconds.
 * @throws {RequestError} if it is locked
 */
function attempt<T>(change: () => T): T {
  try {
    return change();
  } catch (error) {
    if (error instanceof UserError)
      throw new RequestError(503, 'busy', 'It cannot be written down just now; try again in a few seconds.');
    throw error;
  }
}

function cookieOf({ headers }: http.IncomingMessage, name: string): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const own = pairs.filter((pair) => pair.startsWith(`${name}=`));
  // Two cookies of one name: another site has set one of them.
  return own.length === 1 ? own[0]?.slice(name.length + 1) : undefined;
}

const plainHttp = (port: number) =>
  new RequestError(
    403,
    'plain_http',
    `Over plain http from another machine a login could be read on the way. Use a tunnel (ssh -L ${port}:127.0.0.1:${port} to the machine, then http://127.0.0.1:${port}/board/), a tailnet that serves https (tailscale serve), or a TLS proxy whose https origin stands under http.origins.`,
  );
