/** Text out of a file of any kind, a page at a time; or the reason why it is none. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { UserError } from '../../errors.ts';
import { formatSize } from '../context/turn.ts';

/** Bytes of one page. */
const PAGE_BYTES = 65_536;
const SNIFF_BYTES = 8_192;

export interface TextPage {
  text: string;
  /** Of the whole file, in bytes. */
  size: number;
  /** Where the next page begins; absent on the last one. */
  next?: number;
  /** Named when it is not UTF-8. */
  encoding?: Encoding;
}

type Encoding = 'utf-16le' | 'utf-16be' | 'windows-1252';

/**
 * One page of a file, from `offset` bytes on. Characters are never cut: a page may be up to three bytes shorter.
 * Throws UserError for folders, links and files that are not text, naming `label`, the type and the size.
 */
export async function readTextPage(file: string, label: string, offset: number, type?: string): Promise<TextPage> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new UserError(`${label} is not a file.`);
    const head = await bytesAt(handle, 0, Math.min(stat.size, SNIFF_BYTES));
    const kind = sniff(head, head.length < stat.size);
    if (kind === 'binary') {
      const what = type && !type.startsWith('text/') ? type : binaryType(head);
      throw new UserError(`${label} is not text: ${what}, ${formatSize(stat.size)}.`);
    }
    const unit = kind.startsWith('utf-16') ? 2 : 1;
    const from = Math.min(stat.size, Math.max(0, Math.floor(offset / unit) * unit));
    const page = await bytesAt(handle, from, Math.min(PAGE_BYTES, stat.size - from));
    const isLast = from + page.length >= stat.size;
    const whole = isLast ? page : page.subarray(0, wholeCharacters(page, kind));
    const next = from + whole.length;
    return {
      text: new TextDecoder(kind).decode(whole),
      size: stat.size,
      ...(next < stat.size ? { next } : {}),
      ...(kind === 'utf-8' ? {} : { encoding: kind }),
    };
  } finally {
    await handle.close();
  }
}

async function bytesAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** A byte order mark decides; then NUL bytes and controls mean binary, valid UTF-8 is UTF-8, the rest an old Western file. */
function sniff(head: Buffer, isCut: boolean): 'utf-8' | Encoding | 'binary' {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  if (head.includes(0) || MAGIC.some(([mark]) => head.subarray(0, mark.length).equals(mark))) return 'binary';
  const body = isCut ? head.subarray(0, wholeCharacters(head, 'utf-8')) : head;
  const controls = body.reduce((sum, byte) => sum + (byte < 9 || (byte > 13 && byte < 32 && byte !== 27) ? 1 : 0), 0);
  if (controls * 100 > body.length) return 'binary';
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(body);
    return 'utf-8';
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return controls === 0 ? 'windows-1252' : 'binary';
  }
}

/** How many bytes of a page hold whole characters: an unfinished one at its end is left for the next page. */
function wholeCharacters(page: Buffer, encoding: 'utf-8' | Encoding): number {
  if (encoding === 'windows-1252') return page.length;
  if (encoding !== 'utf-8') {
    const even = page.length - (page.length % 2);
    const high = page[encoding === 'utf-16le' ? even - 1 : even - 2] ?? 0;
    return high >= 0xd8 && high <= 0xdb ? even - 2 : even;
  }
  for (let back = 1; back <= 3 && back <= page.length; back++) {
    const byte = page[page.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? page.length - back : page.length;
  }
  return page.length;
}

const magic = (text: string, type: string): [Buffer, string] => [Buffer.from(text, 'latin1'), type];
const MAGIC: readonly [Buffer, string][] = [
  magic('%PDF-', 'application/pdf'),
  magic('\x89PNG', 'image/png'),
  magic('\xff\xd8\xff', 'image/jpeg'),
  magic('GIF8', 'image/gif'),
  magic('PK\x03\x04', 'application/zip'),
  magic('\x1f\x8b', 'application/gzip'),
  magic('OggS', 'audio/ogg'),
  magic('SQLite format 3', 'application/vnd.sqlite3'),
];

const binaryType = (head: Buffer): string =>
  MAGIC.find(([mark]) => head.subarray(0, mark.length).equals(mark))?.[1] ?? 'application/octet-stream';
