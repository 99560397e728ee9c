/** What happens while a line waits for its turn is told with the next line. */
import { expect, it, onTestFinished } from 'vitest';
import type { LiveView } from '../../../src/channels/channel.ts';
import { RunLines } from '../../../src/channels/shared/run-lines.ts';

it('tells what changed while it waited for its turn, and what changes after that', async () => {
  const told: string[] = [];
  const lines = new RunLines((_run, line) => told.push(line));
  onTestFinished(() => lines.close());
  let line = 'planning';
  let turn = Promise.withResolvers<boolean>();
  const view = { turn: () => turn.promise, line: () => line } as Partial<LiveView> as LiveView;
  lines.follow('r1', view);
  lines.follow('r1', view);
  turn.resolve(true);
  await expect.poll(() => told).toEqual(['planning']);
  line = 'thinking';
  turn = Promise.withResolvers();
  turn.resolve(true);
  lines.follow('r1', view);
  await expect.poll(() => told).toEqual(['planning', 'thinking']);
});
