/** The areas of `en-later.ts` in German. */
import { backup } from './de/backup.ts';
import { checks } from './de/checks.ts';
import { cli } from './de/cli.ts';
import { commandLine } from './de/command-line.ts';
import { config } from './de/config.ts';
import { doctor } from './de/doctor.ts';
import { expected } from './de/expected.ts';
import { plugins } from './de/plugins.ts';
import { requests } from './de/requests.ts';
import { service } from './de/service.ts';
import { setup } from './de/setup.ts';
import { trace } from './de/trace.ts';
import type { en } from './en-later.ts';

export const de: { readonly [A in keyof typeof en]: { readonly [K in keyof (typeof en)[A]]: string } } = {
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
};
