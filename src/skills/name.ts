/** Validates the name of a skill, and derives one from its file. */
import path from 'node:path';
import { UserError } from '../errors.ts';
import { say, type Wording } from '../messages/messages.ts';

const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/**
 * Returns the name if a skill may have it.
 * @throws UserError with the reason
 */
export function checkName(name: string, reserved: ReadonlySet<string>): string {
  if (!NAME.test(name) || name.length > 64) {
    throw new UserError(say('skillFiles.badName', { name: name.slice(0, 80) }));
  }
  if (name in {} || [...reserved].some((tool) => tool.replaceAll('_', '-') === name)) {
    throw new UserError(say('skillFiles.ownTool', { name }));
  }
  return name;
}

/** Returns whether it is a `SKILL.md`, whose folder is the skill's own. */
export function isBundle(file: string): boolean {
  return path.basename(file).toLowerCase() === 'skill.md';
}

export function defaultSkillName(file: string): string {
  return isBundle(file) ? path.basename(path.dirname(file)) : path.basename(file).replace(/\.skill\.md$/i, '');
}

const slugOf = (words: string): string | undefined => {
  const slug = words
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replace(/^-+|-+$/g, '');
  return /[a-z]/.test(slug) ? slug : undefined;
};

/**
 * Returns the name of a skill. A tool needs a valid one, since the model calls it by that. Bundles of instructions are
 * often named in words, and get a name made from these, or from their folder's.
 * @throws UserError with the reason
 */
export function nameFor(
  given: string | undefined,
  { file, reserved }: { file: string; reserved: ReadonlySet<string> },
  kind: 'tool' | 'instructions',
): { name: string; warning?: Wording } {
  const written = given ?? defaultSkillName(file);
  // A name that looks like a path, or has invisible characters, wasn't given in good faith.
  const isAsItIs = kind === 'tool' || NAME.test(written) || /[/\\\p{Cc}\p{Cf}]/u.test(written) || written in {};
  const slug = isAsItIs ? undefined : (slugOf(written) ?? slugOf(defaultSkillName(file)));
  if (slug === undefined) return { name: checkName(written, reserved) };
  const warning = say('skillFiles.knownAs', { name: written.slice(0, 80), slug });
  return { name: checkName(slug, reserved), warning };
}
