/**
 * Reads the files of a zip. Invariant: unpacking is bounded by the declared sizes, and those by the limits, so a bomb
 * is refused before it is opened; an entry that unpacks to another size is damaged.
 */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { UserError } from '../../errors.ts';
import { say } from '../../messages/messages.ts';
import { LIMITS, type Tree, type TreeEntry, tooLarge } from './tree.ts';

interface ZipEntry extends TreeEntry {
  /** The name as in the zip. */
  raw: string;
  crc: number;
}

/** @throws UserError for a file that isn't a zip, is damaged, or unpacks to too much */
export async function openZip(bytes: Buffer, title: string): Promise<Tree> {
  const { unzipSync } = await import('fflate');
  const listed = listZip(bytes);
  let total = 0;
  const unpack = (isWanted: (raw: string) => boolean) => {
    try {
      return unzipSync(bytes, { filter: ({ name }) => isWanted(name) });
    } catch (error) {
      throw damaged(error);
    }
  };
  // Both readers must see the same: a zip whose two lists differ was made to deceive one of them.
  const seen: string[] = [];
  unpack((raw) => {
    seen.push(raw);
    return false;
  });
  if (seen.join('\0') !== listed.map(({ raw }) => raw).join('\0')) throw damaged();
  for (const { size } of listed) {
    total += size;
    if (total > LIMITS.unpacked) throw tooLarge();
  }
  const entries = listed.filter(({ raw }) => !/[/\\]$/.test(raw));
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  if (byName.size !== entries.length) throw damaged();
  return {
    entries,
    title,
    version: createHash('sha256').update(bytes).digest('hex'),
    async read(names) {
      const wanted = new Set(names.map((name) => byName.get(name)?.raw));
      const found = unpack((raw) => wanted.has(raw));
      return new Map(
        names.map((name) => {
          const entry = byName.get(name);
          const content = Buffer.from(found[entry?.raw ?? ''] ?? []);
          if (!entry || content.length !== entry.size || crc32(content) !== entry.crc) throw damaged();
          return [name, content];
        }),
      );
    },
    close: async () => undefined,
  };
}

const damaged = (cause?: unknown): UserError => new UserError(say('adding.notZip'), { cause });

const [END, HEADER] = [0x06054b50, 0x02014b50];
const MAX_COMMENT = 65_535;
const [LINK, FILE, KIND] = [0o120000, 0o100000, 0o170000];

/** Reads the directory at the end of a zip. One with more than 65,535 entries, or over 4 GB, is too large anyway. */
export function listZip(bytes: Buffer): ZipEntry[] {
  let end = bytes.length - 22;
  const first = Math.max(0, end - MAX_COMMENT);
  while (end >= first && bytes.readUInt32LE(end) !== END) end--;
  if (end < first || bytes.length < 22) throw damaged();
  const count = bytes.readUInt16LE(end + 10);
  if (count > LIMITS.entries) throw tooLarge();
  const listed: ZipEntry[] = [];
  let at = bytes.readUInt32LE(end + 16);
  for (let index = 0; index < count; index++) {
    if (at + 46 > end || bytes.readUInt32LE(at) !== HEADER) throw damaged();
    const [packed, size] = [bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 24)];
    const nameLength = bytes.readUInt16LE(at + 28);
    const isUtf8 = (bytes.readUInt16LE(at + 8) & 0x800) !== 0;
    const raw = bytes.toString(isUtf8 ? 'utf8' : 'latin1', at + 46, at + 46 + nameLength);
    const mode = bytes[at + 5] === 3 ? bytes.readUInt16LE(at + 40) : 0;
    if (size > 1_000_000 && size > packed * LIMITS.ratio) throw tooLarge();
    listed.push({
      raw,
      size,
      crc: bytes.readUInt32LE(at + 16),
      // Windows uses backslashes as separators; names contain none otherwise.
      name: raw.replaceAll('\\', '/'),
      kind: entryKind(mode & KIND),
      isExecutable: (mode & 0o100) !== 0,
    });
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return listed;
}

function entryKind(mode: number): TreeEntry['kind'] {
  if (mode === 0 || mode === FILE) return 'file';
  return mode === LINK ? 'link' : 'other';
}
