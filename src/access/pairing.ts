/**
 * Pairing: a stranger gets a code, an owner approves it. Two files, one writer each at a time:
 * `pending.json` is the gateway's; `paired.json` is changed under a lock file by whoever approves (gateway or CLI).
 * Both exist from the first start, so that a stranger's message creates no file.
 */
import fs from 'node:fs';
import path from 'node:path';
import { UserError } from '../errors.ts';
import { wasSetAside } from '../lib/damage.ts';
import { isFilled, isNumber, isText, isTime, objectOf, oneOf, optional, shape } from '../lib/shape.ts';
import { writeJson } from '../lib/write-json.ts';
import { newCode, openJsonList } from './json-file.ts';
import { isRole } from './link-records.ts';
import type { Role } from './principal.ts';

export const CODE_TTL_MS = 3_600_000;
export const MAX_PENDING = 3;

export interface PendingPairing {
  code: string;
  /** `telegram:1001`. */
  identity: string;
  channel: string;
  name: string;
  /** The address to greet once approved, as JSON of the channel's own. */
  address: unknown;
  /** Milliseconds since the epoch. */
  createdAt: number;
  /** An owner said no: kept until its time is over, so that nobody asks again at once. */
  denied?: true;
}

export interface Paired {
  identity: string;
  name: string;
  role: Role;
  /** ISO 8601. */
  approvedAt: string;
  /** Where to greet them. */
  address: unknown;
}

export interface Pairing {
  /** The code for a stranger: a new one, or undefined when they were told within the hour or the channel has too many pending. */
  request(who: { identity: string; channel: string; name: string; address: unknown }, now: number): string | undefined;
  pending(now: number): PendingPairing[];
  /** Throws UserError for an unknown or expired code. The first person ever approved becomes an owner. */
  approve(code: string, now: number, role?: Role): { paired: Paired; pending: PendingPairing };
  deny(code: string, now: number): PendingPairing;
  paired(): readonly Paired[];
}

const pendingShape = shape<PendingPairing>(
  objectOf({
    ...{ code: isFilled, identity: isFilled, channel: isFilled, name: isText, createdAt: isNumber },
    denied: optional(oneOf(true)),
  }),
);
const pairedShape = shape<Paired>(objectOf({ identity: isFilled, name: isText, role: isRole, approvedAt: isTime }));

/**
 * Opens the pairing files of `access/`. `hasOwner` tells whether the configuration names an owner. The first person ever paired
 * becomes one; a list that was lost makes nobody the first again: a mark beside it outlives it.
 */
export function openPairing(folder: string, hasOwner: boolean): Pairing {
  const pendingFile = path.join(folder, 'pending.json');
  const pairedFile = path.join(folder, 'paired.json');
  const ownerMark = path.join(folder, 'owner-was-paired');
  const pendings = openJsonList(pendingFile, pendingShape, { lost: 'who waits to be let in; they may ask again' });
  const pairs = openJsonList(pairedFile, pairedShape, {
    lost: 'who was let in',
    next: 'They have to be paired again, and nobody becomes an owner by it: put the file back, or list owners under people:.',
    tell: true,
  });
  const hadOwner = () => fs.lstatSync(ownerMark, { throwIfNoEntry: false }) !== undefined || wasSetAside(pairedFile);
  if (pairs.read().some(({ role }) => role === 'owner')) markOwner();
  pendings.read();
  for (const file of [pendingFile, pairedFile]) if (!fs.existsSync(file)) writeJson(file, []);

  function markOwner(): void {
    if (!fs.lstatSync(ownerMark, { throwIfNoEntry: false })) writeJson(ownerMark, true);
  }

  const live = (entries: readonly PendingPairing[], now: number) =>
    entries.filter((entry) => now - entry.createdAt < CODE_TTL_MS);
  const waiting = (entries: readonly PendingPairing[]) => entries.filter((entry) => !entry.denied);

  function take(code: string, now: number, outcome: 'approved' | 'denied'): PendingPairing {
    let taken: PendingPairing | undefined;
    pendings.change((all) => {
      const entries = live(all, now);
      taken = waiting(entries).find((candidate) => candidate.code === code.trim().toUpperCase());
      if (!taken) throw new UserError(`There is no pending pairing with code ${code}; codes are valid for 1 hour.`);
      const others = entries.filter((candidate) => candidate !== taken);
      return outcome === 'denied' ? [...others, { ...taken, denied: true }] : others;
    });
    if (!taken) throw new Error('a pairing was neither taken nor refused');
    return taken;
  }

  return {
    request(who, now) {
      const full = (entries: readonly PendingPairing[]) =>
        entries.some((entry) => entry.identity === who.identity) ||
        waiting(entries).filter((entry) => entry.channel === who.channel).length >= MAX_PENDING;
      if (full(live(pendings.read(), now))) return undefined;
      let code: string | undefined;
      pendings.change((all) => {
        const entries = live(all, now);
        if (full(entries)) return all;
        code = newCode();
        return [...entries, { code, ...who, name: who.name.slice(0, 64), createdAt: now }];
      });
      return code;
    },
    pending: (now) => waiting(live(pendings.read(), now)),
    approve(code, now, role) {
      // A list that is being edited refuses here, before the code is used up.
      pairs.change((all) => all);
      const entry = take(code, now, 'approved');
      let record: Paired | undefined;
      pairs.change((all) => {
        const others = all.filter((p) => p.identity !== entry.identity);
        const first = !hasOwner && !hadOwner() && !others.some((p) => p.role === 'owner');
        record = {
          identity: entry.identity,
          name: entry.name,
          role: role ?? (first ? 'owner' : 'member'),
          approvedAt: new Date(now).toISOString(),
          address: entry.address,
        };
        if (record.role === 'owner') markOwner();
        return [...others, record];
      });
      if (!record) throw new Error('a pairing was not written');
      return { paired: record, pending: entry };
    },
    deny: (code, now) => take(code, now, 'denied'),
    paired: () => pairs.read(),
  };
}
