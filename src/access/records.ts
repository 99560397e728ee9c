/**
 * The one format of the files in `access/`: a list of records, or records by name, in JSON. The gateway, the command
 * line and people change them: they are replaced atomically and durably, changed under a lock file on their current
 * content, and reread whenever they have changed. An unreadable entry is set aside and never widens anybody's rights.
 */
import { randomInt } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { errorCode, UserError } from '../errors.ts';
import type { About } from '../lib/damage.ts';
import { statOf } from '../lib/files/cache.ts';
import { readTextSync } from '../lib/files.ts';
import { parseJson, readRecords, readWhole, salvage } from '../lib/json.ts';
import type { Schema } from '../lib/shape.ts';
import { writeJson } from '../lib/write-json.ts';

const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'; // no 0, O, 1, I
const CODE_LENGTH = 8;
const UNKNOWN_MS = 5_000;
const UNNAMED_MS = 1_000;

/** Returns a code of eight characters (40 bits) that can be read aloud. */
export function newCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}

/**
 * Runs `change` while no other process changes the same file. A lock names its process. It is void at once if that
 * process ran on this machine and has ended, after 1 s if the process has not been named yet, and after 5 s in any
 * other case. Containers may share a host name and number their processes alike, so the lock also names the PID
 * namespace.
 */
export function locked<T>(file: string, change: () => T): T {
  const lock = `${file}.lock`;
  for (let tries = 0; ; tries++) {
    try {
      fs.writeFileSync(lock, `${process.pid} ${os.hostname()} ${numbering()}`, { flag: 'wx', mode: 0o600 });
      break;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
      if (isLeft(lock)) fs.rmSync(lock, { force: true });
      else if (tries > 600) throw new UserError(`${file} is being changed by another process; try again.`);
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
  try {
    return change();
  } finally {
    fs.rmSync(lock, { force: true });
  }
}

function isLeft(lock: string): boolean {
  const stat = fs.statSync(lock, { throwIfNoEntry: false });
  const age = stat ? Date.now() - stat.mtimeMs : 0;
  const [pid = '', host, numbers = numbering()] = (stat && readTextSync(lock))?.split(' ', 3) ?? [];
  if (host === undefined) return age > UNNAMED_MS;
  // Changes are synchronous, so this process never holds a lock while it waits for one.
  const isHere = host === os.hostname() && numbers === numbering();
  if (isHere && (Number(pid) === process.pid || !isRunning(Number(pid)))) return true;
  return age > UNKNOWN_MS;
}

/** Returns this process's PID namespace, or a constant where there is only one. */
function numbering(): string {
  try {
    return fs.readlinkSync('/proc/self/ns/pid');
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return 'one';
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}

export interface JsonList<T> {
  /** Returns the valid entries; while somebody is editing the file, those from before. Shared: do not modify. */
  read(): readonly T[];
  /**
   * Replaces the list, one change at a time; an unchanged list writes nothing.
   * @throws {UserError} with the file's name while somebody is editing it
   */
  change(next: (entries: readonly T[]) => readonly T[]): void;
}

export interface JsonMap<T> {
  /** Returns the current content. Shared: do not modify. */
  read(): ReadonlyMap<string, T>;
  /** Changes the map; durable on return. Beyond the maximum, the first entries are dropped. */
  change(next: (all: Map<string, T>) => void): void;
}

/** One tick of a kernel clock, in ms: a file changed this recently may change again with the same time. */
const SETTLED_MS = 50;
/** People edit the lists: right after a write, an invalid text may be half-written. */
const EDITED_MS = 2_000;

/** Opens a file that holds a list. The file need not exist. The valid entries of a damaged file stay in use. */
export function openJsonList<T>(file: string, schema: Schema<T>, about: About): JsonList<T> {
  const { read, change } = openRecords<T, readonly T[]>(file, schema, about, {
    of: (records) => [...records.values()],
    isWhole: (value) => Array.isArray(value),
  });
  return {
    read,
    change: (next) =>
      change((entries, isEdited) => {
        if (isEdited) throw new UserError(`access/${path.basename(file)} is not a JSON list; fix or delete it first.`);
        const after = next(entries);
        return after === entries ? undefined : after;
      }),
  };
}

/** Opens a file that holds records by name. The file need not exist, and is not read before it is needed. */
export function openJsonMap<T>(
  file: string,
  schema: Schema<T>,
  about: About,
  max = Number.POSITIVE_INFINITY,
): JsonMap<T> {
  const { read, change } = openRecords<T, ReadonlyMap<string, T>>(
    file,
    schema,
    { ...about, asMap: true },
    {
      of: (records) => records,
      isWhole: (value) => !Array.isArray(value),
    },
  );
  return {
    read,
    change: (next) =>
      change((before) => {
        const all = new Map(before);
        next(all);
        for (const oldest of all.keys()) {
          if (all.size <= max) break;
          all.delete(oldest);
        }
        const isSame = JSON.stringify([...all]) === JSON.stringify([...before]);
        return isSame ? undefined : Object.fromEntries(all);
      }),
  };
}

interface Form<T, All> {
  of: (records: Map<string, T>) => All;
  isWhole: (value: unknown) => boolean;
}

/** Reading costs one `stat` while the file is unchanged (about 4 µs). */
function openRecords<T, All>(file: string, schema: Schema<T>, about: About & { asMap?: true }, form: Form<T, All>) {
  const none = form.of(new Map());
  let cache = { stamp: '', all: none };

  /** Returns undefined while a list may be half-written. */
  function parse(repair: (work: () => All) => All): All | undefined {
    const read = readWhole(file);
    if (read === undefined) return none;
    const { text = '', why } = read;
    const { records, isWhole } = salvage(text, schema);
    const value = parseJson(text);
    if (why === undefined && isWhole && form.isWhole(value)) return form.of(records);
    const age = Math.abs(Date.now() - (fs.lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0));
    if (!about.asMap && why === undefined && value === undefined && age < EDITED_MS) return undefined;
    const write = (left: Map<string, T>) =>
      writeJson(file, about.asMap ? Object.fromEntries(left) : [...left.values()]);
    return repair(() => form.of(readRecords(file, schema, about, write)));
  }

  return {
    read(): All {
      const stat = statOf(file);
      const stamp = stat ? `${stat.ino} ${stat.size} ${stat.ctimeMs}` : 'none';
      if (stamp === cache.stamp) return cache.all;
      const isSettled = !stat || Math.abs(Date.now() - stat.ctimeMs) > SETTLED_MS;
      const all = parse((work) => locked(file, work));
      cache = { stamp: isSettled && all ? stamp : '', all: all ?? cache.all };
      return cache.all;
    },
    /** @param next returns what to write; undefined for nothing */
    change(next: (all: All, isEdited: boolean) => unknown): void {
      locked(file, () => {
        const all = parse((work) => work());
        const after = next(all ?? none, all === undefined);
        if (after !== undefined) writeJson(file, after);
      });
    },
  };
}
