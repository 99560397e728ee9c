/** The servers of a gateway, connected when one is first needed. */
import { configOf, type Gateway, perGateway } from '../gateway.ts';
import type { Logins } from './auth/logins.ts';
import { notesOf } from './auth/notes.ts';
import type { McpServers } from './servers.ts';

/** `connected` is absent until a server is needed. */
export const openedBy = perGateway((): { connected?: Promise<McpServers> } => ({}));

export function serversOf(gw: Gateway): Promise<McpServers> {
  const opened = openedBy(gw);
  opened.connected ??= Promise.all([import('./servers.ts'), loginsOf(gw)]).then(
    ([{ McpServers }, logins]) =>
      new McpServers({
        servers: configOf(gw).mcp,
        log: gw.log,
        oauth: { logins },
        cache: gw.home.cache,
        onNeed: (taskId, server, need) => void notesOf(taskId, gw).needs.set(server, need),
      }),
  );
  return opened.connected;
}

const openedLogins = perGateway((): { logins?: Promise<Logins> } => ({}));

export function loginsOf(gw: Gateway): Promise<Logins> {
  const opened = openedLogins(gw);
  opened.logins ??= import('./auth/logins.ts').then(({ openLogins }) => openLogins(gw.home.access));
  return opened.logins;
}
