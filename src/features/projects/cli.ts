/** Declares `viber project`. Its code is loaded when the command runs. */
import { say } from '../../messages/messages.ts';
import type { CliCommand } from '../../runtime/contract/cli.ts';

const VERBS = {
  list: { about: say('commandLine.projectList') },
  allow: { takes: 'FOLDER', options: ['network', 'worktree', 'no-worktree'], about: say('commandLine.projectAllow') },
  forbid: { takes: 'FOLDER', about: say('commandLine.projectForbid') },
};

export const project: CliCommand = {
  about: say('commandLine.project'),
  verbs: VERBS,
  usual: 'list',
  options: {
    network: { takes: 'NAME', about: say('commandLine.projectNetwork') },
    worktree: { about: say('commandLine.projectWorktree') },
    'no-worktree': { about: say('commandLine.projectNoWorktree') },
  },
  json: true,
  notes: [say('commandLine.projectNote')],
  examples: [
    'viber project allow ~/code',
    'viber project allow ~/code --network registries',
    'viber project allow ~/code --worktree',
    'viber project forbid ~/code',
  ],
  load: () => import('./cli/run.ts'),
};
