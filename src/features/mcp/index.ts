/** MCP (Model Context Protocol) servers, which the configuration names. */

import { mayUse } from '../../runtime/tools/asked.ts';
import { bind } from '../../runtime/tools/bind.ts';
import { configOf, type Feature } from '../gateway.ts';
import { FINISH, mcpCommand } from './auth/command.ts';
import { beginNotes, loginsBelow } from './auth/notes.ts';
import { RETURNED, readReturned } from './auth/returned.ts';
import { connectServer } from './auth/tool.ts';
import { prompts } from './command.ts';
import { loginsOf, openedBy, serversOf } from './open.ts';

const isSetUp = (gw: { config: object }): boolean => Object.keys(configOf(gw).mcp).length > 0;

export const mcp: Feature = {
  name: 'mcp',
  isSetUp,
  commands: [prompts, mcpCommand],
  conceals: {
    pattern: RETURNED,
    command: mcpCommand.name,
    async keep(text, gw) {
      const { state = '', ...returned } = readReturned(text) ?? {};
      return `${FINISH} ${(await loginsOf(gw)).keepReturned(state, returned) ?? ''}`.trim();
    },
  },
  belowWhen: { isJob: false },
  below: (entry, _outcome, messages, gw) => loginsBelow(entry, messages, gw),
  async openRoutes(gw) {
    return isSetUp(gw) ? [(await import('./auth/route.ts')).callbackRoute(gw)] : [];
  },
  offers: {
    known: [connectServer],
    when({ principal }, { tools, skills = [] }, gw) {
      // As with scripts: the owner's setup is for the people of this gateway.
      if (principal.role === 'guest') return false;
      const named = tools && [...tools, ...skills];
      return !named || Object.keys(configOf(gw).mcp).some((name) => named.some((tool) => tool.startsWith(`${name}_`)));
    },
    async tools(order, own, scope, gw) {
      beginNotes(scope.taskId, gw);
      const servers = await serversOf(gw);
      const tools = await servers.tools(scope);
      const others = tools.filter(({ name }) => !gw.features.reserved.includes(name));
      const { principal, isDirect, address, asked } = order;
      const mayLogIn = principal.role === 'owner' && isDirect === true && address && !order.job && !asked;
      if (!mayLogIn || !servers.health().some(({ needsLogin }) => needsLogin)) return { tools: others };
      const may = mayUse(own, asked);
      const connect = bind(connectServer, { gw, scope, order, own, mayUse: (name) => may({ name }) });
      return { tools: [...others, connect].filter((tool) => tool !== connect || may(tool)) };
    },
  },
  async names(_vibers, at, gw) {
    const known = gw && (await openedBy(gw).connected)?.names();
    return { servers: new Map(Object.keys(configOf(at).mcp).map((name) => [name, known?.get(name)])) };
  },
  async routes(_at, gw) {
    return (await import('./board.ts')).serverRoutes(gw);
  },
  servers: async (gw) => (isSetUp(gw) ? (await serversOf(gw)).health() : []),
  async check(at) {
    return isSetUp(at) ? (await import('./check.ts')).checkServers(configOf(at), at.home) : [];
  },
  start: (gw) => async () => (await openedBy(gw).connected)?.close(),
};
