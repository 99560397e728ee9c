/** Declares `viber skills`; its code is loaded when it runs. */
import type { CliCommand } from '../../runtime/contract/cli.ts';

const VERBS = {
  list: { takes: '[VIBER]', about: 'list skills and what each lacks' },
  add: { takes: 'SOURCE [NAME...]', about: 'add skills from elsewhere', options: ['yes'] },
  update: { takes: '[NAME...]', about: 'fetch changes from where they were added', options: ['yes'] },
  remove: { takes: 'NAME', about: 'remove one', options: ['yes'] },
};

export const skills: CliCommand = {
  about: 'list, add and remove skills',
  verbs: VERBS,
  usual: 'list',
  options: { yes: { about: 'add, update or remove without asking' } },
  json: true,
  notes: [
    'SOURCE is a folder or .zip (./it or /there/it), owner/name on GitHub (or owner/name/folder#branch), the https address of a repository or .zip, or npm:PACKAGE. NAME chooses among several skills; "all" takes all of them.',
    'Shows what it would add and asks first. Without a terminal it needs --yes. A running gateway has the skill a moment later.',
  ],
  examples: [
    'viber skills',
    'viber skills list research',
    'viber skills add anthropics/skills pdf',
    'viber skills add ./my-skill --yes',
    'viber skills update',
  ],
  exits: { 1: 'nothing was changed: nobody agreed, or it failed' },
  load: () => import('./cli/run.ts'),
};
