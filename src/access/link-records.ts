/** What stands in the files of links: their shapes, what counts as an entry after a hand edit, and the names of people made here. */
import { randomInt } from 'node:crypto';
import type { Role } from './principal.ts';

export interface Link {
  identity: string;
  /** A name of `people:`, or `name~xxxxx`, which no configuration can hold. */
  person: string;
  /** ISO 8601. */
  linkedAt: string;
  /** The account whose rights it has; absent for the account that showed the first code. */
  to?: string;
}

/** An address as the channels define it; kept as it came. */
export interface LinkAddress {
  channel: string;
  account: string;
  workspace?: string;
  chat: string;
  thread?: string;
}

/** Who shows a code, and where: that conversation is told when it was entered. */
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
  /** Who entered it: for them it stays valid, because a command that a crash cut short is run again. */
  usedBy?: string;
}

const ROLES: readonly unknown[] = ['owner', 'member', 'guest'] satisfies Role[];

const fieldsOf = (value: unknown) =>
  new Map<string, unknown>(typeof value === 'object' && value !== null ? Object.entries(value) : []);
const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isTextOrAbsent = (value: unknown) => value === undefined || isText(value);

export function isLink(value: unknown): value is Link {
  const link = fieldsOf(value);
  return ['identity', 'person', 'linkedAt'].every((name) => isText(link.get(name))) && isTextOrAbsent(link.get('to'));
}

export function isWaitingCode(value: unknown): value is WaitingCode {
  const code = fieldsOf(value);
  const address = fieldsOf(code.get('address'));
  return (
    ['code', 'identity', 'name'].every((name) => isText(code.get(name))) &&
    ROLES.includes(code.get('role')) &&
    Number.isFinite(code.get('expiresAt')) &&
    ['person', 'usedBy'].every((name) => isTextOrAbsent(code.get(name))) &&
    ['channel', 'account', 'chat'].every((name) => isText(address.get(name)))
  );
}

const NAME_ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

/** `Sam Lee` as `sam-lee~k7q2m`. The random part is never used again, so that nobody inherits another person's tasks. */
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

/** Made here, not in the configuration. */
export const isMadeName = (person: string): boolean => person.includes('~');
