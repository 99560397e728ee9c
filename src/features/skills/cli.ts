/** Declares `viber skills`; its code is loaded when it runs. */
import { say } from '../../messages/messages.ts';
import type { CliCommand } from '../../runtime/contract/cli.ts';

const VERBS = {
  list: { takes: '[VIBER]', about: say('commandLine.skillsList') },
  add: { takes: 'SOURCE [NAME...]', about: say('commandLine.skillsAdd'), options: ['yes'] },
  update: { takes: '[NAME...]', about: say('commandLine.skillsUpdate'), options: ['yes'] },
  remove: { takes: 'NAME', about: say('commandLine.skillsRemove'), options: ['yes'] },
};

export const skills: CliCommand = {
  about: say('commandLine.skills'),
  verbs: VERBS,
  usual: 'list',
  options: { yes: { about: say('commandLine.skillsYes') } },
  json: true,
  notes: [say('commandLine.skillsNote2'), say('commandLine.skillsNote1')],
  examples: [
    'viber skills',
    'viber skills list research',
    'viber skills add anthropics/skills pdf',
    'viber skills add ./my-skill --yes',
    'viber skills update',
  ],
  exits: { 1: say('commandLine.skillsExit1') },
  load: () => import('./cli/run.ts'),
};
