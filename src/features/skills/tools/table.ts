/** The tools for working with skills, in the order in which a model is offered them. */
import type { Tool } from '../../../runtime/contract/tool.ts';
import { findSkill } from './find-skill.ts';
import { readSkill } from './read-skill.ts';
import type { SkillRun } from './run.ts';
import { runSkillFile } from './run-file.ts';

export const SKILL_TOOLS: readonly Tool<unknown, SkillRun>[] = [readSkill, runSkillFile, findSkill];
