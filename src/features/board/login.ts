/**
 * Login to the Board: a code is exchanged for a cookie and a key, which are valid only together. The person must be an
 * owner, which is checked at every request; if they no longer are, the session ends, and its sockets and streams end
 * within seconds.
 */

import type http from 'node:http';
import { z } from 'zod';
import { createRateLimiter } from '../../access/limits.ts';
import { isPrivate } from '../../board/guard.ts';
import { acceptedLanguage, RequestError, readBody, sendJson } from '../../board/respond.ts';
import type { Speaker } from '../../board/speakers.ts';
import { UserError } from '../../errors.ts';
import { commandForAnyone } from '../../lib/invocation.ts';
import { expects } from '../../messages/expects.ts';
import { say } from '../../messages/messages.ts';
import type { BoardDoor, BoardRequest, BoardRoute, Caller, OpenRoute, Places } from '../../runtime/contract/board.ts';
import { isKeyOf, type Session, type Sessions } from './sessions.ts';

export interface Login {
  open: readonly OpenRoute[];
  routes: readonly BoardRoute[];
  session: BoardDoor['session'];
  /** Ends the session with its sockets and streams at once. Returns false if it doesn't exist. */
  revoke(id: string): boolean;
  close(): void;
}

export interface LoginOptions {
  sessions: Sessions;
  /** Returns the person of a login, with their current role. */
  speakerOf(session: Session): Speaker;
  /** Called when a login has ended here. Must not throw. */
  onEnded(session: string): void;
  places: Places;
  /** Part of the cookie's name, because all ports of a host share cookies. */
  port: number;
  /** Called if an address keeps guessing codes. */
  onWrongCodes: (address: string) => void;
}

const WRONG_PER_MINUTE = 20;
/** The interval for checking whether another process has revoked a session. */
const LOOK_MS = 5_000;
const COOKIE_SECONDS = 30 * 86_400;

const ended = () =>
  new RequestError(401, 'unauthorized', say('requests.loginEnded', { command: commandForAnyone('board') }));
const codeBody = z.object({ code: z.string(expects('requests.code')).min(1).max(200) });

/** The current sessions, checked periodically while there are any. */
class Present {
  readonly #options: LoginOptions;
  readonly #live = new Map<string, AbortController>();
  #looking: NodeJS.Timeout | undefined;

  constructor(options: LoginOptions) {
    this.#options = options;
  }

  callerOf(cookie: string, key: string, browser: string | undefined): Caller {
    const { sessions } = this.#options;
    const session = sessions.find(cookie, Date.now());
    if (!session) throw ended();
    if (!isKeyOf(session, key)) throw new RequestError(401, 'wrong_key', say('requests.wrongKey'));
    const { principal, direct, language = browser } = this.#options.speakerOf(session);
    if (principal.role !== 'owner') {
      this.end(session.id);
      throw ended();
    }
    sessions.touch(session, Date.now());
    const { id } = session;
    const known = {
      ...(direct && { direct }),
      ...(language !== undefined && { language }),
      ...(session.from === 'machine' && { atMachine: session.since }),
    };
    return { kind: 'session', id, principal, ...known, ended: this.#signalOf(id) };
  }

  end(id: string): boolean {
    const isGone = this.#options.sessions.revoke(id);
    this.#live.get(id)?.abort();
    this.#live.delete(id);
    this.#options.onEnded(id);
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
      const session = this.#options.sessions.get(id, Date.now());
      if (!session || this.#options.speakerOf(session).principal.role !== 'owner') this.end(id);
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
  const { sessions, places, port, onWrongCodes } = options;
  const wrong = createRateLimiter(WRONG_PER_MINUTE);
  const present = new Present(options);

  const isSecure = (request: http.IncomingMessage) => places.originOf(request)?.startsWith('https://') === true;
  const nameOf = (request: http.IncomingMessage) => `${isSecure(request) ? '__Host-' : ''}viber-${port}`;
  const cookieText = (request: http.IncomingMessage, value: string, seconds: number) =>
    `${nameOf(request)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure(request) ? '; Secure' : ''}`;

  async function trade({ request, response }: Omit<BoardRequest, 'caller'>): Promise<void> {
    const origin = places.originOf(request) ?? '';
    if (!isPrivate(origin)) throw plainHttp(port);
    const { code } = await readBody({ request, response }, codeBody);
    const traded = attempt(() => sessions.trade(code, request.headers['user-agent'] ?? '', Date.now()));
    if (!traded) throw wrongCode(request);
    response.setHeader('set-cookie', cookieText(request, traded.cookie, COOKIE_SECONDS));
    sendJson(response, 200, { key: traded.key, id: traded.session.id });
  }

  function wrongCode({ socket }: http.IncomingMessage): RequestError {
    const address = socket.remoteAddress ?? '';
    const taken = wrong.take(address, Date.now());
    if (taken.ok)
      return new RequestError(401, 'wrong_code', say('requests.wrongCode', { command: commandForAnyone('board') }));
    if (taken.first) onWrongCodes(address);
    return new RequestError(429, 'too_many', say('requests.wrongCodes'));
  }

  async function logOut({ request, response, params, caller }: BoardRequest): Promise<void> {
    const { id = '' } = params;
    if (!present.end(id)) throw new RequestError(404, 'not_found', say('requests.noLogin'));
    if (caller.id === id) response.setHeader('set-cookie', cookieText(request, '', 0));
    sendJson(response, 200, { id });
  }

  return {
    open: [{ method: 'POST', path: '/board/session', handle: trade }],
    routes: [{ method: 'DELETE', path: '/board/session/:id', asks: 'owner', handle: logOut }],
    session(request) {
      const cookie = cookieOf(request, nameOf(request));
      if (cookie === undefined) throw ended();
      return { withKey: (key) => present.callerOf(cookie, key, acceptedLanguage(request)) };
    },
    revoke: (id) => present.end(id),
    close: () => present.close(),
  };
}

/**
 * Retries, because a crash may have left the file locked for a few seconds.
 * @throws {RequestError} if it stays locked
 */
function attempt<T>(change: () => T): T {
  try {
    return change();
  } catch (error) {
    if (error instanceof UserError) throw new RequestError(503, 'busy', say('requests.loginNotSaved'));
    throw error;
  }
}

function cookieOf({ headers }: http.IncomingMessage, name: string): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const own = pairs.filter((pair) => pair.startsWith(`${name}=`));
  // If there are two cookies with this name, another site has set one of them.
  return own.length === 1 ? own[0]?.slice(name.length + 1) : undefined;
}

const plainHttp = (port: number) =>
  new RequestError(403, 'plain_http', say('requests.plainHttp', { port: String(port) }));
