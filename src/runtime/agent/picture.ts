/** Identifies a picture or PDF by its bytes: names and types from outside aren't trusted. Pure. */

export interface Picture {
  /** MIME type. */
  type: string;
  /** Pixels, if known. */
  width?: number;
  height?: number;
  isAnimated?: true;
  /** The rotation that cameras record (1 to 8, from Exif); absent for an upright one. */
  turn?: number;
  /** Page count of a PDF. */
  pages?: number;
  isLocked?: true;
}

/** Brands of files with the structure of MP4. */
const BRANDS: readonly [RegExp, string][] = [
  [/^(?:hei[cxms]|hev[cxms])/, 'image/heic'],
  [/^avi[fs]/, 'image/avif'],
  [/^(?:mif1|msf1)/, 'image/heic'],
];

/** Returns undefined for any other type, and for a file that starts like one but has no size. */
export function lookAtPicture(bytes: Buffer): Picture | undefined {
  const head = bytes.toString('latin1', 0, 64);
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return ofPng(bytes);
  if (head.startsWith('\xff\xd8\xff')) return ofJpeg(bytes);
  if (/^GIF8[79]a/.test(head)) return ofGif(bytes);
  if (/^RIFF.{4}WEBP/s.test(head)) return ofWebp(bytes);
  if (head.slice(4, 8) === 'ftyp') return ofBrand(head);
  if (bytes.subarray(0, 1024).includes('%PDF-')) return ofPdf(bytes);
  if (/^BM.{4}\0{4}/s.test(head)) return { type: 'image/bmp' };
  if (/^(?:II\*\0|MM\0\*)/.test(head)) return { type: 'image/tiff' };
  if (head.startsWith('8BPS')) return { type: 'image/vnd.adobe.photoshop' };
  if (head.startsWith('\xff\n') || head.slice(4, 8) === 'JXL ') return { type: 'image/jxl' };
  return undefined;
}

/** Patterns of files that only claim to be pictures, such as an error page, a video or a drawing in XML. */
const OTHERS: readonly [RegExp, string][] = [
  [/^.{4}ftyp/s, 'video/mp4'],
  [/^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?<svg\b/i, 'image/svg'],
  [/^(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head|body)\b/i, 'text/html'],
];

/** Returns the type of a file that is not a picture, from its bytes; undefined when it isn't recognised. */
export function lookAtOther(bytes: Buffer): Picture | undefined {
  const head = bytes.toString('latin1', 0, 256);
  if (head.startsWith('\0\0\x01\0')) return { type: 'image/ico' };
  const type = OTHERS.find(([pattern]) => pattern.test(head))?.[1];
  return type === undefined ? undefined : { type };
}

function ofBrand(head: string): Picture | undefined {
  const brands = [head.slice(8, 12), ...(head.slice(16).match(/[\s\S]{4}/g) ?? [])];
  const type = BRANDS.find(([brand]) => brands.some((each) => brand.test(each)))?.[1];
  return type === undefined ? undefined : { type };
}

const sized = (type: string, width: number, height: number, isAnimated = false): Picture => ({
  type,
  width,
  height,
  ...(isAnimated && { isAnimated }),
});

function ofPng(bytes: Buffer): Picture {
  if (bytes.length < 24) return { type: 'image/png' };
  const data = bytes.indexOf('IDAT');
  const animation = bytes.indexOf('acTL');
  const isAnimated = animation > 0 && (data < 0 || animation < data);
  return sized('image/png', bytes.readUInt32BE(16), bytes.readUInt32BE(20), isAnimated);
}

function ofJpeg(bytes: Buffer): Picture {
  let turn: number | undefined;
  for (let at = 2; at + 9 < bytes.length; ) {
    if (bytes[at] !== 0xff) break;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) at += 1;
    // The frame header; three numbers in that range are tables.
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const size = sized('image/jpeg', bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5));
      return turn === undefined ? size : { ...size, turn };
    } else {
      const length = bytes.readUInt16BE(at + 2);
      if (marker === 0xe1) turn ??= turnIn(bytes.subarray(at + 4, at + 2 + length));
      at += 2 + length;
    }
  }
  return { type: 'image/jpeg' };
}

/** Searches the first directory of an Exif segment, whose entries are 12 bytes each. */
function turnIn(segment: Buffer): number | undefined {
  if (segment.toString('latin1', 0, 6) !== 'Exif\0\0') return undefined;
  const tiff = segment.subarray(6);
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number) => (at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const long = (at: number) => (isLittle ? short(at) + short(at + 2) * 65_536 : short(at) * 65_536 + short(at + 2));
  const directory = long(4);
  for (let entry = 0; entry < Math.min(short(directory), 100); entry += 1) {
    const at = directory + 2 + entry * 12;
    if (short(at) !== 0x0112) continue;
    const turn = short(at + 8);
    return turn >= 2 && turn <= 8 ? turn : undefined;
  }
  return undefined;
}

function ofGif(bytes: Buffer): Picture {
  if (bytes.length < 13) return { type: 'image/gif' };
  const size = sized('image/gif', bytes.readUInt16LE(6), bytes.readUInt16LE(8));
  const tableOf = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let at = 13 + tableOf(bytes[10] ?? 0);
  let frames = 0;
  while (at < bytes.length && frames < 2) {
    const block = bytes[at];
    if (block === 0x2c) {
      frames += 1;
      at += 10 + tableOf(bytes[at + 9] ?? 0) + 1;
    } else if (block === 0x21) at += 2;
    else break;
    for (let length = bytes[at]; length !== undefined && length > 0; length = bytes[at]) at += length + 1;
    at += 1;
  }
  return frames > 1 ? { ...size, isAnimated: true } : size;
}

function ofWebp(bytes: Buffer): Picture {
  const kind = bytes.toString('latin1', 12, 16);
  if (kind === 'VP8X' && bytes.length >= 30)
    return sized('image/webp', bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1, ((bytes[20] ?? 0) & 2) !== 0);
  if (kind === 'VP8L' && bytes.length >= 25) {
    const bits = bytes.readUInt32LE(21);
    return sized('image/webp', (bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
  }
  if (kind === 'VP8 ' && bytes.length >= 30)
    return sized('image/webp', bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff);
  return { type: 'image/webp' };
}

/** Characters around an object's type in which the rest of it is searched. */
const OBJECT = 20_000;

/** Pages packed into streams can't be counted one by one, so their list's count is used. */
function ofPdf(bytes: Buffer): Picture {
  const text = bytes.toString('latin1');
  const single = text.match(/\/Type\s{0,9}\/Page(?![a-z])/g)?.length ?? 0;
  const lists = [...text.matchAll(/\/Type\s{0,9}\/Pages\b/g)].slice(0, 1_000).map(({ index }) => countIn(text, index));
  const pages = Math.max(single, ...lists, 0);
  const isLocked = /\/Encrypt\s{0,9}(?:\s\d{1,9}\s|<<)/.test(text);
  return { type: 'application/pdf', ...(pages > 0 && { pages }), ...(isLocked && { isLocked }) };
}

/** Returns the count of the object with the list of pages; outlines have a count too. */
function countIn(text: string, at: number): number {
  const [, before = ''] = /(?:.*\bobj\b)?(.*)$/s.exec(text.slice(Math.max(0, at - OBJECT), at)) ?? [];
  const [after = ''] = text.slice(at, at + OBJECT).split('endobj', 1);
  return Number(/\/Count\s{0,9}(\d{1,7})\b/.exec(before + after)?.[1] ?? 0);
}
