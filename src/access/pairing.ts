/**
 * Pairing: a stranger gets a code, and an owner approves it. Two files, with one writer each at a time: only the
 * gateway writes `pending.json`; `paired.json` is changed under a lock file by the process that approves (gateway or
 * CLI). Both are created at the first start, so that a stranger's message creates no file.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { InboundMessage } from '../channels/channel.ts';
import { UserError } from '../errors.ts';
import { wasSetAside } from '../lib/damage.ts';
import {
  anything,
  isFilled,
  isNumber,
  isText,
  isTime,
  listOf,
  objectOf,
  oneOf,
  optional,
  shape,
} from '../lib/shape.ts';
import { writeJson } from '../lib/write-json.ts';
import { say } from '../messages/messages.ts';
import { isRole, type Role } from './principal.ts';
import { type JsonList, newCode, openJsonList } from './records.ts';

export interface PendingPairing {
  code: string;
  /** `telegram:1001`. */
  identity: string;
  channel: string;
  name: string;
  /** The address to greet once approved, as the channel's own JSON. */
  address: unknown;
  /** Milliseconds since the epoch. */
  createdAt: number;
  /** Their messages in the meantime: answered once they have access, and deleted with the code. */
  kept?: readonly InboundMessage[];
  /** An owner refused: kept until it expires, so that the request is not repeated at once. */
  denied?: true;
  /** Milliseconds since the epoch: decided outside the chats, where the question is still shown. */
  untold?: number;
}

export interface PairedIdentity {
  identity: string;
  name: string;
  role: Role;
  /** ISO 8601. */
  approvedAt: string;
  address: unknown;
  /** Their earlier messages, kept until the gateway has greeted them and accepted these. */
  waiting?: readonly InboundMessage[];
  /** The code of a question still shown in chats, although it was answered elsewhere. */
  asked?: string;
}

export const pendingShape = shape<PendingPairing>(
  objectOf({
    code: isFilled,
    identity: isFilled,
    channel: isFilled,
    name: isText,
    createdAt: isNumber,
    denied: optional(oneOf(true)),
    untold: optional(isNumber),
    kept: optional(listOf(anything)),
  }),
);
export const pairedShape = shape<PairedIdentity>(
  objectOf({
    identity: isFilled,
    name: isText,
    role: isRole,
    approvedAt: isTime,
    waiting: optional(listOf(anything)),
    asked: optional(isText),
  }),
);

export const CODE_TTL_MS = 3_600_000;
export const MAX_PENDING = 3;
/** The number of messages kept for each waiting person. */
export const MAX_KEPT = 3;
const MAX_KEPT_LENGTH = 65_536;

/** A decision made outside the chats that they don't show yet. */
export interface DecidedOutside {
  code: string;
  isLetIn: boolean;
  at: Date;
}

/** Whether somebody owns this viber; `lost` if there was an owner but the list is gone. */
export type Ownership = 'nobody' | 'somebody' | 'lost';

export interface Pairing {
  /**
   * Returns a new code for a stranger, or undefined if they got one within the hour or the channel has too many pending
   * requests. Keeps their first few messages.
   */
  request(who: Stranger, now: number): string | undefined;
  ownership(): Ownership;
  pending(now: number): PendingPairing[];
  /**
   * The first person ever approved becomes an owner.
   * @throws {UserError} for an unknown or expired code
   */
  approve(code: string, now: number, role?: Role): { paired: PairedIdentity; pending: PendingPairing };
  deny(code: string, now: number): PendingPairing;
  paired(): readonly PairedIdentity[];
  decidedOutside(): DecidedOutside[];
  /** The chats now show the decision. */
  told(code: string): void;
  /** The person was greeted, and their messages were accepted. */
  settle(identity: string): void;
  /** A waiting person has access by other means; their request is dropped. */
  forget(identity: string): void;
}

export interface Stranger {
  identity: string;
  channel: string;
  name: string;
  address: unknown;
  message?: InboundMessage;
}

