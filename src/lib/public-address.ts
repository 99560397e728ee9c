/**
 * Decides which addresses are the public internet (promise 53). Checked on the addresses that a connection is then made
 * to, so a name that resolves differently the second time achieves nothing.
 * https://www.iana.org/assignments/iana-ipv4-special-registry,
 * https://www.iana.org/assignments/iana-ipv6-special-registry
 */
import type { LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { UserError } from '../errors.ts';

/** Resolves a name to all its addresses. Rejects as `dns.lookup` does. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

const NOT_PUBLIC_4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8',
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8',
  '168.63.129.16/32', // Azure's host agent, reachable from its machines only
  '169.254.0.0/16', // link-local, with most clouds' metadata
  '172.16.0.0/12',
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16',
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
];

/**
 * Ranges inside 2000::/3, which is all that is allocated. Everything else, including mapped and NAT64 forms, isn't
 * public.
 */
const NOT_PUBLIC_6 = [
  '2001::/23', // Teredo, benchmarks, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '3fff::/20', // documentation
];

const notPublic = blockList(NOT_PUBLIC_4, NOT_PUBLIC_6);
const allocated6 = blockList([], ['2000::/3']);

function blockList(four: readonly string[], six: readonly string[]): BlockList {
  const list = new BlockList();
  const add = (range: string, family: 'ipv4' | 'ipv6') => {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits), family);
  };
  for (const range of four) add(range, 'ipv4');
  for (const range of six) add(range, 'ipv6');
  return list;
}

/**
 * Returns whether it is one of this machine's own addresses, even a public one, or in one of its IPv6 networks, where
 * neighbours have public addresses too.
 */
function isNear(address: string, family: 'ipv4' | 'ipv6'): boolean {
  const near = new BlockList();
  for (const { address: own, family: of, cidr } of Object.values(networkInterfaces()).flatMap((each) => each ?? [])) {
    const bits = Number(cidr?.split('/')[1]);
    if (of === 'IPv6' && bits >= 48) near.addSubnet(own, bits, 'ipv6');
    else near.addAddress(own, of === 'IPv6' ? 'ipv6' : 'ipv4');
  }
  return near.check(address, family);
}

/** Returns whether an address in its usual text form is on the public internet; false for anything else. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !notPublic.check(address, 'ipv4') && !isNear(address, 'ipv4');
  if (isIP(address) !== 6 || address.includes('%')) return false;
  return allocated6.check(address, 'ipv6') && !notPublic.check(address, 'ipv6') && !isNear(address, 'ipv6');
}

/**
 * Returns a `lookup` for connections that allows only public addresses. A name with even one other address is refused
 * as a whole: the callback gets a UserError, or the resolver's own error when there is no such name.
 */
export function publicLookup(resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (!first || !addresses.every(({ address }) => isPublicAddress(address)))
          return callback(notPublicError(hostname), []);
        if (options.all) return callback(null, addresses);
        callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}

export function notPublicError(hostname: string): UserError {
  return new UserError(`${hostname.slice(0, 100)} is not a public address, so it is not fetched.`);
}

export async function resolveBySystem(hostname: string): Promise<LookupAddress[]> {
  const { lookup } = await import('node:dns/promises');
  return lookup(hostname, { all: true });
}
