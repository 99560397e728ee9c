/** Threads for work on what people send: their limits, their order, and that they end with whoever asked. */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { createThreads, type ThreadError } from '../../src/lib/thread.ts';
import { tempFolder } from '../helpers/temp.ts';

const OWN = pathToFileURL(path.resolve('src/lib/thread.ts')).href;
const WORK = `
import { answerInThread } from ${JSON.stringify(OWN)};
class Refusal extends Error {}
await answerInThread(async (input) => {
  if (input === 'refuse') throw new Refusal('Not this one.');
  if (input === 'throw') throw new Error('inner');
  if (input === 'exit') process.exit(0);
  if (input === 'spin') for (;;);
  if (input === 'eat') for (let all;;) all = { all };
  return 'did ' + input;
}, (error) => error instanceof Refusal);
`;

function threads(timeoutMs: number, atOnce = 1) {
  const file = path.join(tempFolder(), 'worker.mjs');
  fs.writeFileSync(file, WORK);
  return createThreads<string, string>(pathToFileURL(file), { timeoutMs, memoryMb: 32, atOnce });
}

const never = new AbortController().signal;

it.each<[string, ThreadError['why']]>([
  ['refuse', 'refused'],
  ['throw', 'broken'],
  ['exit', 'broken'],
  ['eat', 'broken'],
])('%s: ends as %s, and the next is done', async (input, why) => {
  const inThread = threads(60_000);
  await expect(inThread(input, never)).rejects.toMatchObject({ why });
  expect(await inThread('more', never)).toBe('did more');
});

it('is ended when its time is over, and gives its place to the next', async () => {
  const inThread = threads(60_000);
  const [slow, next] = [inThread('spin', never, 200), inThread('more', never)];
  await expect(slow).rejects.toMatchObject({ why: 'late' });
  expect(await next).toBe('did more');
});

it('is ended with whoever asked, while it works and while it waits', async () => {
  const inThread = threads(60_000);
  const [first, second] = [new AbortController(), new AbortController()];
  const work = inThread('spin', first.signal);
  const waits = inThread('never done', second.signal);
  const last = inThread('last', never);
  second.abort(new Error('second'));
  await expect(waits).rejects.toThrow('second');
  first.abort(new Error('first'));
  await expect(work).rejects.toThrow('first');
  expect(await last).toBe('did last');
  await expect(inThread('x', second.signal)).rejects.toThrow('second');
});
