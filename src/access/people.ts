/** Identity links: which platform identities belong to one person, and with which rights. */
import type { Pairing } from './pairing.ts';
import { identityText, type Principal, type Role } from './principal.ts';

/** One entry of `people:` in the configuration. */
export interface PersonConfig {
  name: string;
  role: 'owner' | 'member';
  /** `telegram:1001`, `discord:2002`, `slack:T01:U03`. */
  ids: readonly string[];
}

export interface People {
  /** The principal behind an identity; `isKnown` when the configuration, a pairing or the terminal vouches for it. */
  resolve(who: Omit<Principal, 'role' | 'person'>): { principal: Principal; isKnown: boolean };
}

export function createPeople(configured: readonly PersonConfig[], pairing: Pick<Pairing, 'paired'>): People {
  const byIdentity = new Map<string, { person: string; role: Role }>();
  for (const person of configured) {
    for (const id of person.ids) byIdentity.set(id, { person: person.name, role: person.role });
  }
  return {
    resolve(who) {
      const identity = identityText(who);
      const named = byIdentity.get(identity);
      if (named) return { principal: { ...who, ...named }, isKnown: true };
      // Whoever sits at the machine's own terminal could edit every file anyway.
      if (who.channel === 'terminal' || who.channel === 'local')
        return { principal: { ...who, role: 'owner' }, isKnown: true };
      const paired = pairing.paired().find((entry) => entry.identity === identity);
      if (paired) return { principal: { ...who, role: paired.role }, isKnown: true };
      return { principal: { ...who, role: 'guest' }, isKnown: false };
    },
  };
}
