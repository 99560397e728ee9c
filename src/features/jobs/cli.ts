/** Declares `viber jobs`; its code is loaded when it runs. */
import { channelKinds, exampleOf } from '../../channels/index.ts';
import type { CliCommand } from '../../runtime/contract/cli.ts';

const SOMEBODY = channelKinds()[0]?.examples.account ?? '';

const VERBS = {
  list: { about: 'list jobs and their next times' },
  add: {
    takes: 'NAME...',
    about: 'create a job; needs --at and --prompt',
    options: ['at', 'prompt', 'deliver', 'timezone'],
  },
  run: { takes: 'NAME...', about: 'run it now, on the running gateway' },
  pause: { takes: 'NAME...', about: 'pause it' },
  resume: { takes: 'NAME...', about: 'resume it' },
  delete: { takes: 'NAME...', about: 'delete it' },
  when: { takes: 'PHRASE...', about: 'show what a schedule in words means' },
};
export const jobs: CliCommand = {
  about: 'list, create and change scheduled jobs',
  verbs: VERBS,
  usual: 'list',
  options: {
    at: { takes: 'PHRASE', about: 'with add: when, as cron or in words' },
    prompt: { takes: 'TEXT', about: 'with add: what to do each time' },
    deliver: { takes: 'ADDRESS', about: `with add: the chat that gets the result, such as ${SOMEBODY}` },
    timezone: { takes: 'ZONE', about: 'with add: its time zone' },
  },
  json: true,
  notes: [
    `ADDRESS is ${exampleOf('account')} for a person ("viber pair" lists them), or ${exampleOf('conversation')} for a group or channel.`,
  ],
  examples: [
    'viber jobs',
    'viber jobs when "every weekday at 9"',
    'viber jobs add digest --at "weekdays at half past seven" --prompt "What is new?"',
    'viber jobs run digest',
  ],
  load: () => import('./cli/run.ts'),
};
