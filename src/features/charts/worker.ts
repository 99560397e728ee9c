/** Renders one chart in a separate process, because its data determines how long this takes. */
import { UserError } from '../../errors.ts';
import { answerInProcess } from '../../lib/worker-process.ts';
import { type ChartSpec, renderChart } from './render.ts';

await answerInProcess<ChartSpec>(
  async (spec) => {
    const { png, ...about } = await renderChart(spec);
    return { bytes: png, about };
  },
  (error) => error instanceof UserError,
);
