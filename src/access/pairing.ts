/**
 * Pairing: a stranger gets a code, an owner approves it. Two files, one writer each at a time:
 * `pending.json` is the gateway's; `paired.json` is changed under a lock file by whoever approves (gateway or CLI).
 * Both exist from the first start, so that a stranger's message creates no file.
 */
import fs from 'node:fs';
import path from 'node:path';
import { UserError } from '../errors.ts';
import { locked, newCode, readJson, writeJson } from './json-file.ts';
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

/** Opens the pairing files of `access/`. `hasOwner` tells whether the configuration names an owner. */
export function openPairing(folder: string, hasOwner: boolean): Pairing {
  const pendingFile = path.join(folder, 'pending.json');
  const pairedFile = path.join(folder, 'paired.json');
  for (const file of [pendingFile, pairedFile]) if (!fs.existsSync(file)) writeJson(file, []);
  let cache: { mtimeMs: number; paired: Paired[] } = { mtimeMs: -1, paired: [] };

  function paired(): Paired[] {
    const mtimeMs = fs.statSync(pairedFile, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (cache.mtimeMs !== mtimeMs) cache = { mtimeMs, paired: readJson<Paired[]>(pairedFile, []) };
    return cache.paired;
  }

  const live = (now: number) =>
    readJson<PendingPairing[]>(pendingFile, []).filter((entry) => now - entry.createdAt < CODE_TTL_MS);
  const waiting = (entries: PendingPairing[]) => entries.filter((entry) => !entry.denied);

  function take(code: string, now: number, outcome: 'approved' | 'denied'): PendingPairing {
    return locked(pendingFile, () => {
      const entries = live(now);
      const entry = waiting(entries).find((candidate) => candidate.code === code.trim().toUpperCase());
      if (!entry) throw new UserError(`There is no pending pairing with code ${code}; codes are valid for 1 hour.`);
      const others = entries.filter((candidate) => candidate !== entry);
      writeJson(pendingFile, outcome === 'denied' ? [...others, { ...entry, denied: true }] : others);
      return entry;
    });
  }

  return {
    request(who, now) {
      const full = (entries: PendingPairing[]) =>
        entries.some((entry) => entry.identity === who.identity) ||
        waiting(entries).filter((entry) => entry.channel === who.channel).length >= MAX_PENDING;
      if (full(live(now))) return undefined;
      return locked(pendingFile, () => {
        const entries = live(now);
        if (full(entries)) return undefined;
        const code = newCode();
        writeJson(pendingFile, [...entries, { code, ...who, name: who.name.slice(0, 64), createdAt: now }]);
        return code;
      });
    },
    pending: (now) => waiting(live(now)),
    approve(code, now, role) {
      const entry = take(code, now, 'approved');
      const record = locked(pairedFile, () => {
        const others = readJson<Paired[]>(pairedFile, []).filter((p) => p.identity !== entry.identity);
        const first = !hasOwner && !others.some((p) => p.role === 'owner');
        const approved: Paired = {
          identity: entry.identity,
          name: entry.name,
          role: role ?? (first ? 'owner' : 'member'),
          approvedAt: new Date(now).toISOString(),
          address: entry.address,
        };
        writeJson(pairedFile, [...others, approved]);
        return approved;
      });
      return { paired: record, pending: entry };
    },
    deny: (code, now) => take(code, now, 'denied'),
    paired,
  };
}
