/** What people see of the skills and of the servers of tools: what each does, whether it can be used here, and what would mend it. */
import { silentLog } from '../../../log.ts';
import type { Adding } from '../../../skills/add/add.ts';
import { programsOf } from '../../../skills/bundle-files.ts';
import type { Skills } from '../../../skills/catalog.ts';
import type { Health } from '../../../skills/health.ts';
import { findSystemProgram } from '../../../skills/program.ts';
import { hasSandbox } from '../../../skills/sandbox.ts';
import type { Skill } from '../../../skills/skill.ts';
import type { McpHealth, SurveyedServer } from '../mcp/server.ts';
import type { McpServerSettings } from '../mcp/servers.ts';
import { SHELL } from './shell-tool.ts';

export type { SurveyedServer } from '../mcp/server.ts';
export { isNative } from '../skills.ts';

export interface SkillView {
  name: string;
  description: string;
  kind: Skill['kind'];
  level: Skill['level'];
  /** Absolute path. */
  file: string;
  /** The model may take it up by itself, and a person may call it by its name. */
  forModel: boolean;
  forPeople: boolean;
  /** It is read, and has programs beside it that can run. */
  runs: boolean;
  /** Programs and variables that it needs and that are not there. */
  lacks: string[];
  isUsable: boolean;
  /** What is not as it should be in its file. */
  warnings: readonly string[];
  /** What to do, one sentence each; also what is only advised. */
  fixes: string[];
}

export interface SkillList {
  /** By name. */
  skills: SkillView[];
  /** Files that do not load, or load no longer. */
  problems: { file: string; reason: string }[];
  servers: McpHealth[];
}

/** Skills from elsewhere. */
export type SkillAdding = Pick<Adding, 'look' | 'take' | 'drop' | 'lookForUpdates' | 'lookBeforeRemoval' | 'remove'>;

export interface SkillService {
  /** What the folders hold now; changes that have settled are seen. */
  list(viber: string): Promise<SkillList>;
  /** One by its name, as it is typed in a chat; undefined where there is none. */
  find(viber: string, name: string): Promise<SkillView | undefined>;
}

/** It runs in the sandbox, or not at all. */
export const needsSandbox = ({ level, name }: Pick<Skill, 'level' | 'name'>): boolean =>
  level === 'bundled' && name === SHELL;

/** Bundled skills that the configuration has not switched on. */
export const switchedOff = ({ shell }: { shell: 'off' | 'on' | 'network' }): string[] =>
  shell === 'off' ? [SHELL] : [];

/** Whether the programs beside a skill's text can run, and what would mend it. */
async function programsHere(skill: Skill, isSandboxed: boolean): Promise<{ runs: boolean; fix?: string }> {
  const names = await programsOf(skill);
  if (names.length === 0) return { runs: false };
  if (!isSandboxed) return { runs: false, fix: 'install bubblewrap: its programs run in a sandbox only' };
  const isPython = names.some((name) => name.endsWith('.py'));
  if (!isPython || findSystemProgram(['python3', 'python'])) return { runs: true };
  return { runs: false, fix: 'install python3 for the whole system: its programs are Python' };
}

async function viewOf(skill: Skill, health: Health, isSandboxed: boolean): Promise<SkillView> {
  const { isUsable, problems } = await health.of(skill);
  const { name, description, kind, level, file, forModel, forPeople, warnings } = skill;
  const lacks = problems.filter(({ kind: what }) => what === 'binary' || what === 'variable');
  const { runs, fix } = kind === 'tool' ? { runs: false } : await programsHere(skill, isSandboxed);
  return {
    name,
    description,
    kind,
    level,
    file,
    forModel,
    forPeople,
    warnings,
    isUsable,
    runs,
    lacks: lacks.map((problem) => problem.name),
    fixes: [...problems.map((problem) => problem.fix), ...(fix === undefined ? [] : [fix])],
  };
}

/** A skill by the name that somebody typed; on Telegram a command has no `-`. */
export async function findSkill(
  skills: Skills,
  health: Health,
  viber: string,
  typed: string,
): Promise<SkillView | undefined> {
  await Promise.all([skills.start(), skills.open(viber)]);
  const skill = skills.find(viber, typed.toLowerCase().replaceAll('_', '-'));
  return skill && viewOf(skill, health, await hasSandbox());
}

/** Reads the folders anew and says what is there for a viber; nothing is run. */
export async function listSkills(skills: Skills, health: Health, viber: string): Promise<Omit<SkillList, 'servers'>> {
  await Promise.all([skills.start(), skills.open(viber)]);
  await skills.refresh();
  const isSandboxed = await hasSandbox();
  const views = skills.of(viber).map((skill) => viewOf(skill, health, isSandboxed));
  const problems = skills.problems(viber).map(({ file, reason }) => ({ file, reason }));
  return { skills: await Promise.all(views), problems };
}

/** Connects to the servers of tools, looks at what they offer, and leaves them. Waits for each as long as a connection may take. */
export async function surveyServers(servers: Readonly<Record<string, McpServerSettings>>): Promise<SurveyedServer[]> {
  const { McpServers } = await import('../mcp/servers.ts');
  const mcp = new McpServers({ servers, log: silentLog() });
  try {
    return await mcp.survey();
  } finally {
    await mcp.close();
  }
}
