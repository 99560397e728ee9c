/**
 * What is in a zip, and only what is wanted of it unpacked. Invariant: no more is unpacked than the limits, whatever sizes are
 * declared: an entry gets the room that it declares and no byte more.
 */
import { type UnzipFileInfo, unzipSync, type Zippable, zipSync } from 'fflate';
import { DAMAGED, Refused } from './refused.ts';

const MAX_ENTRY = 64 * 1024 * 1024;
const MAX_TOTAL = 128 * 1024 * 1024;
const MAX_ENTRIES = 20_000;
const TOO_LARGE = 'It unpacks to far more than its size: it is not opened.';

export interface Entry {
  name: string;
  /** Unpacked, as declared. */
  size: number;
}

/** Nothing is unpacked. Throws Refused. */
export function listEntries(bytes: Uint8Array): Entry[] {
  const entries: Entry[] = [];
  unzip(bytes, ({ name, originalSize }) => {
    if (entries.length >= MAX_ENTRIES) throw new Refused('There are too many files in it.');
    entries.push({ name, size: originalSize });
    return false;
  });
  return entries;
}

/** Throws Refused when the zip is damaged, or when what is wanted is too much. */
export function unpack(bytes: Uint8Array, isWanted: (name: string) => boolean): Map<string, Uint8Array> {
  let total = 0;
  const files = unzip(bytes, ({ name, originalSize }) => {
    if (!isWanted(name)) return false;
    total += originalSize;
    if (originalSize > MAX_ENTRY || total > MAX_TOTAL) throw new Refused(TOO_LARGE);
    return true;
  });
  return new Map(Object.entries(files));
}

/** A zip of these files alone, for libraries that unpack by themselves. */
export function packed(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const all: Zippable = Object.fromEntries(files);
  return zipSync(all, { level: 0 });
}

function unzip(bytes: Uint8Array, filter: (file: UnzipFileInfo) => boolean): Record<string, Uint8Array> {
  try {
    return unzipSync(bytes, { filter });
  } catch (error) {
    throw error instanceof Refused ? error : new Refused(DAMAGED, { cause: error });
  }
}
