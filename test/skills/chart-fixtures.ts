/** A PNG read back by a decoder of its own, and what can be asked of the picture. */
import { crc32, inflateSync } from 'node:zlib';

export type Rgb = readonly [number, number, number];

export interface Picture {
  width: number;
  height: number;
  at(x: number, y: number): Rgb;
  /** Pixels of this colour; a renderer may round each part by one. */
  count(colour: Rgb): number;
  /** Of each column its pixels of this colour: how many, and the first from the top. */
  columns(colour: Rgb): { x: number; count: number; top: number }[];
  /** Runs of neighbouring columns that have the colour, left to right, with the highest count in each. */
  bars(colour: Rgb): { from: number; to: number; height: number }[];
}

const SIGNATURE = '89504e470d0a1a0a';

/** Throws for anything that is not a whole, correct PNG of 8-bit RGB without transparency. */
export function decodePng(png: Buffer): Picture {
  if (png.subarray(0, 8).toString('hex') !== SIGNATURE) throw new Error('no PNG');
  const chunks: { type: string; data: Buffer }[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const body = png.subarray(at + 4, at + 8 + length);
    if (crc32(body) !== png.readUInt32BE(at + 8 + length)) throw new Error('wrong checksum');
    chunks.push({ type: body.subarray(0, 4).toString('latin1'), data: body.subarray(4) });
    at += 12 + length;
  }
  const [header, ...rest] = chunks;
  if (header?.type !== 'IHDR' || rest.at(-1)?.type !== 'IEND') throw new Error('wrong order of chunks');
  const [width, height] = [header.data.readUInt32BE(0), header.data.readUInt32BE(4)];
  if (header.data.subarray(8).toString('hex') !== '0806000000') throw new Error('not 8-bit RGBA');
  const raw = inflateSync(Buffer.concat(rest.filter(({ type }) => type === 'IDAT').map(({ data }) => data)));
  const stride = width * 4;
  if (raw.length !== (stride + 1) * height) throw new Error('wrong amount of data');
  const pixels = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)] ?? -1;
    for (let x = 0; x < stride; x++) {
      const left = x < 4 ? 0 : (pixels[y * stride + x - 4] ?? 0);
      const above = y === 0 ? 0 : (pixels[(y - 1) * stride + x] ?? 0);
      const corner = y === 0 || x < 4 ? 0 : (pixels[(y - 1) * stride + x - 4] ?? 0);
      const guess = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter];
      if (guess === undefined) throw new Error(`filter ${filter}`);
      pixels[y * stride + x] = (raw[y * (stride + 1) + 1 + x] ?? 0) + guess;
    }
  }
  for (let at = 3; at < pixels.length; at += 4) if (pixels[at] !== 255) throw new Error('transparent');
  const at = (x: number, y: number): Rgb => {
    const start = y * stride + x * 4;
    return [pixels[start] ?? -1, pixels[start + 1] ?? -1, pixels[start + 2] ?? -1];
  };
  const columns: Picture['columns'] = (colour) =>
    Array.from({ length: width }, (_, x) => {
      const found = { x, count: 0, top: height };
      for (let y = 0; y < height; y++) {
        const pixel = at(x, y);
        if (pixel.some((part, index) => Math.abs(part - (colour[index] ?? 0)) > 1)) continue;
        found.count++;
        found.top = Math.min(found.top, y);
      }
      return found;
    });
  return {
    ...{ width, height, at, columns },
    count: (colour) => columns(colour).reduce((sum, { count }) => sum + count, 0),
    bars(colour) {
      const found: { from: number; to: number; height: number }[] = [];
      for (const { x, count } of columns(colour)) {
        const last = found.at(-1);
        if (count === 0) continue;
        if (last?.to === x - 1) Object.assign(last, { to: x, height: Math.max(last.height, count) });
        else found.push({ from: x, to: x, height: count });
      }
      return found;
    },
  };
}

/** https://www.w3.org/TR/png-3/#9Filter-type-4-Paeth */
function paeth(left: number, above: number, corner: number): number {
  const [a, b, c] = [Math.abs(above - corner), Math.abs(left - corner), Math.abs(left + above - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? above : corner;
}
