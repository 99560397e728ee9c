/** Declares `viber board`. Its code is loaded when the command runs. */
import { say } from '../../messages/messages.ts';
import type { CliCommand } from '../../runtime/contract/cli.ts';

export const board: CliCommand = {
  about: say('commandLine.board'),
  verbs: {
    open: { about: say('commandLine.boardOpen'), options: ['no-open', 'share'] },
    sessions: { about: say('commandLine.boardSessions') },
    revoke: { takes: 'ID', about: say('commandLine.boardRevoke') },
  },
  usual: 'open',
  options: {
    'no-open': { about: say('commandLine.boardNoOpen') },
    share: { about: say('commandLine.boardShare') },
  },
  json: true,
  notes: [say('commandLine.boardNote1')],
  examples: [
    'viber board',
    'viber board --no-open',
    'viber board --share',
    'viber board sessions',
    'viber board revoke 0a1b2c3d',
  ],
  exits: { 1: say('commandLine.boardExit1') },
  load: () => import('./cli/run.ts'),
};
