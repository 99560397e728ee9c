/** Declares `viber import`; its code is loaded when it runs. */
import type { CliCommand } from '../../runtime/contract/cli.ts';

export const imports: CliCommand = {
  about: 'import from another assistant',
  verbs: { openclaw: { takes: '[DIR]', about: 'import from OpenClaw; DIR is ~/.openclaw unless you name another' } },
  options: { yes: { about: 'do it; otherwise show what it would import' } },
  json: true,
  notes: [
    'Imports the persona (SOUL, IDENTITY, USER, AGENTS, TOOLS), memory, skills and cron jobs, and overwrites nothing you wrote. Secrets are listed, not copied.',
  ],
  examples: ['viber import openclaw', 'viber import openclaw ~/.openclaw --yes'],
  load: () => import('./cli/run.ts'),
};
