/** One chart, in a process of its own: how long it takes is for whoever made the data to say. */
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