const withoutAsked = ({ asked: _told, ...entry }: PairedIdentity): PairedIdentity => entry;
const withoutUntold = ({ untold: _told, ...entry }: PendingPairing): PendingPairing => entry;

const NONE: readonly InboundMessage[] = [];

/** Keeps the sender, text and files of an event; its means to reply immediately will have expired. */
function addWaiting(kept: readonly InboundMessage[], message: InboundMessage | undefined): readonly InboundMessage[] {
  if (message === undefined || kept.length >= MAX_KEPT || kept.some(({ id }) => id === message.id)) return kept;
  const { interaction, ...rest } = message;
  return JSON.stringify(rest).length > MAX_KEPT_LENGTH ? kept : [...kept, rest];
}

const live = (entries: readonly PendingPairing[], now: number) =>
  entries.filter((entry) => now - entry.createdAt < CODE_TTL_MS);
const waiting = (entries: readonly PendingPairing[]) => entries.filter((entry) => !entry.denied);
const isFull = (entries: readonly PendingPairing[], channel: string) =>
  waiting(entries).filter((entry) => entry.channel === channel).length >= MAX_PENDING;

/**
 * Opens the pairing files in `access/`. The first person ever paired becomes an owner. A mark beside the list outlives
 * it, so that after its loss nobody counts as the first again.
 * @param hasOwner the configuration names an owner
 * @param isOutside decisions here are made outside the chats
 */
export function openPairing(folder: string, hasOwner: boolean, isOutside = false): Pairing {
  return new PairingFiles(folder, hasOwner, isOutside);
}

class PairingFiles implements Pairing {
  readonly #hasOwner: boolean;
  readonly #isOutside: boolean;
  readonly #pairedFile: string;
  readonly #ownerMark: string;
  readonly #pendings: JsonList<PendingPairing>;
  readonly #pairs: JsonList<PairedIdentity>;

