/** The areas of `en-later.ts` in German. */
import { backup } from './de/backup.ts';
import { boardSetup } from './de/board-setup.ts';
import { checks } from './de/checks.ts';
import { cli } from './de/cli.ts';
import { commandLine } from './de/command-line.ts';
import { config } from './de/config.ts';
import { doctor } from './de/doctor.ts';
import { expected } from './de/expected.ts';
import { plugins } from './de/plugins.ts';
import { programs } from './de/programs.ts';
import { receipt } from './de/receipt.ts';
import { requests } from './de/requests.ts';
import { schedules } from './de/schedules.ts';
import { service } from './de/service.ts';
import { setup } from './de/setup.ts';
import { skillFiles } from './de/skill-files.ts';
import { trace } from './de/trace.ts';
import { why } from './de/why.ts';
import type { en } from './en-later.ts';

export const de: { readonly [A in keyof typeof en]: { readonly [K in keyof (typeof en)[A]]: string } } = {
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
