/**
 * Accounts are linked in chats: `/link` shows a code on one account, and entering it on another makes both one person
 * (promise 39). `links.json` has the links, `link-codes.json` the pending codes: a code survives a restart.
 * A link grants rights by reference: the linked account has the current rights of the account in `to`. Removing those
 * (in the configuration or pairing) removes them here.
 */
import { randomInt } from 'node:crypto';
import path from 'node:path';
import type { Address } from '../channels/channel.ts';
import { UserError } from '../errors.ts';
import { isFilled, isNumber, listOf, objectOf, optional, shape } from '../lib/shape.ts';
import { say } from '../messages/messages.ts';
import { identityText, isAddress, isRole, type Principal, type Role } from './principal.ts';
import { type JsonList, newCode, openJsonList } from './records.ts';
import { createSharedTries, createTries, type SharedSums, type SharedTries } from './tries.ts';

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

/** The person who requested a code, and the conversation to notify when it is used. */
interface Issuer {
  identity: string;
  person?: string;
  role: Role;
  name: string;
  address: Address;
}

export interface WaitingCode extends Issuer {
  code: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  /** The person who used it: it stays valid for them, since a command interrupted by a crash runs again. */
  usedBy?: string;
}

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

export const LINK_TTL_MS = 600_000;
export const MAX_CODES = 100;
/** The limits of accounts per person and of all links. */
const MAX_ACCOUNTS = 20;
const MAX_LINKS = 5_000;

/** `not-let-in`: the code's owner is a guest, who can't vouch for a stranger. */
export type LinkRefusal = 'unknown' | 'expired' | 'own' | 'taken' | 'too-many-tries' | 'not-let-in';

export type LinkResult =
  | { ok: true; person: string; from: { identity: string; person?: string; name: string; address: Address } }
  | { ok: false; reason: LinkRefusal };

/** The person who enters a code. `isStranger`: they have no access otherwise. */
export interface Redeemer {
  identity: string;
  person?: string | undefined;
  role: Role;
  isStranger?: boolean;
}

const GUESSES = { max: 5, perMs: 3_600_000 };
const RANK: Record<Role, number> = { guest: 0, member: 1, owner: 2 };
const normaliseCode = (text: string): string => text.replace(/[\s-]/g, '').toUpperCase();

/** Opens the files in `access/`; neither needs to exist, and reading creates none. */
export class Links {
  readonly #now: () => number;
  readonly #links: JsonList<Link>;
  readonly #codes: JsonList<WaitingCode>;
  readonly #tries = createTries(GUESSES);
  readonly #sharedTries: SharedTries | undefined;

