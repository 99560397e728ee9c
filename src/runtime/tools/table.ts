/**
 * The gateway's tools, in the order in which a model is offered them; a provider's cache holds as long as the order
 * stays. Names and arguments are part of the contract (docs/protocol.md).
 */
import type { KnownTool, Tool } from '../contract/tool.ts';
import { attachArtifact, createArtifactTool } from './artifacts.ts';
import { askUser } from './ask-user.ts';
import { listFiles } from './list-files.ts';
import { listTasksTool, newTask, openTaskTool } from './own-tasks.ts';
import { readFile } from './read-file.ts';
import type { CoreRun, ToolRun } from './run.ts';
import { setModelTool } from './set-model.ts';
import { setTimezone } from './set-timezone.ts';
import { updatePlan } from './update-plan.ts';
import { useViber } from './use-viber.ts';
import { writeFile } from './write-file.ts';

/** Tools that only work on the task and need no other part of the gateway. */
export const CORE_TOOLS: readonly Tool<unknown, CoreRun>[] = [
  updatePlan,
  createArtifactTool,
  attachArtifact,
  readFile,
  writeFile,
  listFiles,
  askUser,
];

export const SERVICE_TOOLS: readonly Tool<unknown, ToolRun>[] = [
  setModelTool,
  listTasksTool,
  openTaskTool,
  newTask,
  useViber,
  setTimezone,
];

const own = new Map<string, KnownTool>([...CORE_TOOLS, ...SERVICE_TOOLS].map((tool) => [tool.name, tool]));
const byName = new Map(own);

/**
 * Registers facts about tools of features; the gateway decides which runs are offered them.
 * @param isReserved whether no skill and no server of tools may use these names
 */
export function knowTools(tools: readonly KnownTool[], isReserved = true): void {
  for (const tool of tools) {
    const other = own.get(tool.name);
    if (isReserved && other && other !== tool) throw new Error(`two tools are called ${tool.name}`);
    if (isReserved) own.set(tool.name, tool);
    byName.set(tool.name, tool);
  }
}

/** No skill or MCP server may use these names. */
export const ownTools = (): readonly string[] => [...own.keys()];

export const allTools = (): readonly KnownTool[] => [...byName.values()];

/** Returns the built-in tool; undefined for tools of skills and servers. */
export const toolNamed = (name: string): KnownTool | undefined => byName.get(name);
