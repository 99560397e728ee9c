/** One chart, in a thread of its own: how long it takes is for whoever made the data to say. */
import { UserError } from '../../errors.ts';
import { answerInThread } from '../../lib/thread.ts';
import { type ChartSpec, renderChart } from './render.ts';

await answerInThread<ChartSpec>(renderChart, (error) => error instanceof UserError);
