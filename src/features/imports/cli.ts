/** Declares `viber import`; its code is loaded when it runs. */
import type { CliCommand } from '../../runtime/contract/cli.ts';

export const imports: CliCommand = {
  about: 'take over what another assistant has left',
  verbs: { openclaw: { takes: '[DIR]', about: 'from a state folder of OpenClaw, ~/.openclaw if none is named' } },
  options: { yes: { about: 'do it; without it, nothing is changed' } },
  json: true,
  notes: [
    'Persona (SOUL, IDENTITY, USER, AGENTS, TOOLS), memory, skills and cron jobs. It writes over nothing that somebody wrote.',
    'Secrets are named and not copied.',
  ],
  examples: ['viber import openclaw', 'viber import openclaw ~/.openclaw --yes'],
  load: () => import('./cli/run.ts'),
};
