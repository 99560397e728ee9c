/**
 * Decides which skills a viber can use here. The result is cached while the set of skills stays the same, and checked
 * again after a while, because programs may be installed while we run.
 */
import type { Skills } from '../../../skills/catalog.ts';
import type { Health } from '../../../skills/health.ts';
import type { Skill } from '../../../skills/skill.ts';

interface Known {
  all: readonly Skill[];
  usable: readonly Skill[];
  /** Milliseconds since the epoch. */
  until: number;
}

export type Usable = (viber: string) => Promise<readonly Skill[]>;

const REMEMBER_MS = 30_000;

export function createUsable(skills: Skills, health: Health, now: () => number = Date.now): Usable {
  const vibers = new Map<string, Known>();
  return async (viber) => {
    const all = skills.of(viber);
    const known = vibers.get(viber);
    if (known && now() < known.until && isSame(known.all, all)) return known.usable;
    const states = await Promise.all(all.map((skill) => health.of(skill)));
    const found = all.filter((_, index) => states[index]?.isUsable);
    // Returns the same array for the same skills, so that data cached under it stays valid.
    const usable = known && isSame(known.usable, found) ? known.usable : found;
    vibers.set(viber, { all, usable, until: now() + REMEMBER_MS });
    return usable;
  };
}

const isSame = (before: readonly Skill[], after: readonly Skill[]): boolean =>
  before.length === after.length && before.every((skill, index) => skill === after[index]);
