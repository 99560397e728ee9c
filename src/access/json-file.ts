/**
 * Small JSON files of `access/` that gateway, command line and people change: replaced atomically and durably, changed under
 * a lock file, read again whenever they have changed. A list that cannot be read is never overwritten.
 */
import { randomInt } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { errorCode, UserError } from '../errors.ts';

const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'; // no 0, O, 1, I
const CODE_LENGTH = 8;

/** Eight characters that can be read aloud: 40 bits. */
export function newCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}

/** Text that is no JSON, or a missing file, is the fallback. */
export function readJson<T>(file: string, fallback: T): T {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as T;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || error instanceof SyntaxError) return fallback;
    throw error;
  }
}

/** On the disk when it returns, the file's name as well. */
export function writeJson(file: string, value: unknown): void {
  const temp = `${file}.${process.pid}.tmp`;
  fs.writeFileSync(temp, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true });
  fs.renameSync(temp, file);
  const folder = fs.openSync(path.dirname(file), 'r');
  try {
    fs.fsyncSync(folder);
  } finally {
    fs.closeSync(folder);
  }
}

/** Runs `change` while no other process changes the same file; a lock older than 5 s belonged to a process that died. */
export function locked<T>(file: string, change: () => T): T {
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

export interface JsonList<T> {
  /** The entries that are what they should be; while the file is no JSON list, those it had before. Shared: do not change them. */
  read(): readonly T[];
  /** Replaces the list, one change at a time. Throws UserError naming the file when it is no JSON list: it is left alone. */
  change(next: (entries: readonly T[]) => readonly T[]): void;
}

/** A kernel's clock tick: a file changed this lately may change again without showing it. */
const SETTLED_MS = 50;

/** A file that holds a list. It need not exist; reading it costs one `stat` while it is unchanged (about 4 µs). */
export function openJsonList<T>(file: string, isEntry: (value: unknown) => value is T): JsonList<T> {
  let cache: { stamp: string; entries: readonly T[] } = { stamp: '', entries: [] };

  function parse(): readonly T[] | undefined {
    const value = readJson<unknown>(file, fs.existsSync(file) ? undefined : []);
    return Array.isArray(value) ? value.filter(isEntry) : undefined;
  }

  return {
    read() {
      const stat = fs.statSync(file, { throwIfNoEntry: false });
      const stamp = stat ? `${stat.ino} ${stat.size} ${stat.ctimeMs}` : 'none';
      if (stamp === cache.stamp) return cache.entries;
      const settled = !stat || Math.abs(Date.now() - stat.ctimeMs) > SETTLED_MS;
      cache = { stamp: settled ? stamp : '', entries: parse() ?? cache.entries };
      return cache.entries;
    },
    change(next) {
      locked(file, () => {
        const entries = parse();
        if (!entries) throw new UserError(`access/${path.basename(file)} is not a JSON list; mend or delete it first.`);
        writeJson(file, next(entries));
      });
    },
  };
}
