/**
 * Checks Host and Origin from a request's headers alone: a page of another site must not reach this server by pointing
 * its own name at this machine (DNS rebinding).
 */
import type http from 'node:http';
import type { BoardError, Places } from '../runtime/contract/board.ts';

export const WILDCARD = new Set(['0.0.0.0', '::', '']);
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Formats a host for a URL: IPv6 in brackets. */
export const inAddress = (host: string): string => (host.includes(':') ? `[${host}]` : host).toLowerCase();

export function createPlaces(options: { host: string; port: number; origins: readonly string[] }): Places {
  const { host, port } = options;
  const names = ['127.0.0.1', 'localhost', '[::1]', ...(WILDCARD.has(host) ? [] : [inAddress(host)])];
  const own = new Set(names.flatMap((name) => [`${name}:${port}`, ...(port === 80 ? [name] : [])]));
  const listed = new Set<string>();
  const origins = new Set([...own].map((name) => `http://${name}`));
  /** Origins by Host; if a host is listed twice, https wins. */
  const byHost = new Map([...own].map((name) => [name, `http://${name}`]));
  for (const { protocol, hostname, host: name, port: explicit, origin } of options.origins.map((url) => new URL(url))) {
    const names = explicit === '' ? [name, `${hostname}:${DEFAULT_PORTS[protocol]}`] : [name];
    for (const each of names) {
      listed.add(each);
      if (protocol === 'https:' || !byHost.has(each)) byHost.set(each, origin);
    }
    origins.add(origin);
  }
  return {
    hostOf({ headers }) {
      const name = headers.host?.toLowerCase() ?? '';
      if (own.has(name)) return 'own';
      return listed.has(name) ? 'listed' : 'foreign';
    },
    isOwnPage: ({ headers }) => headers.origin === undefined || origins.has(headers.origin.toLowerCase()),
    originOf: ({ headers }) => byHost.get(headers.host?.toLowerCase() ?? ''),
  };
}

const LOOPBACK = /^http:\/\/(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d+)?$/;

/** Returns whether traffic from a browser to this origin can't be read on the way. */
export const isPrivate = (origin: string): boolean => origin.startsWith('https://') || LOOPBACK.test(origin);

/** Returns an error if the request is malformed, whatever its path. */
export function wrongForm({ url = '', headers, headersDistinct }: http.IncomingMessage): BoardError | undefined {
  const wrong = (message: string): BoardError => ({ status: 400, code: 'bad_request', message });
  if (!url.startsWith('/')) return wrong('the target must be a path');
  for (const name of ['host', 'origin', 'authorization', 'x-viber-key', 'sec-fetch-site'])
    if ((headersDistinct[name]?.length ?? 0) > 1) return wrong(`more than one ${name === 'host' ? 'Host' : name}`);
  if (headers.upgrade !== undefined && withoutQuery(url) !== SOCKET_PATH)
    return wrong('there is nothing to upgrade to');
  return undefined;
}

export const SOCKET_PATH = '/ws';

export const withoutQuery = (url = ''): string => url.split('?', 1)[0] ?? '';
