/**
 * A picture in memory and the one way to draw on it: filling polygons with exact area coverage, so every edge is smooth.
 * Polygons of one fill are a union: where they overlap nothing is drawn twice. Coordinates are pixels, y downwards.
 */

export type Colour = readonly [red: number, green: number, blue: number];

/** x0, y0, x1, y1, ... closed by itself, in either direction. */
export type Polygon = readonly number[];

export interface Canvas {
  width: number;
  height: number;
  /** Red, green, blue of each pixel, row by row. */
  pixels: Uint8Array;
  /** @param opacity 0 to 1 */
  fill(polygons: readonly Polygon[], colour: Colour, opacity?: number): void;
}

export function createCanvas(width: number, height: number, background: Colour): Canvas {
  const pixels = new Uint8Array(width * height * 3);
  for (let at = 0; at < pixels.length; at++) pixels[at] = background[at % 3] ?? 0;
  const stride = width + 2;
  // Differences along each row; their running sum is the coverage. All zero between two fills.
  const cover = new Float32Array(stride * height);

  /** One edge: adds the area to its right, signed by its direction, pixel by pixel. */
  function edge(ax: number, ay: number, bx: number, by: number): void {
    if (ay === by) return;
    const sign = ay < by ? 1 : -1;
    const [x0, y0, x1, y1] = ay < by ? [ax, ay, bx, by] : [bx, by, ax, ay];
    const slope = (x1 - x0) / (y1 - y0);
    const last = Math.min(height, Math.ceil(y1));
    for (let row = Math.max(0, Math.floor(y0)); row < last; row++) {
      const top = Math.max(row, y0);
      const bottom = Math.min(row + 1, y1);
      const from = clamp(x0 + (top - y0) * slope);
      const to = clamp(x0 + (bottom - y0) * slope);
      span(row * stride, Math.min(from, to), Math.max(from, to), (bottom - top) * sign);
    }
  }

  const clamp = (x: number) => Math.min(Math.max(x, 0), width);

  /** A piece of an edge within one row, from x0 to x1, worth `area` to everything on its right. */
  function span(row: number, x0: number, x1: number, area: number): void {
    const first = Math.floor(x0);
    const end = Math.ceil(x1);
    if (end <= first + 1) {
      const share = area * ((x0 + x1) / 2 - first);
      add(row + first, area - share);
      add(row + first + 1, share);
      return;
    }
    const perPixel = area / (x1 - x0);
    let before = 0;
    for (let pixel = first; pixel < end; pixel++) {
      const left = Math.max(x0, pixel);
      const right = Math.min(x1, pixel + 1);
      // What lies right of the edge: in this pixel a part of it, in all later ones the whole.
      const inside = perPixel * (right - left);
      const here = inside * (pixel + 1 - (left + right) / 2);
      add(row + pixel, before + here);
      before = inside - here;
    }
    add(row + end, before);
  }

  function add(at: number, value: number): void {
    cover[at] = (cover[at] ?? 0) + value;
  }

  return {
    ...{ width, height, pixels },
    fill(polygons, colour, opacity = 1) {
      let [top, bottom, left, right] = [height, 0, width, 0];
      for (const polygon of polygons) {
        const turn = signedArea(polygon) < 0 ? -1 : 1;
        for (let at = 0; at < polygon.length; at += 2) {
          const next = (at + 2) % polygon.length;
          const [ax = 0, ay = 0] = [polygon[at], polygon[at + 1]];
          const [bx = 0, by = 0] = [polygon[next], polygon[next + 1]];
          top = Math.min(top, ay);
          bottom = Math.max(bottom, ay);
          left = Math.min(left, ax);
          right = Math.max(right, ax);
          if (turn > 0) edge(ax, ay, bx, by);
          else edge(bx, by, ax, ay);
        }
      }
      const firstRow = Math.max(0, Math.floor(top));
      const endRow = Math.min(height, Math.ceil(bottom));
      const firstX = Math.min(width, Math.max(0, Math.floor(left)));
      const endX = Math.min(width, Math.max(0, Math.ceil(right))) + 2;
      for (let row = firstRow; row < endRow; row++) {
        let sum = 0;
        for (let x = firstX; x < endX; x++) {
          const at = row * stride + x;
          const change = cover[at] ?? 0;
          if (change !== 0) cover[at] = 0;
          sum += change;
          const strength = Math.min(1, Math.abs(sum)) * opacity;
          if (strength > 0.002 && x < width) blend((row * width + x) * 3, colour, strength);
        }
      }
    },
  };

  function blend(at: number, colour: Colour, strength: number): void {
    for (let part = 0; part < 3; part++) {
      const old = pixels[at + part] ?? 0;
      pixels[at + part] = Math.round(old + ((colour[part] ?? 0) - old) * strength);
    }
  }
}

function signedArea(polygon: Polygon): number {
  let area = 0;
  for (let at = 0; at < polygon.length; at += 2) {
    const next = (at + 2) % polygon.length;
    area += (polygon[at] ?? 0) * (polygon[next + 1] ?? 0) - (polygon[next] ?? 0) * (polygon[at + 1] ?? 0);
  }
  return area;
}
