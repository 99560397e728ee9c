/** Resolves a token or a session to the person it acts for, with their current role. */
import type { Pairing } from '../access/pairing.ts';
import type { People, PersonConfig } from '../access/people.ts';
import { type Principal, principalText, type Role, readIdentity } from '../access/principal.ts';
import type { Address } from '../channels/channel.ts';

/** A person's account, and their direct conversation. */
export interface Account {
  channel: string;
  account: string;
  workspace?: string;
  user: string;
  name: string;
  direct?: Address;
}

export interface Speaker {
  principal: Principal;
  /** Absent while it is unknown. */
  language?: string;
  direct?: Address;
}

export interface ClientConfig {
  token: string;
  /** Defaults to the person's role, which it may not exceed, or to member without a person. */
  role?: Role;
  /** A name from `people:`. */
  person?: string;
}

export interface Speakers {
  ofAccount(account: Account): Speaker;
  /**
   * Returns the only owner, with their direct conversation if there is one; an unnamed owner if there are several or
   * none.
   */
  ofOwner(): Speaker;
  /** Returns undefined if the client's person no longer exists. */
  ofClient(name: string, client: ClientConfig): Principal | undefined;
}

const RANK: Readonly<Record<Role, number>> = { guest: 0, member: 1, owner: 2 };

const apiPrincipal = (user: string, role: Role): Principal => ({
  channel: 'api',
  account: 'api',
  user,
  role,
  via: 'api',
  name: user,
});

export function createSpeakers(options: {
  people: People;
  configured: readonly PersonConfig[];
  pairing: Pairing;
  languageOf: (principal: Principal) => string | undefined;
  /** Returns an owner's direct conversations. */
  directOf: (owner: Principal) => readonly Address[];
}): Speakers {
  const { people, configured, pairing, directOf, languageOf } = options;
  const ofIdentity = (identity: string, name: string): Principal =>
    people.resolve({ ...readIdentity(identity), account: '', via: 'api', name }).principal;

  return {
    ofAccount({ direct, ...who }) {
      const { principal } = people.resolve({ ...who, via: 'board' });
      const language = languageOf(principal);
      return { principal, ...(direct && { direct }), ...(language !== undefined && { language }) };
    },
    ofOwner() {
      const named = configured
        .filter(({ role }) => role === 'owner')
        .map(({ ids, name }) => ({ identity: ids[0], name }));
      const all = [...named, ...pairing.paired().filter(({ role }) => role === 'owner')];
      const owners = new Map<string, Principal>();
      for (const { identity, name } of all) {
        const principal = identity === undefined ? undefined : ofIdentity(identity, name);
        if (principal?.role === 'owner') owners.set(principalText(principal), principal);
      }
      const [only] = owners.values();
      if (!only || owners.size > 1) return { principal: apiPrincipal('owner', 'owner') };
      const [direct] = directOf(only);
      return { principal: only, ...(direct && { direct }) };
    },
    ofClient(name, { role, person }) {
      if (person === undefined) return apiPrincipal(name, role ?? 'member');
      const entry = configured.find((each) => each.name === person);
      const identity = entry?.ids[0];
      if (identity === undefined) return undefined;
      const principal = ofIdentity(identity, person);
      return role !== undefined && RANK[role] < RANK[principal.role] ? { ...principal, role } : principal;
    },
  };
}
