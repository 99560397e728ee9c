/** Builds a picture as SVG from a few shapes and texts, and renders it to PNG. Coordinates are pixels, y downwards. */
import { readFile } from 'node:fs/promises';
import { assetFile } from '../../lib/asset.ts';
import { FACES, FAMILY, faceFile } from './font.ts';

export type Colour = readonly [red: number, green: number, blue: number];
export type Point = readonly [x: number, y: number];

const number = (value: number): string => String(Math.round(value * 100) / 100);
const pointText = ([x, y]: Point): string => `${number(x)} ${number(y)}`;
const path = (points: readonly Point[]): string => `M${points.map(pointText).join('L')}`;
const rgb = (colour: Colour): string => `rgb(${colour.join(',')})`;

/** Text may come from anywhere, so it is escaped. */
const escapeXml = (text: string): string => text.replace(/[<>&"']/g, (char) => `&#${char.charCodeAt(0)};`);

export class Canvas {
  readonly width: number;
  readonly height: number;
  readonly #shapes: string[];

  constructor(width: number, height: number, background: Colour) {
    this.width = width;
    this.height = height;
    this.#shapes = [`<rect width="${width}" height="${height}" fill="${rgb(background)}"/>`];
  }

  /** Fills closed shapes, which must not overlap. */
  fill(shapes: readonly (readonly Point[])[], colour: Colour, opacity = 1): void {
    const d = shapes.map((points) => `${path(points)}Z`).join('');
    this.#shapes.push(`<path d="${d}" fill="${rgb(colour)}" fill-opacity="${opacity}"/>`);
  }

  circle([x, y]: Point, radius: number, colour: Colour, opacity = 1): void {
    const at = `cx="${number(x)}" cy="${number(y)}" r="${number(radius)}"`;
    this.#shapes.push(`<circle ${at} fill="${rgb(colour)}" fill-opacity="${opacity}"/>`);
  }

  /** Draws lines with round ends and corners. A single point becomes a dot. */
  stroke(lines: readonly (readonly Point[])[], width: number, colour: Colour): void {
    const d = lines.map((points) => (points.length === 1 ? path([...points, ...points]) : path(points))).join('');
    const style = `stroke="${rgb(colour)}" stroke-width="${number(width)}" stroke-linecap="round" stroke-linejoin="round"`;
    this.#shapes.push(`<path d="${d}" fill="none" ${style}/>`);
  }

  /** @param angle radians, clockwise, around the point, which is on the text's baseline */
  text(
    words: string,
    at: Point,
    look: { size: number; colour: Colour; isBold: boolean; anchor: string; angle: number },
  ) {
    const { size, colour, isBold, anchor, angle } = look;
    const turn = `translate(${pointText(at)}) rotate(${number((angle * 180) / Math.PI)})`;
    const font = `font-size="${number(size)}" font-weight="${isBold ? 700 : 400}"`;
    this.#shapes.push(
      `<text transform="${turn}" ${font} text-anchor="${anchor}" fill="${rgb(colour)}">${escapeXml(words)}</text>`,
    );
  }

  /** @param files fonts that it needs beside the charts' own */
  async toPng(files: readonly string[] = []): Promise<Buffer> {
    renderer ??= loadRenderer();
    const { Resvg, fonts: own } = await renderer;
    const fonts = [...own, ...(await Promise.all(files.map((file) => readFile(file))))];
    const size = `width="${this.width}" height="${this.height}"`;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="${FAMILY}">${this.#shapes.join('')}</svg>`;
    const drawing = new Resvg(svg, { font: { fontBuffers: fonts, defaultFontFamily: FAMILY } });
    const picture = drawing.render();
    try {
      return Buffer.from(picture.asPng());
    } finally {
      picture.free();
      drawing.free();
    }
  }
}

/** Loaded once, for the first chart. */
let renderer: ReturnType<typeof loadRenderer> | undefined;

async function loadRenderer() {
  const { initWasm, Resvg } = await import('@resvg/resvg-wasm');
  await initWasm(readFile(assetFile('@resvg/resvg-wasm/index_bg.wasm')));
  return { Resvg, fonts: await Promise.all(FACES.map((face) => readFile(faceFile(face)))) };
}
