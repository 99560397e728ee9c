/**
 * The keys of everything finished within the last 30 days, so that a repeated event has no effect. Memory holds eight
 * bytes of each key in one table. On disk each closed segment of the log has a file of its keys (`2026-01-31.7.keys`,
 * one per line), which is rebuilt from the segment if it is missing.
 */
import { hash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../errors.ts';
import { namesIn, setAside } from '../../lib/damage.ts';
import { readWhole, reportBlocked } from '../../lib/json.ts';
import { replay } from './log-lines.ts';
import { replaceSynced, segmentNames } from './segment.ts';

const ABOUT = { lost: 'the list of answered messages', next: 'A message that arrives again may be answered again.' };
const FIRST_SIZE = 1 << 12;

/** A set of keys that only grows. The chance of a false match is that of guessing 64 bits. */
export class KeySet {
  #table = new Uint32Array(2 * FIRST_SIZE);
  #count = 0;

  add(key: string): void {
    const [high, low] = fingerprint(key);
    const at = find(this.#table, high, low);
    if (this.#table[at] !== 0 || this.#table[at + 1] !== 0) return;
    this.#table[at] = high;
    this.#table[at + 1] = low;
    if (++this.#count * 4 > this.#table.length) this.#grow();
  }

  has(key: string): boolean {
    const [high, low] = fingerprint(key);
    const at = find(this.#table, high, low);
    return this.#table[at] !== 0 || this.#table[at + 1] !== 0;
  }

  #grow(): void {
    const old = this.#table;
    this.#table = new Uint32Array(2 * old.length);
    for (let at = 0; at < old.length; at += 2) {
      const high = old[at] ?? 0;
      const low = old[at + 1] ?? 0;
      if (high === 0 && low === 0) continue;
      const place = find(this.#table, high, low);
      this.#table[place] = high;
      this.#table[place + 1] = low;
    }
  }
}

/**
 * Returns 64 bits of the key's hash. Keys of messages are hashes already; those of answers and notices aren't. Never 0,
 * 0, which marks a free slot.
 */
function fingerprint(key: string): [high: number, low: number] {
  const hex = /^[0-9a-f]{32}$/.test(key) ? key : hash('sha256', key);
  return [Number.parseInt(hex.slice(0, 8), 16), (Number.parseInt(hex.slice(8, 16), 16) | 1) >>> 0];
}

/** Returns the index of the fingerprint in the table, or of the free slot where it would go. */
function find(table: Uint32Array, high: number, low: number): number {
  const mask = table.length / 2 - 1;
  for (let place = (high ^ low) & mask; ; place = (place + 1) & mask) {
    const at = 2 * place;
    const isEmpty = table[at] === 0 && table[at + 1] === 0;
    if (isEmpty || (table[at] === high && table[at + 1] === low)) return at;
  }
}

const keysFile = (folder: string, segment: string): string => path.join(folder, `${segment}.keys`);

/** Returns undefined when there is no such file. */
export function readKeys(folder: string, segment: string): string[] | undefined {
  const read = readWhole(keysFile(folder, segment));
  // An unreadable file can be rebuilt.
  return read?.why === undefined ? read?.text?.split('\n').filter(Boolean) : undefined;
}

/**
 * Writes a segment's keys. They are on disk when it returns, since the lines they were made from may not be.
 * @throws a system error
 */
export function writeKeys(folder: string, segment: string, keys: readonly string[]): void {
  const file = keysFile(folder, segment);
  if (fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() === false) setAside(file);
  replaceSynced(
    file,
    keys.map((key) => `${key}\n`),
  );
}

/** A missing file only costs time at each start, so a full disk must not fail one. */
function tryToWriteKeys(folder: string, segment: string, keys: readonly string[]): void {
  try {
    writeKeys(folder, segment, keys);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}

/** Yields the keys of all segments but the current one, including segments that were deleted. */
export function* finishedIn(folder: string, current: string | undefined): Generator<string> {
  const files = namesIn(folder).filter((name) => name.endsWith('.keys'));
  const closed = new Set([...segmentNames(folder), ...files.map((name) => name.slice(0, -'.keys'.length))]);
  for (const name of closed) {
    if (name === current) continue;
    yield* readKeys(folder, name) ?? keysAnew(folder, name);
  }
}

/** Rebuilds a segment's keys. If it may not be read, returns none and writes no file. */
function keysAnew(folder: string, name: string): string[] {
  const file = path.join(folder, `${name}.jsonl`);
  try {
    const { finished } = replay(file);
    tryToWriteKeys(folder, name, finished);
    return finished;
  } catch (error) {
    reportBlocked(file, error, ABOUT);
    return [];
  }
}
