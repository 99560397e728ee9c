/** Redraws one picture as a PNG, smaller if needed. Of an animation it draws the first frame. */
import { readFile } from 'node:fs/promises';
import { assetFile } from '../../../lib/asset.ts';
import { answerInProcess } from '../../../lib/worker-process.ts';
import type { Redrawing } from '../pictures.ts';

/** Transformation matrices by the orientation number in Exif. */
const TURNS: Readonly<Record<number, (width: number, height: number) => string>> = {
  2: (width) => `-1 0 0 1 ${width} 0`,
  3: (width, height) => `-1 0 0 -1 ${width} ${height}`,
  4: (_width, height) => `1 0 0 -1 0 ${height}`,
  5: () => '0 1 1 0 0 0',
  6: (_width, height) => `0 1 -1 0 ${height} 0`,
  7: (width, height) => `0 -1 -1 0 ${height} ${width}`,
  8: (width) => `0 -1 1 0 0 ${width}`,
};

async function redraw({ type, width, height, turn = 1 }: Redrawing, file: Buffer): Promise<Uint8Array> {
  const { initWasm, Resvg } = await import('@resvg/resvg-wasm');
  await initWasm(readFile(assetFile('@resvg/resvg-wasm/index_bg.wasm')));
  const href = `data:${type};base64,${file.toString('base64')}`;
  const size = `width="${width}" height="${height}"`;
  const whole = turn >= 5 ? `width="${height}" height="${width}"` : size;
  const turned = `transform="matrix(${TURNS[turn]?.(width, height) ?? '1 0 0 1 0 0'})"`;
  const drawing = new Resvg(
    `<svg xmlns="http://www.w3.org/2000/svg" ${whole}><image ${size} ${turned} preserveAspectRatio="none" href="${href}"/></svg>`,
  );
  const picture = drawing.render();
  // A picture that the library can't decode leaves an empty drawing.
  if (picture.pixels.every((value) => value === 0)) throw new Error('there is no picture in it');
  return picture.asPng();
}

await answerInProcess<Redrawing>(
  async (picture, readOpenFile) => ({ bytes: await redraw(picture, readOpenFile()) }),
  (error): error is Error => error instanceof Error,
);
