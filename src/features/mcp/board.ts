/** The Board's routes for MCP servers: their state, and logins that an owner begins in a browser. */
import { requireFresh } from '../../board/fresh.ts';
import { route } from '../../board/route.ts';
import { scrub } from '../../log.ts';
import type { BoardRoute } from '../../runtime/contract/board.ts';
import { configOf, type Gateway } from '../gateway.ts';
import { loginLink, loginServer, loginServers } from './auth/chat.ts';
import { loginsOf, serversOf } from './open.ts';

export const serverRoutes = (gw: Gateway): BoardRoute[] => [
  route('GET', '/api/mcp', 'owner', async () => {
    const configured = configOf(gw).mcp;
    if (Object.keys(configured).length === 0) return { servers: [] };
    const mayLogIn = new Set(loginServers(gw).map(({ name }) => name));
    const all = (await serversOf(gw)).health();
    return {
      servers: all.map(({ problem, ...one }) => ({
        ...one,
        mayLogIn: mayLogIn.has(one.name),
        isLocal: configured[one.name]?.command !== undefined,
        ...(problem !== undefined && { problem: scrub(problem) }),
      })),
    };
  }),
  // A login with somebody else's account would send them what this viber is told.
  route('POST', '/api/mcp/:server/login', 'owner', async ({ caller, params }) => {
    requireFresh(caller);
    const { principal, direct } = caller;
    const server = loginServer(params.server ?? '', gw);
    return { url: await loginLink(server, { principal, ...(direct && { address: direct }) }, gw) };
  }),
  route('DELETE', '/api/mcp/:server/login', 'owner', async ({ caller, params }) => {
    requireFresh(caller);
    return { removed: (await loginsOf(gw)).remove(params.server ?? '') };
  }),
];
