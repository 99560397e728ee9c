/** What a picture or a PDF is, by its bytes: names and types from outside are not believed. Pure. */

export interface Picture {
  /** MIME type. */
  type: string;
  /** In pixels, where it is known. */
  width?: number;
  height?: number;
  isAnimated?: true;
  /** Of a PDF. */
  pages?: number;
  isLocked?: true;
}

/** The brands of files that are built like MP4. */
const BRANDS: readonly [RegExp, string][] = [
  [/^(?:hei[cxms]|hev[cxms])/, 'image/heic'],
  [/^avi[fs]/, 'image/avif'],
  [/^(?:mif1|msf1)/, 'image/heic'],
];

/** Undefined for what is none of these, and for what begins like one and has no size. */
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

function ofBrand(head: string): Picture | undefined {
  const brands = [head.slice(8, 12), ...(head.slice(16).match(/[\s\S]{4}/g) ?? [])];
  const type = BRANDS.find(([brand]) => brands.some((each) => brand.test(each)))?.[1];
  return type === undefined ? undefined : { type };
}

const sized = (type: string, width: number, height: number, isAnimated = false): Picture => ({
  ...{ type, width, height },
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
  for (let at = 2; at + 9 < bytes.length; ) {
    if (bytes[at] !== 0xff) break;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) at += 1;
    // The frame's header, but for the tables among those numbers.
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return sized('image/jpeg', bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5));
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return { type: 'image/jpeg' };
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

/** Pages that are packed into streams are not counted one by one: their list says how many there are. */
function ofPdf(bytes: Buffer): Picture {
  const text = bytes.toString('latin1');
  const single = text.match(/\/Type\s{0,9}\/Page(?![a-z])/g)?.length ?? 0;
  const counts = [...text.matchAll(/\/Count\s{1,9}(\d{1,7})\b/g)].map(([, count]) => Number(count));
  const pages = Math.max(single, ...counts.slice(0, 1_000), 0);
  const isLocked = /\/Encrypt\s{1,9}(?:\d{1,9}\s|<<)/.test(text);
  return { type: 'application/pdf', ...(pages > 0 && { pages }), ...(isLocked && { isLocked }) };
}
