/** `read_skill`: reads a skill's text, even of a skill that is called as a tool, and the files that come with it. */
import { z } from 'zod';
import { UserError } from '../../../errors.ts';
import { defineTool } from '../../../runtime/contract/tool.ts';
import type { Skill } from '../../../skills/skill.ts';
import type { SkillRun } from './run.ts';

const input = z.object({
  name: z.string(),
  file: z.string().describe('one of its further files').exactOptional(),
  offset: z.int().min(0).exactOptional(),
});

/** Characters per page. */
const PAGE = 48_000;
/** The limit for a file of a skill in bytes, the same as for the skill's own text. */
const MAX_FILE = 256 * 1024;

/**
 * Returns the skill that a model means by a name.
 * @throws UserError if there isn't one
 */
export function skillNamed(skills: ReadonlyMap<string, Skill>, name: string): Skill {
  const skill = skills.get(name.trim().toLowerCase());
  if (!skill) throw new UserError(`There is no skill ${JSON.stringify(name.slice(0, 64))} here.`);
  return skill;
}

export const readSkill = defineTool({
  name: 'read_skill',
  describe:
    'Read a skill listed in <skills> before doing what it is for; with file, a further file of it. Where more is left, go on at offset = next.',
  doing: 'doing.skill',
  about: { argument: 'name', doing: 'doing.skillThis' },
  ofSkills: true,
  input,
  effect: 'read',
  async execute({ name, file, offset = 0 }, { skills, followed }: SkillRun) {
    const skill = skillNamed(skills, name);
    followed().add(skill);
    const { listFiles, readSkillFile } = await import('../../../skills/bundle-files.ts');
    if (file !== undefined && file !== '') {
      const { text, ...rest } = pageOf(await readSkillFile(skill, file, MAX_FILE), offset);
      return { name: skill.name, file, text, ...rest };
    }
    const { text, ...rest } = pageOf(skill.body, offset);
    const files = offset > 0 ? [] : (await listFiles(skill)).map((each) => ({ ...each }));
    return { name: skill.name, body: text, ...rest, ...(files.length > 0 ? { files } : {}) };
  },
});

/**
 * Returns one page: `more` counts the characters after it, which begin at `next`. Never cuts a character, nor a line
 * that fits.
 */
function pageOf(whole: string, offset: number): { text: string; more?: number; next?: number } {
  const rest = whole.slice(offset).toWellFormed();
  if (rest.length <= PAGE) return { text: rest };
  const page = rest.slice(0, PAGE);
  const line = page.lastIndexOf('\n') + 1;
  const length = line > 0 ? line : page.isWellFormed() ? PAGE : PAGE - 1;
  return { text: rest.slice(0, length), more: rest.length - length, next: offset + length };
}