  constructor(folder: string, hasOwner: boolean, isOutside: boolean) {
    this.#hasOwner = hasOwner;
    this.#isOutside = isOutside;
    const pendingFile = path.join(folder, 'pending.json');
    this.#pairedFile = path.join(folder, 'paired.json');
    this.#ownerMark = path.join(folder, 'owner-was-paired');
    this.#pendings = openJsonList(pendingFile, pendingShape, { lost: 'who waits to be let in; they may ask again' });
    this.#pairs = openJsonList(this.#pairedFile, pairedShape, {
      lost: 'who was let in',
      next: "They have to be paired again, which doesn't make anyone an owner: restore the file, or list owners under people:.",
      tell: true,
    });
    if (this.#pairs.read().some(({ role }) => role === 'owner')) this.#markOwner();
    this.#pendings.read();
    for (const file of [pendingFile, this.#pairedFile]) if (!fs.existsSync(file)) writeJson(file, []);
  }

  request({ message, ...who }: Stranger, now: number): string | undefined {
    const isKnown = (entry: PendingPairing) => entry.identity === who.identity;
    const keeps = (entry: PendingPairing) =>
      !entry.denied && addWaiting(entry.kept ?? NONE, message) !== (entry.kept ?? NONE);
    const before = live(this.#pendings.read(), now);
    const own = before.find(isKnown);
    if (own ? !keeps(own) : isFull(before, who.channel)) return undefined;
    let code: string | undefined;
    this.#pendings.change((all) => {
      const entries = live(all, now);
      if (entries.some(isKnown))
        return entries.map((entry) =>
          isKnown(entry) && keeps(entry) ? { ...entry, kept: addWaiting(entry.kept ?? NONE, message) } : entry,
        );
      if (isFull(entries, who.channel)) return all;
      code = newCode();
      const kept = addWaiting(NONE, message);
      const entry = { code, ...who, name: who.name.slice(0, 64), createdAt: now };
      return [...entries, kept.length > 0 ? { ...entry, kept } : entry];
    });
    return code;
  }

  ownership(): Ownership {
    if (this.#hasOwner || this.#pairs.read().some(({ role }) => role === 'owner')) return 'somebody';
    return this.#hadOwner() ? 'lost' : 'nobody';
  }

  pending(now: number): PendingPairing[] {
    return waiting(live(this.#pendings.read(), now));
  }

  approve(code: string, now: number, role?: Role): { paired: PairedIdentity; pending: PendingPairing } {
    // A list that is being edited throws here, before the code is used up.
    this.#pairs.change((all) => all);
    const entry = this.#take(code, now, 'approved');
    let record: PairedIdentity | undefined;
    this.#pairs.change((all) => {
      const others = all.filter((p) => p.identity !== entry.identity);
      const first = !this.#hasOwner && !this.#hadOwner() && !others.some((p) => p.role === 'owner');
      record = {
        identity: entry.identity,
        name: entry.name,
        role: role ?? (first ? 'owner' : 'member'),
        approvedAt: new Date(now).toISOString(),
        address: entry.address,
        waiting: entry.kept ?? [],
        ...(this.#isOutside ? { asked: entry.code } : {}),
      };
      if (record.role === 'owner') this.#markOwner();
      return [...others, record];
    });
    if (!record) throw new Error('a pairing was not written');
    return { paired: record, pending: entry };
  }

  deny(code: string, now: number): PendingPairing {
    return this.#take(code, now, 'denied');
  }

  paired(): readonly PairedIdentity[] {
    return this.#pairs.read();
  }

  decidedOutside(): DecidedOutside[] {
    const letIn = this.#pairs.read().flatMap(({ asked: code, approvedAt }) => {
      return code === undefined ? [] : [{ code, isLetIn: true, at: new Date(approvedAt) }];
    });
    const refused = this.#pendings.read().flatMap(({ code, untold }) => {
      return untold === undefined ? [] : [{ code, isLetIn: false, at: new Date(untold) }];
    });
    return [...letIn, ...refused];
  }

  told(code: string): void {
    const wasLetIn = this.#pairs.read().some(({ asked }) => asked === code);
    if (wasLetIn) this.#pairs.change((all) => all.map((entry) => (entry.asked === code ? withoutAsked(entry) : entry)));
    else this.#pendings.change((all) => all.map((entry) => (entry.code === code ? withoutUntold(entry) : entry)));
  }

  settle(identity: string): void {
    this.#pairs.change((all) =>
      all.map((entry) => {
        const { waiting: taken, ...settled } = entry;
        return entry.identity === identity ? settled : entry;
      }),
    );
  }

  forget(identity: string): void {
    this.#pendings.change((all) => all.filter((entry) => entry.identity !== identity));
  }

  #take(code: string, now: number, outcome: 'approved' | 'denied'): PendingPairing {
    let taken: PendingPairing | undefined;
    this.#pendings.change((all) => {
      const entries = live(all, now);
      // The code may be copied with brackets from a manual, or with spaces.
      const typed = code.replace(/[\s<>"'`.-]/g, '').toUpperCase();
      taken = waiting(entries).find((candidate) => candidate.code === typed);
      if (!taken) throw new UserError(say('pairing.noSuchCode', { code: code.slice(0, 40) }));
      const others = entries.filter((candidate) => candidate !== taken);
      const { kept, ...refused } = taken;
      const untold = this.#isOutside ? { untold: now } : {};
      return outcome === 'denied' ? [...others, { ...refused, denied: true, ...untold }] : others;
    });
    if (!taken) throw new Error('a pairing was neither accepted nor refused');
    return taken;
  }

  #hadOwner(): boolean {
    return fs.lstatSync(this.#ownerMark, { throwIfNoEntry: false }) !== undefined || wasSetAside(this.#pairedFile);
  }

  #markOwner(): void {
    if (!fs.lstatSync(this.#ownerMark, { throwIfNoEntry: false })) writeJson(this.#ownerMark, true);
  }
}
