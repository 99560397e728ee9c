/** On whose behalf a token or a session speaks, and with which role, as things stand at this moment. */
import type { Pairing } from '../access/pairing.ts';
import type { People, PersonConfig } from '../access/people.ts';
import { type Principal, principalText, type Role, readIdentity } from '../access/principal.ts';
import type { Account } from '../access/sessions.ts';
import type { Address } from '../channels/channel.ts';

export interface Speaker {
  principal: Principal;
  direct?: Address;
}

export interface ClientConfig {
  token: string;
  /** Of a client that speaks for a person, at most that person's own; absent: theirs, or member. */
  role?: Role;
  /** A name of `people:`. */
  person?: string;
}

export interface Speakers {
  ofAccount(account: Account): Speaker;
  /** The only owner, in their direct messages once they have written there; where there are several or none, an owner without a name. */
  ofOwner(): Speaker;
  /** Undefined: its person is no longer there. */
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
  pairing: Pick<Pairing, 'paired'>;
  /** Where an owner is written to directly. */
  directOf: (owner: Principal) => readonly Address[];
}): Speakers {
  const { people, configured, pairing, directOf } = options;
  const ofIdentity = (identity: string, name: string): Principal =>
    people.resolve({ ...readIdentity(identity), account: '', via: 'api', name }).principal;

  return {
    ofAccount({ direct, ...who }) {
      const { principal } = people.resolve({ ...who, via: 'board' });
      return { principal, ...(direct && { direct }) };
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
