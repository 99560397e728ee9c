/** One picture drawn anew as a PNG, smaller where it has to be: of an animation its first picture. */
import { readFile } from 'node:fs/promises';
import { assetFile } from '../../../lib/asset.ts';
import { answerInThread } from '../../../lib/thread.ts';
import type { Redrawing } from '../pictures.ts';

async function redraw({ path, type, width, height }: Redrawing): Promise<Uint8Array> {
  const { initWasm, Resvg } = await import('@resvg/resvg-wasm');
  await initWasm(readFile(assetFile('@resvg/resvg-wasm/index_bg.wasm')));
  const href = `data:${type};base64,${(await readFile(path)).toString('base64')}`;
  const size = `width="${width}" height="${height}"`;
  const drawing = new Resvg(
    `<svg xmlns="http://www.w3.org/2000/svg" ${size}><image ${size} preserveAspectRatio="none" href="${href}"/></svg>`,
  );
  const picture = drawing.render();
  // What it cannot decode leaves nothing behind.
  if (picture.pixels.every((value) => value === 0)) throw new Error('there is no picture in it');
  return picture.asPng();
}

await answerInThread<Redrawing>(redraw, (error): error is Error => error instanceof Error);
