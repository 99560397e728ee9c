/** Declares `viber usage`; its code is loaded when it runs. */
import { say } from '../../messages/messages.ts';
import type { CliCommand } from '../../runtime/contract/cli.ts';

export const usage: CliCommand = {
  about: say('commandLine.showUsage'),
  options: { days: { takes: 'N', about: say('commandLine.usageDays') } },
  json: true,
  notes: [say('commandLine.usageNote1')],
  examples: ['viber usage', 'viber usage --days 7 --json'],
  takesHome: 'older',
  load: () => import('./cli/run.ts'),
};
