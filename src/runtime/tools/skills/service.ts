/** What people see of the skills and of the servers of tools: what each does, whether it can be used here, and what would mend it. */
import { silentLog } from '../../../log.ts';
import { BUNDLED } from '../../../skills/bundled-tools.ts';
import type { Skills } from '../../../skills/catalog.ts';
import type { Health } from '../../../skills/health.ts';
import type { Skill } from '../../../skills/skill.ts';
import type { McpHealth, McpServerSettings, SurveyedServer } from '../mcp/servers.ts';
import { SHELL } from './shell-tool.ts';

export type { SurveyedServer } from '../mcp/servers.ts';

export interface SkillView {
  name: string;
  description: string;
  kind: Skill['kind'];
  level: Skill['level'];
  /** Absolute path. */
  file: string;
  isUsable: boolean;
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

export interface SkillService {
  /** What the folders hold now; changes that have settled are seen. */
  list(viber: string): Promise<SkillList>;
}

/** Its work is code of ours. */
export const isNative = ({ level, name }: Pick<Skill, 'level' | 'name'>): boolean =>
  level === 'bundled' && (Object.hasOwn(BUNDLED, name) || name === SHELL);

/** It runs in the sandbox, or not at all. */
export const needsSandbox = ({ level, name }: Pick<Skill, 'level' | 'name'>): boolean =>
  level === 'bundled' && name === SHELL;

/** Bundled skills that the configuration has not switched on. */
export const switchedOff = ({ shell }: { shell: 'off' | 'on' | 'network' }): string[] =>
  shell === 'off' ? [SHELL] : [];

/** Reads the folders anew and says what is there for a viber; nothing is run. */
export async function listSkills(skills: Skills, health: Health, viber: string): Promise<Omit<SkillList, 'servers'>> {
  await Promise.all([skills.start(), skills.open(viber)]);
  await skills.refresh();
  const views = skills.of(viber).map(async (skill): Promise<SkillView> => {
    const { isUsable, problems } = await health.of(skill);
    const { name, description, kind, level, file } = skill;
    return { name, description, kind, level, file, isUsable, fixes: problems.map(({ fix }) => fix) };
  });
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
