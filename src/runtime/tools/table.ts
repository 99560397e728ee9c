/**
 * The tools of the gateway: one line each, in the order in which a model is offered them. A provider's cache holds as long as the order
 * stays. Names and arguments are part of the contract (docs/protocol.md); everything else stands in the file of the tool.
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

/** They work on the task alone, and need no other part of the gateway. */
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

/** They go with skills. */
export const SKILL_TOOLS: readonly Tool<unknown, SkillRun>[] = [readSkill, runSkillFile, findSkill];

/** What is known of a tool before any run. */
type Known = Pick<
  Tool,
  'name' | 'doing' | 'about' | 'ownWords' | 'isAside' | 'ofSkills' | 'arranges' | 'like' | 'speaks'
>;

const OWN: readonly Known[] = [...CORE_TOOLS, ...SERVICE_TOOLS, ...SKILL_TOOLS];

const own = new Map(OWN.map((tool) => [tool.name, tool]));
/** With those of the bundled skills, whose names stand in their SKILL.md. */
const byName = new Map([
  ...own,
  ...[shellTool, ...Object.entries(BUNDLED).map(([name, tool]) => ({ ...tool, name }))].map((tool): [string, Known] => [
    tool.name,
    tool,
  ]),
]);

/** The tools of a feature become known by name. Facts only: which runs are offered a tool is the gateway's to say. */
export function knowTools(tools: readonly Known[]): void {
  for (const tool of tools) {
    const other = byName.get(tool.name);
    if (other && other !== tool) throw new Error(`two tools are called ${tool.name}`);
    own.set(tool.name, tool);
    byName.set(tool.name, tool);
  }
}

/** The names of the gateway's own tools: no skill and no server of tools may take one. */
export const ownTools = (): readonly string[] => [...own.keys()];

export const allTools = (): readonly Known[] => [...byName.values()];

/** What is known of the tool of a name; undefined for those of skills and of servers. */
export const toolNamed = (name: string): Known | undefined => byName.get(name);
