/**
 * Lists a zip and unpacks only the requested entries. Invariant: it never unpacks more than the limits, whatever sizes
 * are declared. An entry gets the space that it declares and not a byte more.
 */
import { type UnzipFileInfo, unzipSync, type Zippable, zipSync } from 'fflate';
import { decodedText, markedUnicode } from '../../../lib/text.ts';
import { DAMAGED, DocumentError } from './refused.ts';

const MAX_ENTRY = 64 * 1024 * 1024;
const MAX_TOTAL = 128 * 1024 * 1024;
const MAX_ENTRIES = 20_000;
const TOO_LARGE = 'It unpacks to far more than its size, so it was not opened.';

export interface Entry {
  name: string;
  /** The declared unpacked size. */
  size: number;
}

/**
 * Lists the entries of a zip without unpacking them.
 * @throws {DocumentError}
 */
export function listEntries(bytes: Uint8Array): Entry[] {
  const entries: Entry[] = [];
  unzip(bytes, ({ name, originalSize }) => {
    if (entries.length >= MAX_ENTRIES) throw new DocumentError('It contains too many files.');
    entries.push({ name: slashed(name), size: originalSize });
    return false;
  });
  return entries;
}

/** @throws {DocumentError} if the zip is damaged or the requested entries are too large */
export function unpack(bytes: Uint8Array, isWanted: (name: string) => boolean): Map<string, Uint8Array> {
  let total = 0;
  const files = unzip(bytes, ({ name, originalSize }) => {
    if (!isWanted(slashed(name))) return false;
    total += originalSize;
    if (originalSize > MAX_ENTRY || total > MAX_TOTAL) throw new DocumentError(TOO_LARGE);
    return true;
  });
  return new Map(Object.entries(files).map(([name, part]) => [slashed(name), inUtf8(part)]));
}

/** Some programs on Windows write names with Windows separators. */
const slashed = (name: string): string => name.replaceAll('\\', '/');

/** Converts XML to UTF-8. Its first bytes say whether it is in UTF-16. */
const inUtf8 = (part: Uint8Array): Uint8Array =>
  markedUnicode(part) ? new TextEncoder().encode(decodedText(part).replace(/^<\?xml[^>]*\?>/, '')) : part;

/** Returns a zip with only these files, for libraries that unpack by themselves. */
export function packed(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const all: Zippable = Object.fromEntries(files);
  return zipSync(all, { level: 0 });
}

function unzip(bytes: Uint8Array, filter: (file: UnzipFileInfo) => boolean): Record<string, Uint8Array> {
  try {
    return unzipSync(bytes, { filter });
  } catch (error) {
    throw error instanceof DocumentError ? error : new DocumentError(DAMAGED, { cause: error });
  }
}
