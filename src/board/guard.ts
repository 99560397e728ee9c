/**
 * Who may ask the HTTP server, decided from the head of a request alone: under which Host and Origin (a page of another site
 * must not reach it by pointing a name of its own at this machine), and with which token.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type http from 'node:http';
import { createRateLimiter } from '../access/limits.ts';

export interface Refusal {
  status: number;
  text: string;
}

/** `own`: by the address it listens on; `listed`: by one of `http.origins`, so perhaps from far away. */
export type Host = 'own' | 'listed' | 'foreign';

export interface Places {
  hostOf(request: http.IncomingMessage): Host;
  /** Whether a page may have sent it: one of ours, or no page at all. */
  isOwnPage(request: http.IncomingMessage): boolean;
}

const WILDCARD = new Set(['0.0.0.0', '::', '']);
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** How a host stands in an address: IPv6 in brackets. */
export const inAddress = (host: string): string => (host.includes(':') ? `[${host}]` : host).toLowerCase();

export function createPlaces(options: { host: string; port: number; origins: readonly string[] }): Places {
  const { host, port } = options;
  const names = ['127.0.0.1', 'localhost', '[::1]', ...(WILDCARD.has(host) ? [] : [inAddress(host)])];
  const own = new Set(names.flatMap((name) => [`${name}:${port}`, ...(port === 80 ? [name] : [])]));
  const listed = new Set<string>();
  const origins = new Set([...own].map((name) => `http://${name}`));
  for (const { protocol, hostname, host: name, port: explicit, origin } of options.origins.map((url) => new URL(url))) {
    listed.add(name);
    if (explicit === '') listed.add(`${hostname}:${DEFAULT_PORTS[protocol]}`);
    origins.add(origin);
  }
  return {
    hostOf({ headers }) {
      const name = headers.host?.toLowerCase() ?? '';
      if (own.has(name)) return 'own';
      return listed.has(name) ? 'listed' : 'foreign';
    },
    isOwnPage: ({ headers }) => headers.origin === undefined || origins.has(headers.origin.toLowerCase()),
  };
}

export interface Tokens {
  isSet: boolean;
  /** `often`: wrong, as were many before it from that address. The right one always passes, from everywhere. */
  check(request: http.IncomingMessage): 'right' | 'absent' | 'wrong' | 'often';
}

/** Wrong tokens of one address in a minute; behind a proxy everybody shares one. */
const WRONG_PER_MINUTE = 20;

export function createTokens(token: string | undefined, onOften: (address: string) => void, now = Date.now): Tokens {
  const wrong = createRateLimiter(WRONG_PER_MINUTE);
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = token === undefined ? undefined : digest(`Bearer ${token}`);
  return {
    isSet: token !== undefined,
    check({ headers, socket }) {
      const given = headers.authorization;
      if (given === undefined) return 'absent';
      if (expected !== undefined && timingSafeEqual(digest(given), expected)) return 'right';
      const address = socket.remoteAddress ?? '';
      const taken = wrong.take(address, now());
      if (taken.ok) return 'wrong';
      if (taken.first) onOften(address);
      return 'often';
    },
  };
}

/** What is wrong with the form of a request, on whichever path. */
export function wrongForm({ url = '', headers, headersDistinct }: http.IncomingMessage): Refusal | undefined {
  if (!url.startsWith('/')) return { status: 400, text: 'the target must be a path' };
  if ((headersDistinct.host?.length ?? 0) > 1) return { status: 400, text: 'more than one Host' };
  if (headers.upgrade !== undefined) return { status: 400, text: 'there is nothing to upgrade to' };
  return undefined;
}
