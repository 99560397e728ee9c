/** The commands of a gateway with all of its features. */
import { FEATURES } from '../../src/features.ts';
import { commandSpecs, commandTable } from '../../src/runtime/commands/table.ts';

export const COMMANDS = commandTable(FEATURES);

/** What menus list where there are servers of tools too. */
export const LISTED = commandSpecs(COMMANDS, { mcp: { any: {} } });
