/** The servers of a gateway, connected when one is first needed. */
import { configOf, type Gateway, perGateway } from '../gateway.ts';
import type { McpServers } from './servers.ts';

/** `connected` is absent until a server was needed. */
export const openedBy = perGateway((): { connected?: Promise<McpServers> } => ({}));

export function serversOf(gw: Gateway): Promise<McpServers> {
  const opened = openedBy(gw);
  opened.connected ??= import('./servers.ts').then(
    ({ McpServers }) => new McpServers({ servers: configOf(gw).mcp, log: gw.log }),
  );
  return opened.connected;
}
