/** Declares `viber memory`. Its code is loaded when the command runs. */
import { say } from '../../messages/messages.ts';
import { type CliCommand, OTHER_VIBER } from '../../runtime/contract/cli.ts';

const VERBS = {
  search: { takes: 'QUERY...', about: say('commandLine.memorySearch') },
  index: { about: say('commandLine.memoryIndex') },
};

export const memory: CliCommand = {
  about: say('commandLine.memory'),
  verbs: VERBS,
  otherwise: 'search',
  inChats: /^(?:add|forget|undo|accept|edit|reject)$/,
  options: { viber: OTHER_VIBER },
  json: true,
  examples: ['viber memory search tea', 'viber memory index --viber research'],
  load: () => import('./cli/run.ts'),
};
