/** Declares `viber board`; its code is loaded when it runs. */
import { say } from '../../messages/messages.ts';
import type { CliCommand } from '../../runtime/contract/cli.ts';

export const board: CliCommand = {
  about: say('commandLine.board'),
  verbs: {
    open: { about: say('commandLine.boardOpen') },
    sessions: { about: say('commandLine.boardSessions') },
    revoke: { takes: 'ID', about: say('commandLine.boardRevoke') },
  },
  usual: 'open',
  options: { 'no-open': { about: say('commandLine.boardNoOpen') } },
  json: true,
  notes: [say('commandLine.boardNote1')],
  examples: ['viber board', 'viber board --no-open', 'viber board sessions', 'viber board revoke 0a1b2c3d'],
  exits: { 1: say('commandLine.boardExit1') },
  load: () => import('./cli/run.ts'),
};
