/** Declares `viber memory`; its code is loaded when it runs. */
import { type CliCommand, OTHER_VIBER } from '../../runtime/contract/cli.ts';

const VERBS = {
  search: { takes: 'QUERY...', about: 'find these words' },
  index: { about: 'rebuild the search index' },
};

export const memory: CliCommand = {
  about: 'search what the viber remembers',
  verbs: VERBS,
  otherwise: 'search',
  inChats: /^(?:add|forget|undo|accept|edit|reject)$/,
  options: { viber: OTHER_VIBER },
  json: true,
  examples: ['viber memory search tea', 'viber memory index --viber research'],
  load: () => import('./cli/run.ts'),
};
