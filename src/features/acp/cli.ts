/** Declares `viber acp`. Its code is loaded when the command runs. */
import { say } from '../../messages/messages.ts';
import type { CliCommand } from '../../runtime/contract/cli.ts';

export const acp: CliCommand = {
  about: say('commandLine.acp'),
  notes: [say('commandLine.acpNote')],
  examples: ['viber acp'],
  load: () => import('./cli/run.ts'),
};
