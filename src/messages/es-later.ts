/** The areas of `en-later.ts` in Spanish. */

import type { en } from './en-later.ts';
import { backup } from './es/backup.ts';
import { boardSetup } from './es/board-setup.ts';
import { checks } from './es/checks.ts';
import { cli } from './es/cli.ts';
import { commandLine } from './es/command-line.ts';
import { config } from './es/config.ts';
import { doctor } from './es/doctor.ts';
import { expected } from './es/expected.ts';
import { plugins } from './es/plugins.ts';
import { programs } from './es/programs.ts';
import { receipt } from './es/receipt.ts';
import { requests } from './es/requests.ts';
import { schedules } from './es/schedules.ts';
import { service } from './es/service.ts';
import { setup } from './es/setup.ts';
import { skillFiles } from './es/skill-files.ts';
import { trace } from './es/trace.ts';
import { why } from './es/why.ts';

export const es: { readonly [A in keyof typeof en]: { readonly [K in keyof (typeof en)[A]]: string } } = {
  backup,
  boardSetup,
  checks,
  cli,
  commandLine,
  config,
  doctor,
  expected,
  plugins,
  programs,
  receipt,
  requests,
  schedules,
  service,
  setup,
  skillFiles,
  trace,
  why,
};