  /** @param sums shares the count of guesses with other processes, if given */
  constructor(folder: string, now: () => number = Date.now, sums?: SharedSums) {
    this.#sharedTries = sums && createSharedTries(GUESSES, sums);
    this.#now = now;
    this.#links = openJsonList(path.join(folder, 'links.json'), linkShape, {
      lost: 'which accounts are linked',
      next: 'Linked accounts have only their own rights until they are linked again.',
      tell: true,
    });
    this.#codes = openJsonList(path.join(folder, 'link-codes.json'), waitingShape, {
      lost: 'pending link codes',
    });
    // Finds damage now, not when somebody enters a code.
    this.#links.read();
    this.#codes.read();
  }

  /**
   * Issues a code of 8 characters for the person's other account, replacing any earlier one.
   * @throws {UserError} if too many codes are pending
   */
  issue(principal: Principal, address: Address): { code: string; expiresAt: number } {
    const identity = identityText(principal);
    const at = this.#now();
    const { person, role, name } = principal;
    const entry: WaitingCode = {
      code: newCode(),
      identity,
      role,
      name: name.slice(0, 64) || identity,
      address,
      expiresAt: at + LINK_TTL_MS,
      ...(person === undefined ? {} : { person }),
    };
    this.#codes.change((all) => {
      const others = all.filter(
        (code) => code.expiresAt > at && code.identity !== identity && (person === undefined || code.person !== person),
      );
      if (others.length < MAX_CODES) return [...others, entry];
      // Guests can't displace codes of people with more rights.
      const weakest = others.reduce((a, b) => (RANK[b.role] < RANK[a.role] ? b : a));
      if (RANK[weakest.role] >= RANK[role]) throw new UserError(say('pairing.tooManyCodes'));
      return [...others.filter((code) => code !== weakest), entry];
    });
    return { code: entry.code, expiresAt: entry.expiresAt };
  }

  /** Like `redeem`, including guesses made through other processes. */
  async enter(text: string, who: Redeemer): Promise<LinkResult> {
    const tries = this.#sharedTries;
    if (!tries) return this.redeem(text, who);
    if (!(await tries.count(who.identity))) return { ok: false, reason: 'too-many-tries' };
    const redeemed = this.redeem(text, who);
    const isWrong = !redeemed.ok && (redeemed.reason === 'unknown' || redeemed.reason === 'expired');
    if (!isWrong) await tries.forget(who.identity);
    return redeemed;
  }

  /** Redeems a code. Each identity may guess wrong five times per hour; nothing is written for wrong guesses. */
  redeem(text: string, who: Redeemer, at: number = this.#now()): LinkResult {
    const refuse = (reason: LinkRefusal): LinkResult => ({ ok: false, reason });
    if (this.#tries.left(who.identity, at) === 0) return refuse('too-many-tries');
    const wanted = normaliseCode(text);
    const waiting = this.#codes.read().find((code) => code.code === wanted);
    const isAgain = waiting?.usedBy === who.identity;
    const isDead = !waiting || (waiting.usedBy !== undefined && !isAgain);
    if (isDead || (waiting.expiresAt <= at && !isAgain)) {
      this.#tries.fail(who.identity, at);
      return refuse(isDead ? 'unknown' : 'expired');
    }
    const reason = isAgain ? undefined : this.#refusalOf(waiting, who);
    if (reason) return refuse(reason);
    this.#codes.change((all) => all.map((code) => (code.code === wanted ? { ...code, usedBy: who.identity } : code)));
    const { identity, name, address } = waiting;
    const before = this.#personOf(waiting);
    const person = this.#connect(waiting, who.identity, at);
    return { ok: true, person, from: { identity, name, address, ...(before !== undefined && { person: before }) } };
  }

  /** Voids a code that others could read. */
  revoke(text: string): void {
    const wanted = normaliseCode(text);
    if (this.#codes.read().some((code) => code.code === wanted))
      this.#codes.change((all) => all.filter((code) => code.code !== wanted));
  }

  links(): readonly Link[] {
    return this.#links.read();
  }

  /**
   * Separates an account from its person. What it began until now stays with that person; from now on it has a new name
   * that nobody has had. Returns false if the identity is not linked.
   * @throws {UserError} if others are linked to it
   */
  unlink(identity: string): boolean {
    const link = this.#linkOf(identity);
    if (!link) return false;
    const others = this.#links.read().filter((other) => other.to === identity && other.until === undefined);
    if (others.length > 0) {
      const names = others.map((other) => other.identity).join(', ');
      throw new UserError(say('pairing.linkedTo', { account: identity, names }));
    }
    if (link.to === undefined) return false;
    const until = new Date(this.#now()).toISOString();
    this.#links.change((all) => ended(all, identity, until));
    this.#codes.change((all) => all.filter((code) => code.identity !== identity && code.usedBy !== identity));
    return true;
  }

  #linkOf(identity: string) {
    return this.#links.read().find((link) => link.identity === identity && link.until === undefined);
  }

  #personOf(waiting: WaitingCode): string | undefined {
    return waiting.person ?? this.#linkOf(waiting.identity)?.person;
  }

  /** Returns whether a single account has this generated name, after it or all others were separated. */
  #isAlone(person: string): boolean {
    const live = this.#links.read().filter((link) => link.person === person && link.until === undefined);
    return isMadeName(person) && live.length === 1;
  }

  #refusalOf(waiting: WaitingCode, who: Redeemer): LinkRefusal | undefined {
    const person = this.#personOf(waiting);
    const known = this.#linkOf(who.identity)?.person;
    const own = who.person ?? (known !== undefined && isMadeName(known) ? known : undefined);
    if (waiting.identity === who.identity || (own !== undefined && own === person)) return 'own';
    // An account can't belong to two people, and entering a code must not reduce rights.
    const isTaken = own !== undefined && !this.#isAlone(own);
    if (isTaken || RANK[who.role] > RANK[waiting.role]) return 'taken';
    return who.isStranger && waiting.role === 'guest' ? 'not-let-in' : undefined;
  }

  /** Durable on return; repeating it changes nothing. */
  #connect(waiting: WaitingCode, identity: string, at: number): string {
    const known = this.#linkOf(waiting.identity);
    // A link to a person who is no longer in the configuration is void.
    const issuer = known && (isMadeName(known.person) || known.person === waiting.person) ? known : undefined;
    const person = waiting.person ?? issuer?.person ?? newPerson(waiting.name);
    const to = issuer?.to ?? waiting.identity;
    const before = this.#linkOf(identity);
    if (before?.to === to) return person;
    const was = before && this.#isAlone(before.person) ? [before.person] : [];
    this.#links.change((all) => {
      const live = all.filter((link) => link.person === person && link.until === undefined);
      if (all.length >= MAX_LINKS || live.length >= MAX_ACCOUNTS) throw new UserError(say('pairing.tooManyAccounts'));
      const linkedAt = new Date(at).toISOString();
      // A configured person needs no entry of their own.
      const first: Link[] = issuer || !isMadeName(person) ? [] : [{ identity: waiting.identity, person, linkedAt }];
      const replaced = [identity, ...(issuer ? [] : [waiting.identity])];
      const others = all.filter((link) => link.until !== undefined || !replaced.includes(link.identity));
      return [...others, ...first, { identity, person, linkedAt, to, ...(was.length > 0 && { was }) }];
    });
    return person;
  }
}

/** The limit of former names per account and person; the oldest are dropped, so that repeated linking fills nothing. */
const MAX_FORMER = 50;

/**
 * Returns the links after an account's link has ended: its names so far belong to the person, and it gets a new one.
 */
function ended(all: readonly Link[], account: string, until: string): Link[] {
  const link = all.find(({ identity, until: over }) => identity === account && over === undefined);
  if (!link) return [...all];
  const isBefore = ({ identity, person, to, until: over }: Link) =>
    over !== undefined && identity === account && person === link.person && to === link.to;
  const replaced = all.filter((other) => other === link || isBefore(other));
  const names = replaced.flatMap(({ was = [] }) => was).slice(-MAX_FORMER);
  const over: Link = { ...link, ...(names.length > 0 && { was: names }), until };
  // The first entry of an account counts, so its position is kept.
  const at = all.findIndex((other) => replaced.includes(other));
  const others = all.filter((other) => !replaced.includes(other));
  const alone: Link = { identity: account, person: newPerson(account), linkedAt: until };
  return [...others.slice(0, at), over, ...others.slice(at), alone];
}
