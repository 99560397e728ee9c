/**
 * The library refuses every endpoint at a private address. A server in its owner's own network may
 * have its authorization server there too, so the library gets placeholder names for such addresses. Invariants: only
 * for a server that has a private address itself; `reachFor` decides for each request which address may be reached.
 */

import { isIP } from 'node:net';
import { parseJson } from '../../../lib/json.ts';
import { type Resolve, resolveBySystem } from '../../../lib/public-address.ts';
import { networkZone } from './reach.ts';

/** A reserved domain that never resolves (RFC 6761). */
const STANDS_FOR = 'own-network.invalid';
/** The longest label of a domain name (RFC 1035). */
const LABEL = /.{1,62}/g;
const URLS = /https?:\/\/[^\s"'<>\\/?#]+/gi;
const NAMES = new RegExp(`https?://([0-9a-f.]+)\\.${STANDS_FOR.replace('.', '\\.')}`, 'g');

export interface Disguise {
  show<T>(value: T): T;
  reveal<T>(value: T): T;
  /** Replaces placeholders by the real addresses, so that a browser can open the link. */
  revealLink(link: URL): URL;
  /** Sends requests to the real addresses, and puts the placeholders into the responses. */
  around(send: typeof fetch): typeof fetch;
}

const PLAIN: Disguise = {
  show: (value) => value,
  reveal: (value) => value,
  revealLink: (link) => link,
  around: (send) => send,
};

export async function disguiseFor(server: URL, resolve: Resolve = resolveBySystem): Promise<Disguise> {
  if (isOfOwnNetwork(server.hostname)) return DISGUISE;
  // A name that doesn't resolve fails when it is requested.
  const found = isIP(server.hostname) ? [] : await resolve(server.hostname).catch(() => []);
  return found.length > 0 && found.every(({ address }) => isOwnZone(address)) ? DISGUISE : PLAIN;
}

const isOwnZone = (address: string): boolean => ['machine', 'network'].includes(networkZone(address));

/** Returns whether this is an address or a name of a private network. */
function isOfOwnNetwork(hostname: string): boolean {
  const host = hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.+$/, '');
  return isIP(host) ? isOwnZone(host) : /(^|\.)(localhost|local|internal)$/.test(host);
}

const nameStandingFor = ({ origin, protocol }: URL): string =>
  `${protocol}//${(Buffer.from(origin).toString('hex').match(LABEL) ?? []).join('.')}.${STANDS_FOR}`;

const showIn = (text: string): string =>
  text.replace(URLS, (origin) => {
    const url = URL.parse(origin);
    return url && isOfOwnNetwork(url.hostname) ? nameStandingFor(url) : origin;
  });

/** Applies to the library's error messages too. */
export const revealIn = (text: string): string =>
  text.replace(NAMES, (_name, hex: string) => Buffer.from(hex.replaceAll('.', ''), 'hex').toString());

function revealParams(given: URLSearchParams): URLSearchParams {
  const real = new URLSearchParams();
  for (const [name, value] of given) real.append(name, revealIn(value));
  return real;
}

const DISGUISE: Disguise = {
  show: (value) => (value === undefined ? value : JSON.parse(showIn(JSON.stringify(value)))),
  reveal: (value) => (value === undefined ? value : JSON.parse(revealIn(JSON.stringify(value)))),
  revealLink(link) {
    const real = new URL(revealIn(link.href));
    for (const [name, value] of link.searchParams) real.searchParams.set(name, revealIn(value));
    return real;
  },
  around: (send) => async (input, init) => {
    const { body } = init ?? {};
    const url = revealIn(input instanceof Request ? input.url : String(input));
    const sent =
      body instanceof URLSearchParams
        ? { body: revealParams(body) }
        : typeof body === 'string'
          ? { body: revealIn(body) }
          : {};
    const response = await send(url, { ...init, ...sent });
    const { status } = response;
    const headers = new Headers(response.headers);
    const location = headers.get('location');
    if (location !== null) headers.set('location', showIn(location));
    if (!headers.get('content-type')?.includes('json')) return new Response(response.body, { status, headers });
    const text = await response.text();
    // Parsed and written again, since JSON may escape slashes.
    const json = parseJson(text);
    return new Response(json === undefined ? text : showIn(JSON.stringify(json)), { status, headers });
  },
};
