/** What the tools that read and run skills are handed of a run. Types only. */
import type { Skill } from '../../../skills/skill.ts';
import type { ToolScope } from '../../contract/tool-scope.ts';

export interface SkillRun {
  readonly scope: ToolScope;
  /** Those that the run may read, by name. */
  readonly skills: ReadonlyMap<string, Skill>;
  /** Those that it has read. */
  followed(): Followed;
  /** Those that fit some words, the best first; absent where the prompt holds all that is said of them. */
  find?(words: string, limit: number): readonly Skill[];
  /** How programs beside a skill's text run; absent where there are none. */
  readonly programs?: FileDeps;
}

/** How programs beside the text of skills run. */
export interface FileDeps {
  /** What a skill alone is given (`skills.env`). */
  grantedTo(skill: Skill): Readonly<Record<string, string>>;
  timeoutMs(skill: Skill): number;
  hasNetwork(skill: Skill): boolean;
  isSandboxed: boolean;
}

/** The skills that a run goes by. */
export interface Followed {
  /** The run has read it. */
  add(skill: Pick<Skill, 'allowedTools'>): void;
  /** A skill that the run follows has a list, and the tool is not on it. */
  isBeyond(tool: string): boolean;
}
