/**
 * The gateway's tools, one per line, in the order in which a model is offered them. A provider's cache holds as long as
 * the order stays. Names and arguments are part of the contract (docs/protocol.md); everything else is in the tool's
 * file.
 */
import { BUNDLED } from '../../skills/bundled-tools.ts';
import type { Tool } from '../contract/tool.ts';
import { attachArtifact, createArtifactTool } from './artifacts.ts';
import { askUser } from './ask-user.ts';
import { listFiles } from './list-files.ts';
import { listTasksTool, newTask, openTaskTool } from './own-tasks.ts';
import { readFile } from './read-file.ts';
import { readSkill } from './read-skill.ts';
import type { CoreRun, ToolRun } from './run.ts';
import { setModelTool } from './set-model.ts';
import { setTimezone } from './set-timezone.ts';
import { runSkillFile } from './skills/file-tool.ts';
import { findSkill } from './skills/find-skill.ts';
import type { SkillRun } from './skills/run.ts';
import { shellTool } from './skills/shell-tool.ts';
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

/** Tools for working with skills. */
export const SKILL_TOOLS: readonly Tool<unknown, SkillRun>[] = [readSkill, runSkillFile, findSkill];

/** The facts about a tool that are known before any run. */
type Known = Pick<
  Tool,
  'name' | 'doing' | 'about' | 'ownWords' | 'isAside' | 'ofSkills' | 'arranges' | 'like' | 'speaks'
>;

const OWN: readonly Known[] = [...CORE_TOOLS, ...SERVICE_TOOLS, ...SKILL_TOOLS];

const own = new Map(OWN.map((tool) => [tool.name, tool]));
/** Includes the bundled skills' tools, whose names are in their SKILL.md. */
const byName = new Map([
  ...own,
  ...[shellTool, ...Object.entries(BUNDLED).map(([name, tool]) => ({ ...tool, name }))].map((tool): [string, Known] => [
    tool.name,
    tool,
  ]),
]);

/** Registers a feature's tools by name. These are facts only: the gateway decides which runs are offered a tool. */
export function knowTools(tools: readonly Known[]): void {
  for (const tool of tools) {
    const other = byName.get(tool.name);
    if (other && other !== tool) throw new Error(`two tools are called ${tool.name}`);
    own.set(tool.name, tool);
    byName.set(tool.name, tool);
  }
}

/** Returns the names of the gateway's own tools, which no skill or MCP server may use. */
export const ownTools = (): readonly string[] => [...own.keys()];

export const allTools = (): readonly Known[] => [...byName.values()];

/** Returns what is known of a tool; undefined for tools of skills and servers. */
export const toolNamed = (name: string): Known | undefined => byName.get(name);
