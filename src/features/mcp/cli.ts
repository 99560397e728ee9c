/** Declares `viber mcp`; its code is loaded when it runs. */
import { say } from '../../messages/messages.ts';
import type { CliCommand } from '../../runtime/contract/cli.ts';

const VERBS = {
  list: { about: say('commandLine.mcpList') },
  add: {
    takes: 'NAME [URL-OR-COMMAND...]',
    options: ['header', 'env', 'transport'],
    about: say('commandLine.mcpAdd'),
  },
  remove: { takes: 'NAME', about: say('commandLine.mcpRemove') },
  login: { takes: 'NAME', about: say('commandLine.mcpLogin') },
};

export const mcp: CliCommand = {
  about: say('commandLine.mcp'),
  verbs: VERBS,
  usual: 'list',
  options: {
    header: { takes: 'HEADER', about: say('commandLine.mcpHeader') },
    env: { takes: 'NAMES', about: say('commandLine.mcpEnv') },
    transport: { takes: 'KIND', about: say('commandLine.mcpTransport') },
  },
  json: true,
  notes: [say('commandLine.mcpNote1')],
  examples: [
    'viber mcp add linear',
    'viber mcp add docs https://mcp.example.com/mcp --header "Authorization: Bearer a-token"',
  ],
  load: () => import('./cli/run.ts'),
};
