/** The name of a skill, and what its file's name says. */
import path from 'node:path';
import { UserError } from '../errors.ts';

const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/**
 * The name, when a skill may have it.
 * @throws UserError with the reason
 */
export function checkName(name: string, reserved: ReadonlySet<string>): string {
  if (!NAME.test(name) || name.length > 64) {
    throw new UserError(`name: "${name.slice(0, 80)}" is not kebab-case (a-z, 0-9 and single -, at most 64)`);
  }
  if (name in {} || [...reserved].some((tool) => tool.replaceAll('_', '-') === name)) {
    throw new UserError(`name: "${name}" is a tool of the gateway; choose another`);
  }
  return name;
}

/** `SKILL.md`: the folder it is in is the skill's own. */
export function isBundle(file: string): boolean {
  return path.basename(file).toLowerCase() === 'skill.md';
}

/** What a skill is called that does not say so itself. */
export function nameOf(file: string): string {
  return isBundle(file) ? path.basename(path.dirname(file)) : path.basename(file).replace(/\.skill\.md$/i, '');
}

/** Words as a name; undefined when nothing of one is left. */
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
 * The name of a skill. A tool must have a proper one: the model calls it by that. Bundles that are read are often named in words, and are
 * known by those words, or by their folder's.
 * @throws UserError with the reason
 */
export function nameFor(
  given: string | undefined,
  { file, reserved }: { file: string; reserved: ReadonlySet<string> },
  kind: 'tool' | 'instructions',
): { name: string; warning?: string } {
  const written = given ?? nameOf(file);
  // What looks like a path, or cannot be seen, is no name that somebody has given in good faith.
  const isAsItIs = kind === 'tool' || NAME.test(written) || /[/\\\p{Cc}\p{Cf}]/u.test(written) || written in {};
  const slug = isAsItIs ? undefined : (slugOf(written) ?? slugOf(nameOf(file)));
  if (slug === undefined) return { name: checkName(written, reserved) };
  const warning = `name: "${written.slice(0, 80)}" is not kebab-case; it is known as ${slug}`;
  return { name: checkName(slug, reserved), warning };
}
