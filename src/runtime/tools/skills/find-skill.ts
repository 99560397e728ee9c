/** `find_skill`: what skills are for, by words; offered where the prompt does not hold all of it. */
import { z } from 'zod';
import type { Skill } from '../../../skills/skill.ts';
import { clip } from '../../context/turn.ts';
import type { RuntimeTool } from '../../contract/task.ts';
import { defineTool } from '../../contract/tool-scope.ts';

const input = z.object({ words: z.string().min(1).max(1000) });
const LIMIT = 8;
const MAX_DESCRIPTION = 1024;

/** @param find those that fit some words, the best first */
export function findSkill(find: (words: string, limit: number) => readonly Skill[]): RuntimeTool {
  return defineTool({
    name: 'find_skill',
    description: 'Find skills by a few words of what is to be done, or by their names.',
    input,
    effect: 'read',
    async execute({ words }) {
      const skills = find(words, LIMIT).map(({ name, description }) => ({
        ...{ name, description: clip(description, MAX_DESCRIPTION) },
      }));
      return { skills, ...(skills.length === 0 ? { note: 'No skill has any of these words: try others.' } : {}) };
    },
  });
}
