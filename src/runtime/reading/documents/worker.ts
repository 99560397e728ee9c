/** One document to text, in a thread of its own that is ended when it takes too long or too much memory. */
import { readFile } from 'node:fs/promises';
import { answerInThread } from '../../../lib/thread.ts';
import { readText } from './by-content.ts';
import { Refused } from './refused.ts';

await answerInThread<{ path: string }>(
  async ({ path }) => readText(new Uint8Array(await readFile(path))),
  (error) => error instanceof Refused,
);
