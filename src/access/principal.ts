/** Who acts. Only immutable platform ids identify people, never names (T2). */

export type Role = 'owner' | 'member' | 'guest';

export interface Principal {
  channel: string;
  account: string;
  /** Slack team or Discord guild. */
  workspace?: string;
  user: string;
  /** Name of the person in `people:` this identity belongs to. */
  person?: string;
  role: Role;
  /** The kind of platform event that brought them here. */
  via: string;
  /** For showing only. */
  name: string;
}

/** `telegram:1001`, `slack:T01:U03`: how people are written in configuration. */
export function identityText(who: { channel: string; workspace?: string | undefined; user: string }): string {
  return who.workspace && who.channel === 'slack'
    ? `${who.channel}:${who.workspace}:${who.user}`
    : `${who.channel}:${who.user}`;
}

/** What a task lists under `people`: the linked person if there is one, else the single identity. */
export function principalText(principal: Principal): string {
  return principal.person ? `person:${principal.person}` : identityText(principal);
}
