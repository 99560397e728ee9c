/** Hints for failures that the sandbox causes, rather than the project. */
import { commandForAnyone } from '../../../lib/invocation.ts';
import type { Network } from './registries.ts';

/** Error messages of programs that can't resolve a name or reach an address. */
const NO_NETWORK =
  /ENOTFOUND|EAI_AGAIN|ENETUNREACH|getaddrinfo|could not resolve (?:host|proxy)|(?:temporary failure in|failure in) name resolution|name or service not known|network is unreachable|no such host|nodename nor servname|failed to lookup address|unable to access 'https?:|Could not resolve hostname|ERR_INTERNET_DISCONNECTED|dial (?:tcp|udp)/i;

/** Returns a hint for the model if the output looks like a missing network. */
export function networkHint(output: string, network: Network): string | undefined {
  if (network === 'all' || !NO_NETWORK.test(output)) return undefined;
  return network === 'none'
    ? `Commands in this project have no network. Tell the person: the owner can allow package registries with \`${commandForAnyone('project allow FOLDER --network registries')}\` and a restart, or run this command themselves.`
    : 'Commands in this project can only reach package registries, over http and https. Tell the person which host was needed; the owner can change network in projects.roots.';
}
