/**
 * Pairing: a stranger gets a code, an owner approves it. Two files, one writer each at a time:
 * `pending.json` is the gateway's; `paired.json` is changed under a lock file by whoever approves (gateway or CLI).
 * Both exist from the first start, so that a stranger's message creates no file.
 */
import { randomInt } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { errorCode, UserError } from '../errors.ts';
import type { Role } from './principal.ts';

const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'; // no 0, O, 1, I
export const CODE_LENGTH = 8;
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

function readJson<T>(file: string, fallback: T): T {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as T;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || error instanceof SyntaxError) return fallback;
    throw error;
  }
}

function writeJson(file: string, value: unknown): void {
  const temp = `${file}.${process.pid}.tmp`;
  fs.writeFileSync(temp, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true });
  fs.renameSync(temp, file);
}

/** Runs `change` while no other process changes the same file; a lock older than 5 s belonged to a process that died. */
function locked<T>(file: string, change: () => T): T {
  const lock = `${file}.lock`;
  for (let tries = 0; ; tries++) {
    try {
      fs.closeSync(fs.openSync(lock, 'wx', 0o600));
      break;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
      const age = Date.now() - (fs.statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0);
      if (age > 5000) fs.rmSync(lock, { force: true });
      else if (tries > 200) throw new UserError(`${file} is being changed by another process; try again.`);
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
  try {
    return change();
  } finally {
    fs.rmSync(lock, { force: true });
  }
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

  function take(code: string, now: number): PendingPairing {
    return locked(pendingFile, () => {
      const entries = live(now);
      const entry = entries.find((candidate) => candidate.code === code.trim().toUpperCase());
      if (!entry) throw new UserError(`There is no pending pairing with code ${code}; codes are valid for 1 hour.`);
      writeJson(
        pendingFile,
        entries.filter((candidate) => candidate !== entry),
      );
      return entry;
    });
  }

  return {
    request(who, now) {
      const full = (entries: PendingPairing[]) =>
        entries.some((entry) => entry.identity === who.identity) ||
        entries.filter((entry) => entry.channel === who.channel).length >= MAX_PENDING;
      if (full(live(now))) return undefined;
      return locked(pendingFile, () => {
        const entries = live(now);
        if (full(entries)) return undefined;
        const code = Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
        writeJson(pendingFile, [...entries, { code, ...who, name: who.name.slice(0, 64), createdAt: now }]);
        return code;
      });
    },
    pending: live,
    approve(code, now, role) {
      const entry = take(code, now);
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
    deny: take,
    paired,
  };
}
