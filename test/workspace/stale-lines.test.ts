/** Lines that an owner of a lane has written after the next one began, in every order in which two processes may write. */

import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openTask } from '../../src/workspace/tasks/index.ts';
import { writeTranscript } from '../../src/workspace/tasks/transcript.ts';
import type { SessionEntry } from '../../src/workspace/types.ts';
import { tempFolder } from '../helpers/temp.ts';
import { newHome } from './home-helper.ts';

const said = (id: string, epoch?: number): SessionEntry => ({
  ...{ type: 'message', id, run: 'r1', at: '2026-01-01T00:00:00Z', text: id, files: [] },
  from: { channel: 'telegram', user: '1', name: 'Alex' },
  ...(epoch === undefined ? {} : { epoch }),
});
const idsOf = (entries: readonly SessionEntry[]) =>
  entries.flatMap((entry) => (entry.type === 'message' ? [entry.id] : []));

/** Each owner writes its lines in order; how those of several come to stand in the file is anybody's guess. */
const interleaved = fc
  .array(fc.tuple(fc.constantFrom(undefined, 3, 7, 1_700_000_000_000), fc.integer({ min: 1, max: 4 })), {
    maxLength: 12,
  })
  .map((parts) => parts.flatMap(([epoch, times]) => Array.from({ length: times }, () => epoch)));

it('are passed over by every reader, whatever the order, and nothing else is', async () => {
  const home = await newHome();
  let n = 0;
  await fc.assert(
    fc.asyncProperty(interleaved, async (epochs) => {
      const task = `t${n++}`;
      const file = home.sessionPath('default', task);
      await openTask(home, task, 'default').session.append([said('first')]);
      // Another machine writes to the same file, which nobody here is told of.
      for (const [at, epoch] of epochs.entries()) fs.appendFileSync(file, `${JSON.stringify(said(`m${at}`, epoch))}\n`);
      const wanted = ['first'];
      let newest = 0;
      for (const [at, epoch] of epochs.entries()) {
        if (epoch === undefined || epoch >= newest) wanted.push(`m${at}`);
        newest = Math.max(newest, epoch ?? 0);
      }
      expect(idsOf(openTask(home, task, 'default').session.tail())).toEqual(wanted);
      expect(idsOf(openTask(home, task, 'default').session.run('r1'))).toEqual(wanted);
      const span = openTask(home, task, 'default').session.span(0, 10_000_000);
      expect(idsOf(span?.lines.map(({ entry }) => entry) ?? [])).toEqual(wanted);
      // What is in memory and what is added here count as well.
      await openTask(home, task, 'default').session.append([said('old', 1), said('new', 2_000_000_000_000)]);
      const after = newest > 1 ? [...wanted, 'new'] : [...wanted, 'old', 'new'];
      expect(idsOf(openTask(home, task, 'default').session.tail())).toEqual(after);
    }),
    { numRuns: 60 },
  );
});

it('are in no transcript', async () => {
  const home = await newHome();
  await openTask(home, 't', 'default').session.append([
    said('one', 5),
    said('two', 9),
    said('stale', 5),
    said('three'),
  ]);
  const folder = tempFolder();
  const about = { folder, name: 'words', title: 'Words', viber: 'Viber', mayTell: () => true, maxBytes: 1_000_000 };
  const told = await writeTranscript({ ...about, session: home.sessionPath('default', 't') });
  const text = told.files.map((file) => fs.readFileSync(path.join(file.path), 'utf8')).join('\n');
  expect(told.turns).toBe(3);
  expect(text).toContain('three');
  expect(text).not.toContain('stale');
});
