/** Servers of tools over the Model Context Protocol, which the configuration names. */
import { configOf, type Feature } from '../gateway.ts';
import { prompts } from './command.ts';
import { openedBy, serversOf } from './open.ts';

const isSetUp = (gw: { config: object }): boolean => Object.keys(configOf(gw).mcp).length > 0;

export const mcp: Feature = {
  name: 'mcp',
  isSetUp,
  commands: [prompts],
  offers: {
    when({ principal }, { tools, skills = [] }, gw) {
      // As with scripts: the owner's setup is for the people of this gateway.
      if (principal.role === 'guest') return false;
      const named = tools && [...tools, ...skills];
      return !named || Object.keys(configOf(gw).mcp).some((name) => named.some((tool) => tool.startsWith(`${name}_`)));
    },
    async tools(_order, _own, scope, gw) {
      const tools = await (await serversOf(gw)).tools(scope);
      return { tools: tools.filter(({ name }) => !gw.features.reserved.includes(name)) };
    },
  },
  async names(_vibers, at, gw) {
    const known = gw && (await openedBy(gw).connected)?.names();
    return { servers: new Map(Object.keys(configOf(at).mcp).map((name) => [name, known?.get(name)])) };
  },
  servers: async (gw) => (isSetUp(gw) ? (await serversOf(gw)).health() : []),
  async check(at) {
    return isSetUp(at) ? (await import('./check.ts')).checkServers(configOf(at)) : [];
  },
  start: (gw) => async () => (await openedBy(gw).connected)?.close(),
};
