/**
 * The commands that features add to `viber`. Each is declared in a light file beside the feature's index, so that no
 * command loads the features it has no use for.
 */
import { imports } from './imports/cli.ts';
import { jobs } from './jobs/cli.ts';
import { memory } from './memory/cli.ts';
import { skills } from './skills/cli.ts';

export const FEATURE_COMMANDS = { jobs, memory, skills, import: imports };
