/** The commands of a gateway with all of its features. */

import { commandSpecs, commandTable } from '../../src/runtime/commands/table.ts';
import { FEATURES } from './features.ts';

export const COMMANDS = commandTable(FEATURES);

/** What menus list where there are servers of tools too. */
export const LISTED = commandSpecs(COMMANDS, { mcp: { any: {} } });
