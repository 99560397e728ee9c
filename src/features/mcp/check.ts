/** Checks the configured servers of tools: each is started or called, and lists its tools. */
import type { Config } from '../../config.ts';
import { silentLog } from '../../log.ts';
import { say } from '../../messages/messages.ts';
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
  const found = (how: Finding['state'], detail: Finding['detail']): Finding => ({ name: 'mcp', state: how, detail });
  if (state !== 'connected') return [found('wrong', problem ?? say('doctor.serverSilent', { name }))];
  const asks = asking === 0 ? 'none' : asking === tools ? 'all' : 'some';
  return [
    found(
      'ok',
      tools === 0 ? say('doctor.serverEmpty', { name }) : say('doctor.serverTools', { name, tools, asks, asking }),
    ),
    ...missing.map((tool) => found('note', say('doctor.noTool', { name, tool }))),
  ];
}
