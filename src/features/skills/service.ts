/** Shows people the skills: what each does, whether it can be used here, and how to fix it if not. */

import { say, type Wording } from '../../messages/messages.ts';
import type { Adding } from '../../skills/add/add.ts';
import { programsOf } from '../../skills/bundle-files.ts';
import type { Skills } from '../../skills/catalog.ts';
import type { Health } from '../../skills/health.ts';
import { findSystemProgram } from '../../skills/program.ts';
import { hasSandbox } from '../../skills/sandbox.ts';
import type { Skill } from '../../skills/skill.ts';

export interface SkillView {
  name: string;
  description: string;
  kind: Skill['kind'];
  level: Skill['level'];
  file: string;
  /** Whether the model may start it by itself (`forModel`), and whether a person may call it by name (`forPeople`). */
  forModel: boolean;
  forPeople: boolean;
  /** Whether it is a readable skill with programs that can run. */
  runs: boolean;
  lacks: string[];
  isUsable: boolean;
  warnings: readonly Wording[];
  /** Instructions, one sentence each, including mere advice. */
  fixes: Wording[];
}

export interface SkillList {
  skills: SkillView[];
  /** Files that fail to load, or whose last version fails to load. */
  problems: { file: string; reason: Wording }[];
}

export type SkillAdding = Pick<Adding, 'look' | 'take' | 'drop' | 'lookForUpdates' | 'lookBeforeRemoval' | 'remove'>;

async function programsHere(skill: Skill, isSandboxed: boolean): Promise<{ runs: boolean; fix?: Wording }> {
  const names = await programsOf(skill);
  if (names.length === 0) return { runs: false };
  if (!isSandboxed) return { runs: false, fix: say('skillFiles.programsNeedSandbox') };
  const isPython = names.some((name) => name.endsWith('.py'));
  if (!isPython || findSystemProgram(['python3', 'python'])) return { runs: true };
  return { runs: false, fix: say('skillFiles.programsNeedPython') };
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

/** Finds a skill by a typed name; Telegram commands cannot contain `-`. */
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

/** Reads the folders again and lists a viber's skills; runs nothing. */
export async function listSkills(skills: Skills, health: Health, viber: string): Promise<SkillList> {
  await Promise.all([skills.start(), skills.open(viber)]);
  await skills.refresh();
  const isSandboxed = await hasSandbox();
  const views = skills.of(viber).map((skill) => viewOf(skill, health, isSandboxed));
  const problems = skills.problems(viber).map(({ file, reason }) => ({ file, reason }));
  return { skills: await Promise.all(views), problems };
}
