/**
 * Matches steps of a plan that a person has reworded. Invariant: a constraint isn't lost when its step is reworded,
 * wherever the step is now and whatever was added or removed beside it.
 */
export interface TitledStep {
  key: string;
  title: string;
}

/** The minimum share of common words for two titles to count as reworded. */
const ALIKE = 0.25;

/**
 * Returns the constraints for a step that isn't in the playbook. Each playbook step that is no longer in the plan
 * passes its constraints to the most similar new step. If there are equally many of both, they are matched in order.
 */
export function inheritedConstraints(
  key: string,
  plan: readonly TitledStep[],
  steps: readonly (TitledStep & { constraints: string[] })[],
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
  const [a, b] = [titleWords(one), titleWords(other)];
  return a.intersection(b).size / Math.max(1, a.union(b).size);
}

/** Leaves out the agent's name, which many steps share. */
const titleWords = (title: string): Set<string> =>
  new Set(
    title
      .replace(/^\[[^\]]*\]/, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [],
  );
