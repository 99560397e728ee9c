/** `chart`: draws a picture (PNG) of a table and attaches it to the answer. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import { createProcesses, ProcessError } from '../../lib/worker-process.ts';
import { defineNativeSkill } from '../../runtime/contract/tool.ts';
import { attached } from '../../runtime/tools/artifacts.ts';
import { toEverybody } from '../../runtime/tools/offered.ts';
import type { CoreRun } from '../../runtime/tools/run.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { ChartSpec, RenderedChart } from './render.ts';

const WIDTH = { usual: 1200, min: 300, max: 2400 };
const HEIGHT = { usual: 675, min: 200, max: 1600 };

/** The path in the bundled program differs. */
const ENTRY = import.meta.filename.endsWith('.ts') ? './worker.ts' : './chart-worker.js';
const TOO_MUCH = "This is too much data for a chart: sum it up first, or leave out the columns that it doesn't need.";

/** Twice the time that 100,000 rows of seven columns take on a small machine. */
const inProcess = createProcesses<ChartSpec>(new URL(ENTRY, import.meta.url), {
  timeoutMs: 120_000,
  cpuSeconds: 20,
  memoryMb: 768,
  atOnce: 1,
});

const facts = z.object({
  rows: z.number(),
  series: z.array(z.object({ name: z.string(), points: z.number(), min: z.number(), max: z.number() })),
  notes: z.array(z.string()),
});

const input = z.object({
  title: z.string(),
  type: z.enum(['bar', 'line', 'area', 'pie', 'scatter']),
  data: z.string().exactOptional(),
  file: z.string().exactOptional(),
  x: z.string().exactOptional(),
  y: z.string().exactOptional(),
  width: z.number().exactOptional(),
  height: z.number().exactOptional(),
});

export const chart = defineNativeSkill({
  doing: 'doing.drawing',
  about: { argument: 'title', doing: 'doing.drawingThis' },
  offered: toEverybody,
  effect: 'idempotent',
  input,
  asks: ({ title }, _run, { messages, plain }) => ({
    text: messages.text('consent.drawChart', { title: plain(title) }),
  }),
  async execute({ title, type, data, file, x, y, width, height }, { scope }: CoreRun, { signal }) {
    if ((data === undefined) === (file === undefined))
      throw new UserError('Give either data (CSV or JSON rows) or file (an artifact or workspace file that has them).');
    const { readTextFile } = await import('./read-data.ts');
    const { fontFolders } = await import('./system-fonts.ts');
    const text = data ?? (await readTextFile(scope, file ?? ''));
    const size = { width: clampOr(width, WIDTH), height: clampOr(height, HEIGHT) };
    const { png, rows, series, notes } = await draw(
      { title, type, data: text, x, y, fonts: fontFolders(), ...size },
      signal,
    );
    // If this run requests the same picture again, for example after a restart, it is the same artifact.
    const sum = createHash('sha256')
      .update(JSON.stringify([scope.runId, title]))
      .update(png);
    const id = sum.digest('hex').slice(0, 10);
    const given = { id, title, type: 'image/png', content: png, origin: 'agent' as const };
    const ref = attached(scope, await openTask(scope.home, scope.taskId).artifacts.create(given));
    return { ...ref, ...size, rows, series, ...(notes.length > 0 && { notes }) };
  },
});

/** @throws UserError for data that can't be drawn, or not in time */
async function draw(spec: ChartSpec, signal: AbortSignal): Promise<RenderedChart> {
  try {
    const { bytes: png, about } = await inProcess({ input: spec, signal });
    return { png, ...facts.parse(about) };
  } catch (error) {
    if (!(error instanceof ProcessError)) throw error;
    throw new UserError(error.why === 'refused' ? error.message : TOO_MUCH, { cause: error });
  }
}

function clampOr(value: number | undefined, { usual, min, max }: { usual: number; min: number; max: number }): number {
  return value === undefined || Number.isNaN(value) ? usual : Math.round(Math.min(Math.max(value, min), max));
}
