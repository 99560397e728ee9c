/** Checks the configured MCP servers: starts or calls each one, and lists its tools. */
import path from 'node:path';
import type { Config } from '../../config.ts';
import { silentLog } from '../../log.ts';
import { say, type Wording } from '../../messages/messages.ts';
import type { Finding } from '../../runtime/contract/finding.ts';
import { openLogins } from './auth/logins.ts';
import type { LeftOutTool } from './list.ts';
import type { SurveyedServer } from './server.ts';
import { McpServers } from './servers.ts';

export async function checkServers({ mcp }: Pick<Config, 'mcp'>, home: string): Promise<Finding[]> {
  const logins = openLogins(path.join(home, 'access'));
  const servers = new McpServers({
    servers: mcp,
    log: silentLog(),
    oauth: { logins },
    cache: path.join(home, 'cache'),
  });
  try {
    return (await servers.survey()).flatMap(ofServer);
  } finally {
    await servers.close();
  }
}

function ofServer({ name, state, tools, asking, missing, leftOut, problem }: SurveyedServer): Finding[] {
  const found = (how: Finding['state'], detail: Finding['detail']): Finding => ({ name: 'mcp', state: how, detail });
  if (state !== 'connected') return [found('wrong', problem ?? say('doctor.serverSilent', { name }))];
  const asks = asking === 0 ? 'none' : asking === tools ? 'all' : 'some';
  return [
    found(
      'ok',
      tools === 0 ? say('doctor.serverEmpty', { name }) : say('doctor.serverTools', { name, tools, asks, asking }),
    ),
    ...missing.map((tool) => found('note', say('doctor.noTool', { name, tool }))),
    ...leftOut.map((tool) => found('note', leftOutNote(name, tool))),
  ];
}

/** Says why models don't get a tool. */
export const leftOutNote = (name: string, { tool, why }: LeftOutTool): Wording =>
  say('doctor.leftOut', { name, tool, why });
