/** Declares `viber jobs`. Its code is loaded when the command runs. */

import { channelKinds, exampleOf } from '../../channels/index.ts';
import { say } from '../../messages/messages.ts';
import type { CliCommand } from '../../runtime/contract/cli.ts';

const SOMEBODY = channelKinds()[0]?.examples.account ?? '';

const VERBS = {
  list: { about: say('commandLine.jobsList') },
  add: {
    takes: 'NAME...',
    about: say('commandLine.jobsAdd'),
    options: ['at', 'prompt', 'deliver', 'timezone'],
    required: ['at', 'prompt'],
  },
  run: { takes: 'NAME...', about: say('commandLine.jobsRun') },
  pause: { takes: 'NAME...', about: say('commandLine.jobsPause') },
  resume: { takes: 'NAME...', about: say('commandLine.jobsResume') },
  delete: { takes: 'NAME...', about: say('commandLine.jobsDelete') },
  when: { takes: 'PHRASE...', about: say('commandLine.jobsWhen') },
};
export const jobs: CliCommand = {
  about: say('commandLine.jobs'),
  verbs: VERBS,
  usual: 'list',
  options: {
    at: { takes: 'PHRASE', about: say('commandLine.jobsAt') },
    prompt: { takes: 'TEXT', about: say('commandLine.jobsPrompt') },
    deliver: { takes: 'ADDRESS', about: say('commandLine.jobsDeliver', { account: SOMEBODY }) },
    timezone: { takes: 'ZONE', about: say('commandLine.jobsTimezone') },
  },
  json: true,
  notes: [say('commandLine.jobsNote1', { account: exampleOf('account'), conversation: exampleOf('conversation') })],
  examples: [
    'viber jobs',
    'viber jobs when "every weekday at 9"',
    'viber jobs add digest --at "weekdays at half past seven" --prompt "What is new?"',
    'viber jobs run digest',
  ],
  load: () => import('./cli/run.ts'),
};
