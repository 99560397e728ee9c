/**
 * Lists the readable skills for the prompt: the names of all, and as many complete descriptions as fit in a budget of
 * tokens. The task's subject decides which, rather than its latest message: the text before the conversation must not
 * change during it, so that a provider's cache holds.
 */
import { createLru } from '../../lib/lru.ts';
import { countTokens, MOST_CHARS } from '../../lib/tokens.ts';
import { clipLine } from '../../runtime/context/turn.ts';
import type { Skill, SkillLevel } from '../../skills/skill.ts';
import { type Relevance, relevanceOf } from './relevance.ts';

type ListedSkill = { name: string; description: string; level: SkillLevel };

export interface Listing {
  /** One skill per line; '' if there aren't any. */
  text: string;
  /** Whether it includes every description. */
  isWhole: boolean;
}

/** The longest description in characters, as the format allows. */
const MAX_DESCRIPTION = 1024;
/** The limit for all names together, in characters. */
const MAX_NAMES = 48_000;
const RANK: Record<SkillLevel, number> = { viber: 0, user: 1, bundled: 2 };

const listingLine = ({ name, description }: ListedSkill): string =>
  `- ${name}: ${clipLine(description, MAX_DESCRIPTION)}`;

/** @param query the subject of the task */
export function listingOf<Of extends ListedSkill>(
  skills: readonly Of[],
  query: string,
  maxTokens: number,
  relevance: Relevance<Of> = relevanceOf(skills),
): Listing {
  const all = skills.map(listingLine).join('\n');
  if (all.length <= maxTokens * MOST_CHARS && countTokens(all) <= maxTokens) return { text: all, isWhole: true };
  const fitting = new Set(relevance.rank(query));
  const others = skills.filter((skill) => !fitting.has(skill)).sort((a, b) => RANK[a.level] - RANK[b.level]);
  const told = new Set<Of>();
  let left = maxTokens;
  for (const skill of [...fitting, ...others]) {
    const cost = countTokens(`${listingLine(skill)}\n`);
    // A description is included completely or not at all, because the model would take half of it for the whole.
    if (cost > left) continue;
    left -= cost;
    told.add(skill);
    if (left < SHORTEST) break;
  }
  const rest = [...fitting, ...others].filter((skill) => !told.has(skill));
  return {
    text: [...skills.filter((skill) => told.has(skill)).map(listingLine), fittingNames(rest)].join('\n'),
    isWhole: false,
  };
}

/** The minimum of tokens per line. */
const SHORTEST = 8;

/** Lists names alphabetically; if there are too many, those that fit the task best. */
function fittingNames(skills: readonly ListedSkill[]): string {
  let length = 0;
  const names = skills.flatMap(({ name }) => {
    length += name.length + 2;
    return length <= MAX_NAMES ? [name] : [];
  });
  const more = skills.length - names.length;
  const unnamed = more > 0 ? `, and ${more} more that find_skill finds` : '';
  return `- and, by their names alone (find_skill says what each is for): ${names.sort().join(', ')}${unnamed}`;
}

const known = new WeakMap<readonly Skill[], ListingCache>();
interface ListingCache {
  relevance: Relevance<Skill>;
  listings: ReturnType<typeof createLru<Listing>>;
}
/** The number of tasks whose listings are cached, for one set of skills. */
const MAX_TASKS = 64;

/** Returns the listing of the skills offered to a run, cached per set of usable skills. */
export function listingIn(
  usable: readonly Skill[],
  offered: readonly Skill[],
  query: string,
  maxTokens: number,
): Listing {
  const { listings } = knownOf(usable);
  const key = JSON.stringify([
    query,
    maxTokens,
    offered.length === usable.length ? '' : offered.map(({ name }) => name),
  ]);
  const listing = listings.get(key) ?? listingOf(offered, query, maxTokens);
  listings.set(key, listing);
  return listing;
}

export function findAmong(
  usable: readonly Skill[],
  offered: ReadonlySet<Skill>,
  words: string,
  limit: number,
): Skill[] {
  return knownOf(usable)
    .relevance.rank(words)
    .filter((skill) => offered.has(skill))
    .slice(0, limit);
}

function knownOf(usable: readonly Skill[]): ListingCache {
  const found = known.get(usable);
  if (found) return found;
  let relevance: Relevance<Skill> | undefined;
  const made: ListingCache = {
    listings: createLru(MAX_TASKS),
    // The index is only built on first use.
    get relevance() {
      relevance ??= relevanceOf(usable);
      return relevance;
    },
  };
  known.set(usable, made);
  return made;
}
