/** The parts of a run that tools for reading and running skills get. Types only. */

import type { ToolScope } from '../../../runtime/contract/tool-scope.ts';
import type { Skill } from '../../../skills/skill.ts';

export interface SkillRun {
  readonly scope: ToolScope;
  readonly skills: ReadonlyMap<string, Skill>;
  followed(): FollowedSkills;
  /** Returns the skills that match some words, best first; absent if the prompt holds all descriptions. */
  find?(words: string, limit: number): readonly Skill[];
  /** How programs of skills run; absent if there aren't any. */
  readonly programs?: FileDeps;
}

export interface FileDeps {
  /** Returns the variables for this skill alone (`skills.env`). */
  grantedTo(skill: Skill): Readonly<Record<string, string>>;
  timeoutMs(skill: Skill): number;
  hasNetwork(skill: Skill): boolean;
  isSandboxed: boolean;
}

export interface FollowedSkills {
  add(skill: { allowedTools?: string[] }): void;
  /** Returns whether a skill that the run follows has a list without this tool. */
  isBeyond(tool: string): boolean;
}
