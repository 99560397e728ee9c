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
