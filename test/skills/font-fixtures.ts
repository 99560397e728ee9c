/** Fonts made of the charts' own, with other characters for its glyphs. https://learn.microsoft.com/typography/opentype/spec/ */
import { readFileSync } from 'node:fs';
import { faceFile } from '../../src/features/charts/font.ts';

/** Where the full map of characters is. */
function fullMapOf(font: Buffer): number {
  for (let at = 12; at < 12 + font.readUInt16BE(4) * 16; at += 16) {
    if (font.toString('latin1', at, at + 4) !== 'cmap') continue;
    const cmap = font.readUInt32BE(at + 8);
    for (let record = cmap + 4; record < cmap + 4 + font.readUInt16BE(cmap + 2) * 8; record += 8) {
      const map = cmap + font.readUInt32BE(record + 4);
      if (font.readUInt16BE(map) === 12) return map;
    }
  }
  throw new Error('the font has no full map');
}

function glyphOf(font: Buffer, char: string): number {
  const code = char.codePointAt(0) ?? 0;
  const map = fullMapOf(font);
  for (let group = map + 16; group < map + 16 + font.readUInt32BE(map + 12) * 12; group += 12)
    if (font.readUInt32BE(group) <= code && code <= font.readUInt32BE(group + 4))
      return font.readUInt32BE(group + 8) + code - font.readUInt32BE(group);
  throw new Error(`the font has no ${char}`);
}

/** A font of another name that shows each character as a Latin letter. */
export function fontWith(letters: Readonly<Record<string, string>>): Buffer {
  const font = readFileSync(faceFile('DejaVuSans'));
  const glyphs = Object.entries(letters).map(([char, letter]): [number, number] => [
    char.codePointAt(0) ?? 0,
    glyphOf(font, letter),
  ]);
  const map = fullMapOf(font);
  font.writeUInt32BE(glyphs.length, map + 12);
  for (const [at, [code, glyph]] of glyphs.toSorted(([a], [b]) => a - b).entries()) {
    font.writeUInt32BE(code, map + 16 + at * 12);
    font.writeUInt32BE(code, map + 20 + at * 12);
    font.writeUInt32BE(glyph, map + 24 + at * 12);
  }
  for (const encoding of ['latin1', 'utf16le'] as const) {
    const inside = (text: string) =>
      encoding === 'latin1' ? Buffer.from(text, encoding) : Buffer.from(text, encoding).swap16();
    const [before, after] = [inside('DejaVu'), inside('Ersatz')];
    for (let at = font.indexOf(before); at >= 0; at = font.indexOf(before, at + 1)) after.copy(font, at);
  }
  return font;
}

/** The font with its map of the first 65,536 characters alone. */
export function withoutFullMap(font: Buffer): Buffer {
  const changed = Buffer.from(font);
  changed.writeUInt16BE(99, fullMapOf(font));
  return changed;
}

/** A collection of one font: its tables are found from the beginning of the file. */
export function collectionOf(font: Buffer): Buffer {
  const head = Buffer.alloc(16);
  head.write('ttcf', 'latin1');
  head.writeUInt32BE(0x0001_0000, 4);
  head.writeUInt32BE(1, 8);
  head.writeUInt32BE(16, 12);
  const moved = Buffer.from(font);
  for (let at = 12; at < 12 + font.readUInt16BE(4) * 16; at += 16)
    moved.writeUInt32BE(font.readUInt32BE(at + 8) + 16, at + 8);
  return Buffer.concat([head, moved]);
}
