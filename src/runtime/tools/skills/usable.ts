/**
 * Which skills can be used here, by viber. The answer is kept as long as the set of skills is the same, and looked at again after
 * a while: programs are installed while we run.
 */
import type { Skills } from '../../../skills/catalog.ts';
import type { Health } from '../../../skills/health.ts';
import type { Skill } from '../../../skills/skill.ts';
import { oneLine } from '../../context/turn.ts';

interface Known {
  all: readonly Skill[];
  usable: readonly Skill[];
  /** Milliseconds since the epoch. */
  until: number;
}

export type Usable = (viber: string) => Promise<readonly Skill[]>;

const REMEMBER_MS = 30_000;
const MAX_LINES = 30;
const MAX_LIST = 3_000;
const MAX_LINE = 240;

export function createUsable(skills: Skills, health: Health, now: () => number = Date.now): Usable {
  const vibers = new Map<string, Known>();
  return async (viber) => {
    const all = skills.of(viber);
    const known = vibers.get(viber);
    if (known && now() < known.until && isSame(known.all, all)) return known.usable;
    const states = await Promise.all(all.map((skill) => health.of(skill)));
    const usable = all.filter((_, index) => states[index]?.isUsable);
    vibers.set(viber, { all, usable, until: now() + REMEMBER_MS });
    return usable;
  };
}

const isSame = (before: readonly Skill[], after: readonly Skill[]): boolean =>
  before.length === after.length && before.every((skill, index) => skill === after[index]);

/** The lines of the prompt, in the order given; the same for the same skills, so that provider caches hold. */
export function linesOf(skills: readonly Skill[]): string {
  const lines: string[] = [];
  let length = 0;
  for (const { name, description } of skills) {
    const line = `- ${name}: ${oneLine(description, MAX_LINE)}`;
    length += line.length + 1;
    if (lines.length >= MAX_LINES || length > MAX_LIST) break;
    lines.push(line);
  }
  const more = skills.slice(lines.length).map(({ name }) => name);
  if (more.length > 0) lines.push(`- and ${more.length} more: ${oneLine(more.join(', '), MAX_LINE)}`);
  return lines.join('\n');
}
