/** `find_skill`: finds skills by words; offered if the prompt can't hold all descriptions. */
import { z } from 'zod';
import { clip } from '../../../runtime/context/turn.ts';
import { defineTool } from '../../../runtime/contract/tool.ts';
import type { SkillRun } from './run.ts';

const input = z.object({ words: z.string().min(1).max(1000) });
const LIMIT = 8;
const MAX_DESCRIPTION = 1024;

export const findSkill = defineTool({
  name: 'find_skill',
  describe: ({ find }: SkillRun) => find && 'Find skills by a few words of what is to be done, or by their names.',
  doing: 'doing.findingSkill',
  ofSkills: true,
  input,
  effect: 'read',
  async execute({ words }, { find }) {
    const skills = (find?.(words, LIMIT) ?? []).map(({ name, description }) => ({
      name,
      description: clip(description, MAX_DESCRIPTION),
    }));
    return { skills, ...(skills.length === 0 ? { note: 'No skill has any of these words: try others.' } : {}) };
  },
});
