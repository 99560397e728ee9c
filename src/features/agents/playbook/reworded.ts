/**
 * Steps of a plan that a person has put into other words. Invariant: a constraint is not lost by rewording its step, wherever
 * that stands now and whatever was added or taken away beside it.
 */
import type { PlaybookStep } from '../../../skills/playbook.ts';

export interface Titled {
  key: string;
  title: string;
}

/** Of the words of two titles, how many they share at least when one is the other reworded. */
const ALIKE = 0.25;

/**
 * The constraints of a step that no step of the playbook has the key of. Each step of the playbook that is not in the plan any
 * more hands its own to the step most like it; when there are as many of the one kind as of the other, in their order.
 */
export function inheritedConstraints(
  key: string,
  plan: readonly Titled[],
  steps: readonly (Titled & Pick<PlaybookStep, 'constraints'>)[],
): string[] {
  const [inPlan, inPlaybook] = [new Set(plan.map((each) => each.key)), new Set(steps.map((each) => each.key))];
  const fresh = plan.filter((each) => !inPlaybook.has(each.key));
  const lost = steps.filter((each) => !inPlan.has(each.key));
  return lost.flatMap((step, rank) => {
    const likeness = fresh.map(({ title }) => alike(title, step.title));
    const best = Math.max(0, ...likeness);
    const heir = best >= ALIKE ? fresh[likeness.indexOf(best)] : fresh.length === lost.length ? fresh[rank] : undefined;
    return heir?.key === key ? step.constraints : [];
  });
}

function alike(one: string, other: string): number {
  const [a, b] = [wordsOf(one), wordsOf(other)];
  return a.intersection(b).size / Math.max(1, a.union(b).size);
}

/** Without the agent's name: many steps share it. */
const wordsOf = (title: string): Set<string> =>
  new Set(
    title
      .replace(/^\[[^\]]*\]/, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [],
  );
