/** The lines of the log that `viber logs` asks for. */
import { z } from 'zod';
import { keptLines } from '../../log.ts';

const asked = z.object({ after: z.int().min(0) });

/** Returns the kept lines from number `after` on, oldest first, and the number of the next one. */
export function linesAfter(request: unknown): { lines: { at: number; text: string }[]; next: number } {
  const { after } = asked.parse(request);
  const kept = keptLines();
  const last = kept.at(-1);
  return { lines: kept.filter(({ at }) => at >= after), next: last === undefined ? 0 : last.at + 1 };
}
