/** The rules of one .gitignore file. The last one that matches decides. */
import { matchesPattern, type Pattern, parsePattern, type Steps } from './patterns.ts';

export interface IgnoreRules {
  /** Rules that are plain names, as most are, keyed by name. */
  names: ReadonlyMap<string, readonly PatternAt[]>;
  others: readonly PatternAt[];
}

interface PatternAt {
  pattern: Pattern;
  place: number;
}

export function parseRules(text: string): IgnoreRules {
  const names = new Map<string, PatternAt[]>();
  const others: PatternAt[] = [];
  for (const [place, line] of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    const pattern = parsePattern(line);
    if (!pattern) continue;
    const [name] = pattern.segments;
    if (pattern.isAnchored || typeof name !== 'string') others.push({ pattern, place });
    else {
      const same = names.get(name);
      if (same) same.push({ pattern, place });
      else names.set(name, [{ pattern, place }]);
    }
  }
  return { names, others: others.reverse() };
}

/**
 * Returns whether the rules ignore a path, or undefined if none matches it.
 * @param path the names of the path, relative to the folder of the rules
 * @throws UserError if matching takes too long
 */
export function ignores(
  { names, others }: IgnoreRules,
  path: readonly string[],
  isFolder: boolean,
  steps: Steps,
): boolean | undefined {
  const matches = ({ pattern }: PatternAt) => matchesPattern(pattern, path, isFolder, steps);
  const byName = names.get(path.at(-1) ?? '')?.findLast(matches);
  const other = others.find(({ pattern, place }) => place > (byName?.place ?? -1) && matches({ pattern, place }));
  const decides = other ?? byName;
  return decides && !decides.pattern.isNegated;
}
