/** Reads a file of any kind as text, page by page, or says why it isn't text. */
import { isAscii, isUtf8 } from 'node:buffer';
import fs from 'node:fs';
import { promisify } from 'node:util';
import { UserError } from '../../errors.ts';
import {
  type Charset,
  decodeCharset,
  type Guess,
  guessCharset,
  isControlled,
  isIso2022Jp,
  unitOf,
  unmarkedUnicode,
} from '../../lib/charset.ts';
import { markedUnicode } from '../../lib/text.ts';
import { formatSize } from '../context/turn.ts';

const PAGE_BYTES = 65_536;
const SNIFF_BYTES = 8_192;

export interface TextPage {
  text: string;
  size: number;
  /** Absent on the last page. */
  next?: number;
  encoding?: string;
  note?: string;
}

const UNSURE =
  'Its encoding could not be recognised: letters beyond ASCII are a guess and may be wrong. Say so, and ask for the file in UTF-8.';
const DAMAGED = "It is damaged: each � stands for bytes that aren't a character.";

/** The gateway itself has written the text. */
export async function readStoredPage(file: string, label: string, offset: number): Promise<TextPage> {
  const fd = fs.openSync(file, 'r');
  try {
    return await readTextPage(fd, label, offset, 'text/plain');
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * Never cuts a character, so a page may be a few bytes shorter.
 * @throws UserError that names `label`, type and size, for a file that isn't text
 */
export async function readTextPage(fd: number, label: string, offset: number, type?: string): Promise<TextPage> {
  const { size } = fs.fstatSync(fd);
  const head = await bytesAt(fd, 0, Math.min(size, SNIFF_BYTES));
  const guess = await sniff(fd, head, size);
  if (guess === 'binary') {
    const what = type && !type.startsWith('text/') ? type : binaryType(head);
    throw new UserError(`${label} is not text: ${what}, ${formatSize(size)}.`);
  }
  const { charset, isUnsure, isDamaged } = guess;
  const unit = unitOf(charset);
  const from = Math.min(size, Math.max(0, Math.floor(offset / unit) * unit));
  const page = await bytesAt(fd, from, Math.min(PAGE_BYTES, size - from));
  const isLast = from + page.length >= size;
  const whole = isLast ? page : page.subarray(0, wholeCharacters(page, charset));
  const next = from + whole.length;
  return {
    text: decodeCharset(charset, whole),
    size,
    ...(next < size ? { next } : {}),
    ...(charset === 'utf-8' ? {} : { encoding: charset }),
    ...(isUnsure && { note: UNSURE }),
    ...(isDamaged && { note: DAMAGED }),
  };
}

const readBytes = promisify(fs.read);

async function bytesAt(fd: number, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await readBytes(fd, buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/**
 * Byte order marks and signatures decide; otherwise more than a stray control character means binary, valid UTF-8 is
 * UTF-8, and the rest is damaged or of an older encoding.
 */
async function sniff(fd: number, head: Buffer, size: number): Promise<Guess | 'binary'> {
  const marked = markedUnicode(head);
  if (marked) return { charset: marked };
  if (MAGIC.some(([mark]) => head.subarray(0, mark.length).equals(mark))) return 'binary';
  const unmarked = head.includes(0) ? unmarkedUnicode(head) : undefined;
  if (unmarked) return { charset: unmarked };
  if (isControlled(head)) return 'binary';
  if (isIso2022Jp(head)) return { charset: 'iso-2022-jp' };
  const telling = await firstBeyondAscii(fd, head, size);
  if (isUtf8Text(telling.bytes, telling.isCut)) return { charset: 'utf-8' };
  return guessCharset(telling.bytes);
}

/** A long list may begin with pages of ASCII, and only what follows reveals the encoding. */
async function firstBeyondAscii(fd: number, head: Buffer, size: number): Promise<{ bytes: Buffer; isCut: boolean }> {
  let bytes = head;
  let at = 0;
  while (isAscii(bytes) && at + bytes.length < size) {
    at += bytes.length;
    bytes = await bytesAt(fd, at, Math.min(SCAN_BYTES, size - at));
    if (bytes.length === 0) break;
  }
  const first = at === 0 ? 0 : bytes.findIndex((byte) => byte >= 0x80);
  const found = bytes.subarray(Math.max(0, first), Math.max(0, first) + SNIFF_BYTES);
  return { bytes: found, isCut: at + Math.max(0, first) + found.length < size };
}

const SCAN_BYTES = 1_048_576;

function isUtf8Text(bytes: Buffer, isCut: boolean): boolean {
  return isUtf8(isCut ? bytes.subarray(0, wholeCharacters(bytes, 'utf-8')) : bytes);
}

/** An incomplete character at the end goes to the next page. */
function wholeCharacters(page: Buffer, charset: Charset): number {
  // This encoding returns to ASCII at the end of each line.
  if (charset === 'iso-2022-jp') return page.lastIndexOf(10) + 1 || page.length;
  if (charset.startsWith('utf-32')) return page.length - (page.length % 4);
  const decoder = new TextDecoder(charset, { fatal: true });
  for (let back = 0; back <= 3 && back < page.length; back++) {
    const whole = page.subarray(0, page.length - back);
    try {
      decoder.decode(whole);
      return whole.length;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }
  return afterLastPlain(page, charset);
}

/** A damaged page may be cut after a byte that is a whole character in every encoding. */
function afterLastPlain(page: Buffer, charset: Charset): number {
  const unit = unitOf(charset);
  if (unit > 1) return page.length - (page.length % unit);
  const at = page.findLastIndex((byte) => byte < 0x30);
  return at > page.length / 2 ? at + 1 : page.length;
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
