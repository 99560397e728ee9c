/** Who acts. Only immutable platform ids identify people, never names (promise 31). */

import { kindOf } from '../channels/index.ts';

export type Role = 'owner' | 'member' | 'guest';

export interface Principal {
  channel: string;
  account: string;
  /** A team or server, on platforms that have them. */
  workspace?: string;
  user: string;
  /** The person this identity belongs to: a name of `people:`, or one made when accounts were linked. */
  person?: string;
  /** Every text under which tasks may list this person; absent for a single identity without a person. */
  aliases?: readonly string[];
  role: Role;
  /** The kind of platform event that brought them here. */
  via: string;
  /** For showing only. */
  name: string;
}

/** `CHANNEL:USER`, or `CHANNEL:WORKSPACE:USER` where accounts are those of a workspace: how people are written in configuration. */
export function identityText(who: { channel: string; workspace?: string | undefined; user: string }): string {
  return who.workspace && kindOf(who.channel)?.hasWorkspaces
    ? `${who.channel}:${who.workspace}:${who.user}`
    : `${who.channel}:${who.user}`;
}

/** What `identityText` has put together. */
export function readIdentity(text: string): Pick<Principal, 'channel' | 'workspace' | 'user'> {
  const [channel = '', first = '', second] = text.split(':');
  return second === undefined ? { channel, user: first } : { channel, workspace: first, user: second };
}

/** What a task lists under `people`: the linked person if there is one, else the single identity. */
export function principalText(principal: Principal): string {
  return principal.person ? personText(principal.person) : identityText(principal);
}

export const personText = (person: string): string => `person:${person}`;

/** Every text that means this principal in a task's `people`. */
export function aliasesOf(principal: Principal): readonly string[] {
  return principal.aliases ?? [principalText(principal), identityText(principal)];
}

/** Whether a task with these people is the principal's own, also one begun before accounts were linked. */
export function isOneOf(people: readonly string[], principal: Principal): boolean {
  const aliases = aliasesOf(principal);
  return people.some((text) => aliases.includes(text));
}
