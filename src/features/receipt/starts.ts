/** Records when the gateway was started: `receipts/starts.jsonl`, one line for each start of each process. */
import path from 'node:path';
import { appendInFolder, writeFileAtomic } from '../../lib/files.ts';
import { readJsonLines } from '../../lib/json.ts';
import { isTime, objectOf, shape } from '../../lib/shape.ts';
import type { Home } from '../../workspace/home.ts';

const ABOUT = { lost: 'the times of some restarts', next: 'The count of restarts is too low.' };
const startShape = shape<{ at: string }>(objectOf({ at: isTime }));
const KEPT = 500;

const startsFile = (home: Home): string => path.join(home.root, 'receipts', 'starts.jsonl');

/** Returns the times of starts in ms, oldest first. */
export const readStarts = (home: Home): number[] =>
  readJsonLines(startsFile(home), startShape, ABOUT).map(({ at }) => Date.parse(at));

export async function noteStart(home: Home, now: number): Promise<void> {
  const lineOf = (at: number) => JSON.stringify({ at: new Date(at).toISOString() });
  const before = readStarts(home);
  if (before.length < 2 * KEPT) appendInFolder(startsFile(home), [lineOf(now)]);
  else await writeFileAtomic(startsFile(home), `${[...before.slice(-KEPT), now].map(lineOf).join('\n')}\n`);
}
