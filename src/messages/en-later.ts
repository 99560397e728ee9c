/** The areas for the terminal and the configuration, which load with the first sentence of theirs. */
import { backup } from './en/backup.ts';
import { checks } from './en/checks.ts';
import { cli } from './en/cli.ts';
import { commandLine } from './en/command-line.ts';
import { config } from './en/config.ts';
import { doctor } from './en/doctor.ts';
import { expected } from './en/expected.ts';
import { plugins } from './en/plugins.ts';
import { requests } from './en/requests.ts';
import { service } from './en/service.ts';
import { setup } from './en/setup.ts';
import { trace } from './en/trace.ts';

export const en = {
  backup,
  checks,
  cli,
  commandLine,
  config,
  doctor,
  expected,
  plugins,
  requests,
  service,
  setup,
  trace,
} as const;
