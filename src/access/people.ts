/** People: which platform accounts belong to one person, by the configuration or by a link, and their rights. */
import { isMadeName, type Link, type Links } from './links.ts';
import { identityText, isAtMachine, type Principal, personText, type Role, readIdentity } from './principal.ts';

/** One entry of `people:` in the configuration. */
export interface PersonConfig {
  name: string;
  role: 'owner' | 'member';
  /** `telegram:1001`, `discord:2002`, `slack:T01:U03`. */
  ids: readonly string[];
}

export interface People {
  /**
   * Returns the principal behind an identity, from the configuration, then links, then pairing. `isKnown` if the
   * configuration, a pairing or the terminal vouches for it or for the account it is linked to. Everybody else is a
   * guest.
   */
  resolve(who: Omit<Principal, 'role' | 'person' | 'aliases'>): { principal: Principal; isKnown: boolean };
}

/** Derived from a list of links; rebuilt when the list changes. */
interface Index {
  of: readonly Link[];
  persons: ReadonlyMap<string, { person: string; root: string }>;
  aliases: ReadonlyMap<string, readonly string[]>;
}

/** Returns the person's names, including those of people who have since become this person. */
function allNames(person: string, aliases: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const names = new Set([personText(person)]);
  // The set grows during the iteration, and each name is visited once.
  for (const name of names) {
    if (name.startsWith(personText('')))
      for (const text of aliases.get(name.slice(personText('').length)) ?? []) names.add(text);
  }
  return [...names];
}

/** @param isAllowed returns whether the channel's `access.allow` lists somebody, which makes them a member */
export function createPeople(
  configured: readonly PersonConfig[],
  pairing: { paired(): readonly { identity: string; role: Role }[] },
  links: Pick<Links, 'links'>,
  isAllowed: (who: { channel: string; workspace?: string; user: string }) => boolean = () => false,
): People {
  const inConfig = new Map<string, { person: string; role: Role }>();
  for (const person of configured) {
    for (const id of person.ids) inConfig.set(id, { person: person.name, role: person.role });
  }
  let index = buildIndex([]);

  function buildIndex(of: readonly Link[]): Index {
    const persons = new Map<string, { person: string; root: string }>();
    const aliases = new Map<string, Set<string>>();
    const give = (person: string, ...texts: string[]) => {
      const known = aliases.get(person) ?? new Set([personText(person)]);
      aliases.set(person, known);
      for (const text of texts) known.add(text);
    };
    for (const [identity, { person }] of inConfig) {
      persons.set(identity, { person, root: identity });
      give(person, identity);
    }
    const seen = new Set<string>();
    const live = new Set<string>();
    for (const { identity, person, to, was = [], until } of of) {
      const root = to ?? identity;
      const isOver = until !== undefined;
      if (!isOver && live.has(identity)) continue;
      if (!isOver) live.add(identity);
      const isFirst = !seen.has(identity);
      seen.add(identity);
      const named = inConfig.get(root)?.person;
      // A person who is no longer in the configuration has no name to pass on.
      if (named === undefined && !isMadeName(person)) continue;
      const own = isOver ? undefined : inConfig.get(identity)?.person;
      const whose = own ?? named ?? person;
      if (!isOver) persons.set(identity, { person: whose, root: inConfig.has(identity) ? identity : root });
      // Things that an account began before its first link belong to its first person, whatever happens later.
      if (isFirst) give(whose, identity);
      // Tasks begun under an earlier generated name still belong to them, but a configured name is never an alias.
      if (whose === (named ?? person) && isMadeName(person)) give(whose, personText(person));
      give(whose, ...was.filter(isMadeName).map(personText));
    }
    return { of, persons, aliases: new Map([...aliases.keys()].map((person) => [person, allNames(person, aliases)])) };
  }

  /** Returns the rights of an identity by itself. */
  function rightsOf(identity: string): Role | undefined {
    // A user of the machine's own terminal could edit every file anyway.
    if (isAtMachine(readIdentity(identity))) return inConfig.get(identity)?.role ?? 'owner';
    const paired = () => pairing.paired().find((entry) => entry.identity === identity)?.role;
    const listed = () => (isAllowed(readIdentity(identity)) ? 'member' : undefined);
    return inConfig.get(identity)?.role ?? paired() ?? listed();
  }

  return {
    resolve(who) {
      const identity = identityText(who);
      const list = links.links();
      if (index.of !== list) index = buildIndex(list);
      const linked = index.persons.get(identity);
      const rights = rightsOf(isAtMachine(who) || !linked ? identity : linked.root);
      const principal: Principal = { ...who, role: rights ?? 'guest' };
      if (linked) {
        principal.person = linked.person;
        principal.aliases = index.aliases.get(linked.person) ?? [];
      }
      return { principal, isKnown: rights !== undefined };
    },
  };
}
