/**
 * The charts' typeface, DejaVu Sans: its characters and their widths.
 * https://learn.microsoft.com/typography/opentype/spec/
 */
import { readFileSync } from 'node:fs';
import { assetFile } from '../../lib/asset.ts';

export const FAMILY = 'DejaVu Sans';
export const FACES = ['DejaVuSans', 'DejaVuSans-Bold'] as const;
type Face = (typeof FACES)[number];

export const faceFile = (face: Face): string => assetFile(`dejavu-fonts-ttf/ttf/${face}.ttf`);

/** The width of each character in ems. */
type Widths = ReadonlyMap<number, number>;
const read = new Map<Face, Widths>();

export function widthOf(char: string, isBold: boolean): number {
  return widthsOf(isBold ? 'DejaVuSans-Bold' : 'DejaVuSans').get(char.codePointAt(0) ?? 0) ?? 0.6;
}

/**
 * Reduces text to characters of this face on one line: removes controls and emoji, replaces others by a question mark.
 */
export function drawable(text: string): string {
  // Most labels are plain ASCII, and there may be 100,000 of them.
  if (/^[!-~]+( [!-~]+)*$/.test(text)) return text;
  const plain = text.replace(/\s+/g, ' ').replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]|\p{Extended_Pictographic}|\ufe0f/gu, '');
  const known = widthsOf('DejaVuSans');
  let out = '';
  for (const char of plain.normalize('NFC')) {
    if (known.has(char.codePointAt(0) ?? 0)) out += char;
    else if (!/\p{M}/u.test(char)) out += '?';
  }
  return out.trim();
}

function widthsOf(face: Face): Widths {
  const known = read.get(face);
  if (known) return known;
  const font = readFileSync(faceFile(face));
  const tables = new Map<string, number>();
  for (let at = 12; at < 12 + font.readUInt16BE(4) * 16; at += 16)
    tables.set(font.toString('latin1', at, at + 4), font.readUInt32BE(at + 8));
  const table = (name: string) => tables.get(name) ?? 0;
  const em = font.readUInt16BE(table('head') + 18);
  const last = font.readUInt16BE(table('hhea') + 34) - 1;
  const widths = new Map<number, number>();
  for (const [code, glyph] of glyphsOf(font, table('cmap')))
    widths.set(code, font.readUInt16BE(table('hmtx') + Math.min(glyph, last) * 4) / em);
  read.set(face, widths);
  return widths;
}

/** Yields characters with their glyphs, from the full Unicode map (format 12). */
function* glyphsOf(font: Buffer, cmap: number): Generator<[code: number, glyph: number]> {
  for (let at = cmap + 4; at < cmap + 4 + font.readUInt16BE(cmap + 2) * 8; at += 8) {
    const map = cmap + font.readUInt32BE(at + 4);
    if (font.readUInt16BE(map) !== 12) continue;
    for (let group = map + 16; group < map + 16 + font.readUInt32BE(map + 12) * 12; group += 12) {
      const first = font.readUInt32BE(group);
      for (let code = first; code <= font.readUInt32BE(group + 4); code++)
        yield [code, font.readUInt32BE(group + 8) + code - first];
    }
    return;
  }
}
