/** Conditions as plain values: their facts are compared here, without entering the feature or tool that states them. */

/** For each fact that matters, its value or a list of values. Facts that aren't named may be anything. */
export type Values<Facts> = { readonly [K in keyof Facts]?: Facts[K] | readonly Facts[K][] };

/** The facts must have the values of one of these groups. A function is for conditions that need more. */
export type When<Facts, Given extends readonly unknown[] = [Facts]> =
  | Values<Facts>
  | readonly Values<Facts>[]
  | ((...given: Given) => boolean);

/** @param given what the condition receives if it is a function */
export function holds<Facts extends object, Given extends readonly unknown[]>(
  when: When<Facts, Given>,
  facts: Facts,
  ...given: Given
): boolean {
  if (typeof when === 'function') return when(...given);
  const groups: readonly Values<Facts>[] = Array.isArray(when) ? when : [when];
  for (const group of groups) if (hasAll(group, facts)) return true;
  return false;
}

function hasAll<Facts extends object>(group: Values<Facts>, facts: Facts): boolean {
  for (const key in group) {
    const [wanted, fact]: unknown[] = [group[key], facts[key]];
    if (Array.isArray(wanted) ? !wanted.includes(fact) : wanted !== fact) return false;
  }
  return true;
}
