/** Declares `viber import`. Its code is loaded when the command runs. */
import { say } from '../../messages/messages.ts';
import type { CliCommand } from '../../runtime/contract/cli.ts';

export const imports: CliCommand = {
  about: say('commandLine.import'),
  verbs: { openclaw: { takes: '[DIR]', about: say('commandLine.importOpenclaw') } },
  options: { yes: { about: say('commandLine.importYes') } },
  json: true,
  notes: [say('commandLine.importNote1')],
  examples: ['viber import openclaw', 'viber import openclaw ~/.openclaw --yes'],
  load: () => import('./cli/run.ts'),
};
