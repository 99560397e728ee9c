/** The areas that a plain chat does not need, which load with the first sentence of theirs. */
import { backup } from './en/backup.ts';
import { boardSetup } from './en/board-setup.ts';
import { checks } from './en/checks.ts';
import { cli } from './en/cli.ts';
import { commandLine } from './en/command-line.ts';
import { config } from './en/config.ts';
import { doctor } from './en/doctor.ts';
import { expected } from './en/expected.ts';
import { plugins } from './en/plugins.ts';
import { programs } from './en/programs.ts';
import { receipt } from './en/receipt.ts';
import { requests } from './en/requests.ts';
import { schedules } from './en/schedules.ts';
import { service } from './en/service.ts';
import { setup } from './en/setup.ts';
import { skillFiles } from './en/skill-files.ts';
import { trace } from './en/trace.ts';
import { why } from './en/why.ts';

export const en = {
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
} as const;
