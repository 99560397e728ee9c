/**
 * The commands that features add to `viber`. Each is declared in a light file beside the feature's index, so that no
 * command loads the features it has no use for.
 */
import type { CliCommand } from '../runtime/contract/cli.ts';
import { jobs } from './jobs/cli.ts';

export const FEATURE_COMMANDS: Readonly<Record<string, CliCommand>> = { jobs };
