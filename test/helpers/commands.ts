/** The commands of a gateway with all its features. */

import { commandSpecs, commandTable } from '../../src/runtime/commands/table.ts';
import { FEATURES } from './features.ts';

export const COMMANDS = commandTable(FEATURES);

/** The commands in menus if there are tool servers and projects as well. */
export const LISTED = commandSpecs(COMMANDS, { mcp: { any: {} }, projects: { roots: ['/code'] } });
