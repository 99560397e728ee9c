/**
 * Reads which characters a font file has, and how wide they are, without reading the whole file.
 * https://learn.microsoft.com/typography/opentype/spec/
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { errorCode } from '../../errors.ts';

export interface Face {
  file: string;
  bytes: number;
  /** The width of a character in ems; undefined if the face doesn't have it. */
  widthOf(code: number): number | undefined;
}

/** Chinese fonts have the largest tables, below 2 MB. */
const MAX_TABLE = 8 * 1024 * 1024;
const MAX_TABLES = 200;
const COLLECTION = 'ttcf';

/** Returns the first face of a file; undefined for a file that isn't a font, or is damaged. */
export function readFace(file: string): Face | undefined {
  let descriptor: number | undefined;
  try {
    // A pipe would block here until somebody writes to it.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    return fstatSync(descriptor).isFile() ? faceOf(file, descriptor) : undefined;
  } catch (error) {
    // Lengths in a damaged file lead out of it.
    if (error instanceof RangeError || errorCode(error) !== undefined) return undefined;
    throw error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function faceOf(file: string, descriptor: number): Face | undefined {
  const bytesAt = (at: number, length: number): Buffer => {
    const bytes = Buffer.alloc(Math.min(length, MAX_TABLE));
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, at));
  };
  const head = bytesAt(0, 16);
  const start = head.toString('latin1', 0, 4) === COLLECTION ? head.readUInt32BE(12) : 0;
  const count = Math.min(bytesAt(start, 12).readUInt16BE(4), MAX_TABLES);
  const records = bytesAt(start + 12, count * 16);
  const tables = new Map<string, Buffer>();
  for (let at = 0; at < count * 16; at += 16) {
    const name = records.toString('latin1', at, at + 4);
    if (/^(?:cmap|head|hhea|hmtx)$/.test(name))
      tables.set(name, bytesAt(records.readUInt32BE(at + 8), records.readUInt32BE(at + 12)));
  }
  const [cmap, heading, across, widths] = ['cmap', 'head', 'hhea', 'hmtx'].map((name) => tables.get(name));
  const glyphOf = cmap && characterMap(cmap);
  if (!glyphOf || !heading || !across || !widths) return undefined;
  const em = heading.readUInt16BE(18);
  const last = across.readUInt16BE(34) - 1;
  const known = new Map<number, number | undefined>();
  function emsOf(code: number): number | undefined {
    try {
      const glyph = glyphOf?.(code) ?? 0;
      return glyph === 0 ? undefined : (widths?.readUInt16BE(Math.min(glyph, last) * 4) ?? 0) / em;
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }
  return {
    file,
    bytes: fstatSync(descriptor).size,
    widthOf(code) {
      if (!known.has(code)) known.set(code, emsOf(code));
      return known.get(code);
    },
  };
}

type GlyphOf = (code: number) => number;

/** Returns the map of all of Unicode, else that of its first 65,536 characters. */
function characterMap(cmap: Buffer): GlyphOf | undefined {
  let small: GlyphOf | undefined;
  for (let at = 4; at < 4 + cmap.readUInt16BE(2) * 8; at += 8) {
    const map = cmap.subarray(cmap.readUInt32BE(at + 4));
    const format = map.readUInt16BE(0);
    if (format === 12) return (code) => inGroups(map, code);
    if (format === 4) small = (code) => inSegments(map, code);
  }
  return small;
}

/** Finds the last of `count` entries in order that doesn't begin after a character. */
function lastUpTo(count: number, code: number, startOf: (at: number) => number): number {
  let [low, high] = [0, count - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (startOf(middle) <= code) low = middle + 1;
    else high = middle - 1;
  }
  return high;
}

/** Format 12: groups of characters with the glyph of the first. */
function inGroups(map: Buffer, code: number): number {
  const at = 16 + 12 * lastUpTo(map.readUInt32BE(12), code, (group) => map.readUInt32BE(16 + 12 * group));
  if (at < 16 || code > map.readUInt32BE(at + 4)) return 0;
  return map.readUInt32BE(at + 8) + code - map.readUInt32BE(at);
}

/** Format 4: four lists, of ends, starts, differences and places in a list of glyphs. */
function inSegments(map: Buffer, code: number): number {
  if (code > 0xffff) return 0;
  const bytes = map.readUInt16BE(6);
  const [ends, starts, differences, places] = [14, 16 + bytes, 16 + 2 * bytes, 16 + 3 * bytes];
  const at = 2 * lastUpTo(bytes / 2, code, (segment) => map.readUInt16BE(starts + 2 * segment));
  if (at < 0 || code > map.readUInt16BE(ends + at)) return 0;
  const difference = map.readUInt16BE(differences + at);
  const place = map.readUInt16BE(places + at);
  if (place === 0) return (code + difference) & 0xffff;
  const glyph = map.readUInt16BE(places + at + place + 2 * (code - map.readUInt16BE(starts + at)));
  return glyph === 0 ? 0 : (glyph + difference) & 0xffff;
}
