/**
 * What makes the Board's page installable: its icons, the web app manifest, and the service worker that keeps the page
 * and its files for times without a connection.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { rolldown } from 'rolldown';

const SOURCE = join(import.meta.dirname, 'src/board/ui');

export const shortHash = (bytes: string | Buffer): string =>
  createHash('sha256').update(bytes).digest('hex').slice(0, 8);

/** The surfaces of both themes, as in `styles/1-theme.css`. */
const LIGHT = '#ffffff';

type Colour = readonly [number, number, number];
const GROUND: Colour = [255, 255, 255];
/** The ring of the mark, clockwise from 210 degrees, as in `styles/2-shell.css`. */
const RING: readonly Colour[] = [
  [70, 80, 210],
  [138, 145, 255],
  [227, 154, 111],
  [70, 80, 210],
];
const STARTS_AT = 210 / 360;
/** Fits into the circle that every platform leaves of an icon. */
const RADIUS = 0.32;
const HOLE = 0.096;
const SAMPLES = 3;

function ringAt(turn: number): Colour {
  const place = turn * (RING.length - 1);
  const first = RING[Math.floor(place)] ?? GROUND;
  const second = RING[Math.floor(place) + 1] ?? first;
  const share = place % 1;
  return [0, 1, 2].map(
    (index) => (first[index] ?? 0) * (1 - share) + (second[index] ?? 0) * share,
  ) as unknown as Colour;
}

/** The colour of a point; the centre of the icon is 0, 0, and it is 1 wide. */
function colourAt(x: number, y: number): Colour {
  const distance = Math.hypot(x, y);
  if (distance > RADIUS || distance < HOLE) return GROUND;
  const turn = Math.atan2(x, -y) / (2 * Math.PI);
  return ringAt((turn - STARTS_AT + 2) % 1);
}

/** Draws the mark on a light square. */
function drawIcon(size: number): Buffer {
  const rows = Buffer.alloc(size * (size * 3 + 1));
  for (let row = 0; row < size; row += 1)
    for (let column = 0; column < size; column += 1) {
      const sum = [0, 0, 0];
      for (let sample = 0; sample < SAMPLES ** 2; sample += 1) {
        const x = (column + ((sample % SAMPLES) + 0.5) / SAMPLES) / size - 0.5;
        const y = (row + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES) / size - 0.5;
        for (const [index, value] of colourAt(x, y).entries()) sum[index] = (sum[index] ?? 0) + value;
      }
      const at = row * (size * 3 + 1) + 1 + column * 3;
      // Fewer colours make a third of the size, and nobody sees it.
      for (const [index, value] of sum.entries())
        rows[at + index] = Math.min(255, Math.round(value / SAMPLES ** 2 / 3) * 3);
    }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // Eight bits for each of red, green and blue.
  header.set([8, 2], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const pixels = pngChunk('IDAT', deflateSync(rows, { level: 9 }));
  return Buffer.concat([signature, pngChunk('IHDR', header), pixels, pngChunk('IEND', Buffer.alloc(0))]);
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** Writes the icons and the manifest. Returns the address of the icon for tabs and home screens. */
export function writeManifest(dir: string): string {
  const icons = [192, 512].map((size) => {
    const png = drawIcon(size);
    const name = `assets/icon-${size}-${shortHash(png)}.png`;
    writeFileSync(join(dir, name), png);
    return { src: `/board/${name}`, sizes: `${size}x${size}`, type: 'image/png' };
  });
  const manifest = {
    id: '/board/',
    name: 'Viber',
    short_name: 'Viber',
    description: 'What your viber is doing, and what waits for you.',
    start_url: '/board/',
    scope: '/board/',
    display: 'standalone',
    background_color: LIGHT,
    theme_color: LIGHT,
    icons: ['any', 'maskable'].flatMap((purpose) => icons.map((icon) => ({ ...icon, purpose }))),
  };
  writeFileSync(join(dir, 'manifest.webmanifest'), JSON.stringify(manifest));
  return icons[0]?.src ?? '';
}

/** Builds `sw.js`, which names every file of this build: a new build is a new service worker. */
export async function writeWorker(dir: string): Promise<void> {
  const files = readdirSync(join(dir, 'assets'))
    .sort()
    .map((name) => `/board/assets/${name}`);
  const page = readFileSync(join(dir, 'index.html'), 'utf8');
  const build = await rolldown({
    input: join(SOURCE, 'worker/worker.ts'),
    platform: 'browser',
    tsconfig: join(SOURCE, 'tsconfig.json'),
    transform: {
      define: {
        SHELL_ICON: JSON.stringify(files.find((name) => name.includes('icon-192')) ?? ''),
        SHELL_FILES: JSON.stringify(files),
        SHELL_BUILD: JSON.stringify(shortHash(`${files.join()}${page}`)),
      },
    },
  });
  // Not a module: some browsers know only classic service workers.
  await build.write({ file: join(dir, 'sw.js'), format: 'iife', minify: true, sourcemap: false });
  await build.close();
}
