/** Declares `viber jobs`; its code is loaded when it runs. */
import { channelKinds, exampleOf } from '../../channels/index.ts';
import type { CliCommand } from '../../runtime/contract/cli.ts';

const SOMEBODY = channelKinds()[0]?.examples.account ?? '';

const VERBS = {
  list: { about: 'what is scheduled, and when it is due' },
  add: {
    takes: 'NAME...',
    about: 'make one; needs --at and --prompt',
    options: ['at', 'prompt', 'deliver', 'timezone'],
  },
  run: { takes: 'NAME...', about: 'run one now; the gateway must be running' },
  pause: { takes: 'NAME...', about: 'keep one from running' },
  resume: { takes: 'NAME...', about: 'let it run again' },
  delete: { takes: 'NAME...', about: 'remove one' },
  when: { takes: 'PHRASE...', about: 'what a schedule in words means' },
};
export const jobs: CliCommand = {
  about: 'what is scheduled',
  verbs: VERBS,
  usual: 'list',
  options: {
    at: { takes: 'PHRASE', about: 'when, for add: cron or words' },
    prompt: { takes: 'TEXT', about: 'what to do each time, for add' },
    deliver: { takes: 'ADDRESS', about: `the chat that gets the result, for add, as ${SOMEBODY}` },
    timezone: { takes: 'ZONE', about: 'where its times are meant, for add' },
  },
  json: true,
  notes: [
    `ADDRESS is a platform and a chat there, ${exampleOf('account')} for a person, or ${exampleOf('conversation')} for a group or channel; "pair" lists the people who were let in. In a chat itself you need no address: ask the viber there to do it.`,
  ],
  examples: [
    'viber jobs',
    'viber jobs when "every weekday at 9"',
    'viber jobs add digest --at "weekdays at half past seven" --prompt "What is new?"',
    'viber jobs run digest',
  ],
  load: () => import('./cli/run.ts'),
};
