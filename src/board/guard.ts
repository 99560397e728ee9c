/**
 * Checks Host and Origin from a request's headers alone: a page of another site must not reach this server by pointing
 * its own name at this machine (DNS rebinding).
 */
import type http from 'node:http';
import { say, type Wording } from '../messages/messages.ts';
import type { Places } from '../runtime/contract/board.ts';
import { RequestError } from './respond.ts';

export const WILDCARD = new Set(['0.0.0.0', '::', '']);
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

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

/** @throws {RequestError} if the request is malformed, whatever its path */
export function checkForm({ url = '', headers, headersDistinct }: http.IncomingMessage): void {
  const wrong = (what: Wording) => new RequestError(400, 'bad_request', what);
  if (!url.startsWith('/')) throw wrong(say('requests.target'));
  for (const name of ['host', 'origin', 'authorization', 'x-viber-key', 'sec-fetch-site'])
    if ((headersDistinct[name]?.length ?? 0) > 1) throw wrong(say('requests.repeatedHeader', { name }));
  if (headers.upgrade !== undefined && withoutQuery(url) !== SOCKET_PATH) throw wrong(say('requests.upgrade'));
}

export const SOCKET_PATH = '/ws';

export const withoutQuery = (url = ''): string => url.split('?', 1)[0] ?? '';
