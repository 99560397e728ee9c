/** `read_skill`: the text of a skill, also of one that is called as a tool, and of the files beside it, when they are needed. */
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import type { Skill } from '../../skills/skill.ts';
import { clip } from '../context/turn.ts';
import type { RuntimeTool } from '../contract/task.ts';
import { defineTool } from '../contract/tool-scope.ts';

const input = z.object({
  name: z.string(),
  file: z.string().describe('one of its further files').exactOptional(),
});

/** Characters of a skill's text, and bytes of a file beside it. */
const MAX_BODY = 48_000;
const MAX_FILE = 65_536;

export const READ_SKILL = 'read_skill';

/** The skill that a model means by a name; throws UserError. */
export function skillNamed(skills: ReadonlyMap<string, Skill>, name: string): Skill {
  const skill = skills.get(name.trim().toLowerCase());
  if (!skill) throw new UserError(`There is no skill ${JSON.stringify(name.slice(0, 64))} here.`);
  return skill;
}

/**
 * @param skills those that this run may read, by name
 * @param onRead the run has read it, and goes by it
 */
export function readSkill(skills: ReadonlyMap<string, Skill>, onRead: (skill: Skill) => void): RuntimeTool {
  return defineTool({
    name: READ_SKILL,
    description: 'Read a skill listed in <skills> before doing what it is for; with file, a further file of it.',
    input,
    effect: 'read',
    async execute({ name, file }) {
      const skill = skillNamed(skills, name);
      onRead(skill);
      const { listFiles, readSkillFile } = await import('../../skills/bundle-files.ts');
      if (file !== undefined && file !== '')
        return { name: skill.name, file, text: await readSkillFile(skill, file, MAX_FILE) };
      const files = (await listFiles(skill)).map((each) => ({ ...each }));
      return { name: skill.name, body: clip(skill.body, MAX_BODY), ...(files.length > 0 ? { files } : {}) };
    },
  });
}
