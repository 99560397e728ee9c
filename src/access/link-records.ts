/** The records of account links: their schemas, which also validate manual edits, and generated names of people. */
import { randomInt } from 'node:crypto';
import { isFilled, isNumber, isText, listOf, objectOf, oneOf, optional, shape } from '../lib/shape.ts';
import type { Role } from './principal.ts';

export interface Link {
  identity: string;
  /** A name from `people:`, or `name~xxxxx`, which no configuration can contain. */
  person: string;
  /** ISO 8601. */
  linkedAt: string;
  /** The account whose rights it has; absent for the account that showed the first code. */
  to?: string;
  /**
   * Names that the account had by itself before this link: what it began under them permanently belongs to the person.
   */
  was?: readonly string[];
  /** ISO 8601: when the link was removed. What the account had begun until then stays with the person. */
  until?: string;
}

/** An address as the channels define it, stored unchanged. */
export interface LinkAddress {
  channel: string;
  account: string;
  workspace?: string;
  chat: string;
  thread?: string;
}

/** The person who requested a code, and the conversation to notify when it is used. */
interface Issuer {
  identity: string;
  person?: string;
  role: Role;
  name: string;
  address: LinkAddress;
}

export interface WaitingCode extends Issuer {
  code: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  /** The person who used it: it stays valid for them, since a command interrupted by a crash runs again. */
  usedBy?: string;
}

export const isRole = oneOf('owner', 'member', 'guest');

export const isAddress = objectOf({
  channel: isFilled,
  account: isFilled,
  chat: isFilled,
  workspace: optional(isText),
  thread: optional(isText),
});

export const linkShape = shape<Link>(
  objectOf({
    identity: isFilled,
    person: isFilled,
    linkedAt: isFilled,
    to: optional(isFilled),
    was: optional(listOf(isFilled)),
    until: optional(isFilled),
  }),
);

export const waitingShape = shape<WaitingCode>(
  objectOf({
    code: isFilled,
    identity: isFilled,
    name: isFilled,
    role: isRole,
    expiresAt: isNumber,
    address: isAddress,
    person: optional(isFilled),
    usedBy: optional(isFilled),
  }),
);

const NAME_ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

/**
 * Generates a name: `Sam Lee` becomes `sam-lee~k7q2m`. The random part is never reused, so that nobody inherits another
 * person's tasks.
 */
export function newPerson(displayName: string): string {
  const words = displayName
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 24)
    .replace(/^-+|-+$/g, '')
    .toWellFormed();
  const mark = Array.from({ length: 5 }, () => NAME_ALPHABET.charAt(randomInt(NAME_ALPHABET.length))).join('');
  return `${words || 'person'}~${mark}`;
}

/** Returns whether the name was generated rather than configured. */
export const isMadeName = (person: string): boolean => person.includes('~');
