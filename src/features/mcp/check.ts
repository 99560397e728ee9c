/** Checks the configured servers of tools: each is started or called, and lists its tools. */
import type { Config } from '../../config.ts';
import { silentLog } from '../../log.ts';
import type { Finding } from '../../runtime/contract/finding.ts';
import type { SurveyedServer } from './server.ts';
import { McpServers } from './servers.ts';

/** Starts or calls each server and lists its tools. */
export async function checkServers({ mcp }: Pick<Config, 'mcp'>): Promise<Finding[]> {
  const servers = new McpServers({ servers: mcp, log: silentLog() });
  try {
    return (await servers.survey()).flatMap(ofServer);
  } finally {
    await servers.close();
  }
}

function ofServer({ name, state, tools, asking, missing, problem }: SurveyedServer): Finding[] {
  const found = (how: Finding['state'], detail: string): Finding => ({ name: 'mcp', state: how, detail });
  if (state !== 'connected') return [found('wrong', problem ?? `mcp.${name} does not answer`)];
  const asks =
    asking === 0
      ? 'none waits'
      : asking === tools
        ? 'each waits'
        : `${asking} of them ${asking === 1 ? 'waits' : 'wait'}`;
  const count = tools === 1 ? '1 tool' : `${tools} tools`;
  return [
    found('ok', tools === 0 ? `${name} answers, and has no tools` : `${name} has ${count}; ${asks} for consent`),
    ...missing.map((tool) => found('note', `mcp.${name}.tools: ${name} offers no tool "${tool}"`)),
  ];
}
