/** The hosts that commands may reach with `network: registries`: sources of packages, by name and port. */
import type { Reach } from '../../../skills/script-proxy.ts';

export const NETWORKS = ['none', 'registries', 'all'] as const;
export type Network = (typeof NETWORKS)[number];

/** A name that begins with a dot includes every host below it. */
const HOSTS: readonly (readonly [of: string, hosts: readonly string[], port: number])[] = [
  ['npm', ['registry.npmjs.org'], 443],
  ['yarn', ['registry.yarnpkg.com', 'repo.yarnpkg.com'], 443],
  ['PyPI', ['pypi.org', 'files.pythonhosted.org'], 443],
  ['crates.io', ['crates.io', 'index.crates.io', 'static.crates.io'], 443],
  ['Go', ['proxy.golang.org', 'sum.golang.org'], 443],
  ['Debian', ['deb.debian.org', 'security.debian.org', 'ftp.debian.org'], 443],
  ['Debian', ['deb.debian.org', 'security.debian.org', 'ftp.debian.org'], 80],
  // Release files come from hosts below githubusercontent.com, whose names have changed before.
  ['GitHub', ['github.com', 'api.github.com', 'codeload.github.com', '.githubusercontent.com'], 443],
];

/** @param host in lower case */
export function isRegistry(host: string, port: number): boolean {
  return HOSTS.some(
    ([, hosts, at]) =>
      at === port && hosts.some((name) => (name.startsWith('.') ? host.endsWith(name) : host === name)),
  );
}

/** Returns what the proxy lets through; undefined for no network. */
export function reachOf(network: Network, onRefused: (place: string) => void): Reach | undefined {
  if (network === 'none') return undefined;
  return network === 'all' ? {} : { mayReach: isRegistry, onRefused };
}
