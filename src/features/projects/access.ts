/** Decides who may work in projects: owners and the people listed in `projects.people`, and where. */
import type { Principal } from '../../access/principal.ts';
import { type Address, formatAddress } from '../../channels/channel.ts';
import type { RootSetting } from './roots.ts';

export interface ProjectRules {
  roots: readonly RootSetting[];
  /** Names of people who may work in projects, besides owners. */
  people: readonly string[];
  /** Groups in which projects may be used. */
  groups: readonly string[];
}

export interface Place {
  principal: Principal;
  /** Absent for a run that nobody asked for in a conversation, such as a job. */
  address?: Address | undefined;
  isDirect?: boolean | undefined;
}

export const isPersonAllowed = ({ role, person }: Principal, { people }: ProjectRules): boolean =>
  role === 'owner' || (role === 'member' && person !== undefined && people.includes(person));

/** Returns whether projects may be used in this conversation: in a group, others read what the viber finds there. */
export function isPlaceAllowed({ address, isDirect }: Omit<Place, 'principal'>, { groups }: ProjectRules): boolean {
  if (address === undefined || isDirect) return true;
  return groups.includes(formatAddress(address)) || groups.includes(`${address.channel}:${address.chat}`);
}

export const mayWork = (place: Place, rules: ProjectRules): boolean =>
  rules.roots.length > 0 && isPersonAllowed(place.principal, rules) && isPlaceAllowed(place, rules);
