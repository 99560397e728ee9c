/** The shapes of charts and letters as polygons. */
import type { Polygon } from './canvas.ts';

export type Point = readonly [x: number, y: number];

export const rectangle = (x: number, y: number, width: number, height: number): Polygon => [
  ...[x, y, x + width, y],
  ...[x + width, y + height, x, y + height],
];

export const circle = (x: number, y: number, radius: number): Polygon => arc(x, y, radius, 0, 2 * Math.PI);

/** A slice of a ring, angles in radians clockwise from three o'clock. */
export function ringSlice(x: number, y: number, inner: number, outer: number, from: number, to: number): Polygon {
  return [...arc(x, y, outer, from, to), ...arc(x, y, inner, to, from)];
}

function arc(x: number, y: number, radius: number, from: number, to: number): number[] {
  const steps = Math.max(2, Math.ceil((Math.abs(to - from) * Math.sqrt(Math.max(radius, 0.5))) / 0.6));
  return Array.from({ length: steps + 1 }, (_, step) => {
    const angle = from + ((to - from) * step) / steps;
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  }).flat();
}

/** Up to this turn two pieces of a line share their corners; a sharper one is rounded. cos 50°. */
const SMOOTH = Math.cos((50 * Math.PI) / 180);

/** A line through the points with round ends and corners. One point is a dot. */
export function stroke(points: readonly Point[], width: number): Polygon[] {
  const half = width / 2;
  const line = points.filter(([x, y], at) => {
    const [px, py] = points[at - 1] ?? [Number.NaN, Number.NaN];
    return !(Math.abs(px - x) < 1e-6 && Math.abs(py - y) < 1e-6);
  });
  const [start] = line;
  if (!start) return [];
  if (line.length === 1) return [circle(start[0], start[1], half)];
  const directions = line.slice(1).map((to, at): Point => direction(line[at] ?? to, to));
  const polygons: Polygon[] = [];
  for (const [at, [dx, dy]] of directions.entries()) {
    const from = line[at] ?? start;
    const to = line[at + 1] ?? start;
    const before = directions[at - 1];
    const after = directions[at + 1];
    const [fx, fy] = before && dot(before, [dx, dy]) > SMOOTH ? mitre(before, [dx, dy]) : [-dy, dx];
    const [tx, ty] = after && dot([dx, dy], after) > SMOOTH ? mitre([dx, dy], after) : [-dy, dx];
    polygons.push([
      ...[from[0] + fx * half, from[1] + fy * half, to[0] + tx * half, to[1] + ty * half],
      ...[to[0] - tx * half, to[1] - ty * half, from[0] - fx * half, from[1] - fy * half],
    ]);
    const angle = Math.atan2(dy, dx);
    if (!before) polygons.push(arc(from[0], from[1], half, angle + Math.PI / 2, angle + (3 * Math.PI) / 2));
    if (!after) polygons.push(arc(to[0], to[1], half, angle - Math.PI / 2, angle + Math.PI / 2));
    else if (dot([dx, dy], after) <= SMOOTH) polygons.push(circle(to[0], to[1], half));
  }
  return polygons;
}

function direction([ax, ay]: Point, [bx, by]: Point): Point {
  const length = Math.hypot(bx - ax, by - ay);
  return [(bx - ax) / length, (by - ay) / length];
}

const dot = ([ax, ay]: Point, [bx, by]: Point): number => ax * bx + ay * by;

/** The normal at a corner, as long as keeps the line's width. */
function mitre([ax, ay]: Point, [bx, by]: Point): Point {
  const [nx, ny] = [-(ay + by), ax + bx];
  const scale = 2 / (nx * nx + ny * ny);
  return [nx * scale, ny * scale];
}
