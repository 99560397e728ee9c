/**
 * Sends the requests of a login to addresses that a server gives. A server must not lead us into a network that it
 * isn't in itself: on the public internet it may give only public addresses, over https. Invariants: addresses are
 * checked when connecting; no redirect is followed here; an answer is small and arrives soon.
 */
import type { LookupAddress } from 'node:dns';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { isPublicAddress, type Resolve, resolveBySystem } from '../../../lib/public-address.ts';

/** The network of an address: this machine, a private network, the internet, or one that is never reached. */
export type Zone = 'machine' | 'network' | 'internet' | 'nowhere';

const MAX_BYTES = 1_000_000;
const TIMEOUT_MS = 20_000;

const machine = new BlockList();
machine.addSubnet('127.0.0.0', 8, 'ipv4');
machine.addAddress('::1', 'ipv6');
const network = new BlockList();
for (const [range, bits] of [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  network.addSubnet(range, bits, 'ipv4');
network.addSubnet('fc00::', 7, 'ipv6');

export function networkZone(address: string): Zone {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(address) === 0 || address.includes('%')) return 'nowhere';
  if (machine.check(address, family)) return 'machine';
  if (isPublicAddress(address)) return 'internet';
  return network.check(address, family) ? 'network' : 'nowhere';
}

/** Thrown for an address that a server may not give. */
export class ReachError extends Error {
  override name = 'ReachError';
}

/**
 * Returns a `fetch` for the login of a configured server, whose own origin may be anywhere.
 * @param resolve replaces the system's resolver
 */
export function reachFor(server: URL, resolve: Resolve = resolveBySystem): typeof fetch {
  const zonesOfServer = async () =>
    new Set((await addressesOf(server, resolve)).map(({ address }) => networkZone(address)));
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(init?.signal ? [init.signal] : [])]);
    if (url.origin === server.origin) return withSmallBody(await fetch(url, { ...init, signal }));
    const zones = await zonesOfServer();
    const check = (address: string) => {
      const zone = networkZone(address);
      if (zone === 'nowhere' || (zone !== 'internet' && !zones.has(zone)))
        throw new ReachError(`${url.hostname.slice(0, 100)} is not an address that this server may name`);
      return zone;
    };
    const found = await addressesOf(url, resolve);
    const around = found.map(({ address }) => check(address));
    // An owner who runs a server in their network without https has its login there without https too.
    const isPlain = around.every((zone) => zone === 'machine' || (zone === 'network' && server.protocol === 'http:'));
    if (url.protocol !== 'https:' && !isPlain) throw new ReachError(`${url.host.slice(0, 100)} is given without https`);
    return sendChecked(url, { ...init, signal }, found);
  };
}

async function addressesOf(url: URL, resolve: Resolve): Promise<LookupAddress[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  const found = family === 0 ? await resolve(host) : [{ address: host, family }];
  if (found.length === 0) throw new ReachError(`${host.slice(0, 100)} has no address`);
  return found;
}

/** Connects to one of the addresses that were checked, whatever the name resolves to by now. */
async function sendChecked(url: URL, init: RequestInit, checked: readonly LookupAddress[]): Promise<Response> {
  const { method = 'GET', body, signal } = init;
  const headers = new Headers(init.headers);
  const sent = body instanceof URLSearchParams ? body.toString() : typeof body === 'string' ? body : undefined;
  if (body instanceof URLSearchParams && !headers.has('content-type'))
    headers.set('content-type', 'application/x-www-form-urlencoded');
  const lookup: LookupFunction = (_host, { all }, callback) => {
    const [first] = checked;
    if (all || !first) callback(null, [...checked]);
    else callback(null, first.address, first.family);
  };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const options = { method, headers: Object.fromEntries(headers), agent: false, lookup, ...(signal && { signal }) };
  send(url, options).on('response', resolve).on('error', reject).end(sent);
  const message = await promise;
  const status = message.statusCode ?? 0;
  const bytes = await readSmallBody(message);
  if (init.redirect === 'error' && status >= 300 && status < 400) throw new TypeError(`${url.host} redirects`);
  const given = Object.entries(message.headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, [value].flat().join(', ')]],
  );
  return new Response([101, 204, 205, 304].includes(status) ? null : bytes, { status, headers: given });
}

async function withSmallBody(response: Response): Promise<Response> {
  const { status, headers, body } = response;
  return body ? new Response(await readSmallBody(body), { status, headers }) : response;
}

async function readSmallBody(body: AsyncIterable<unknown>): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) continue;
    size += chunk.length;
    if (size > MAX_BYTES) throw new ReachError(`it sent more than ${MAX_BYTES / 1_000_000} MB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
