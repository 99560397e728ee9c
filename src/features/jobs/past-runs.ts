/**
 * Removes the tasks of past job runs after a while. One list per day (`spool/jobs/runs/2026-01-31.jsonl`) names these
 * tasks; it is written before the run is queued, so that the sweep reads nothing else. A task whose record no longer
 * names a job now belongs to somebody and stays.
 */

import fs from 'node:fs/promises';
import path from 'node:path';
import { namesIn } from '../../lib/damage.ts';
import { appendLines, ensureDir, readText } from '../../lib/files.ts';
import { type Home, isId } from '../../workspace/home.ts';
import { openTask } from '../../workspace/tasks/index.ts';

const DAY_MS = 86_400_000;
const LIST = /^(\d{4}-\d{2}-\d{2})\.jsonl$/;

const folderOf = (home: Home) => path.join(home.spool, 'jobs', 'runs');
const dayFile = (home: Home, now: Date) => path.join(folderOf(home), `${now.toISOString().slice(0, 10)}.jsonl`);

/** Records the task of a run. Recording it again costs one line. */
export async function noteJobRun(home: Home, task: string, now: Date): Promise<void> {
  await ensureDir(folderOf(home));
  await appendLines(dayFile(home, now), [JSON.stringify({ task })]);
}

/**
 * Removes the tasks of job runs older than `keepDays`, with their files and sessions, and returns their number. If a
 * task is still running or pending, or can't be removed, it is retried after the same number of days; `onError` gets
 * the error, and the sweep continues. The work depends only on the runs of the expired days.
 */
export async function sweepJobRuns(
  home: Home,
  keepDays: number,
  now: Date,
  onError: (task: string, error: unknown) => void,
): Promise<number> {
  let removed = 0;
  const sweepTask = async (task: string): Promise<void> => {
    const fate = await fateOf(home, task);
    if (fate === 'later') await noteJobRun(home, task, now);
    if (fate !== 'remove') return;
    await openTask(home, task).remove();
    removed++;
  };
  for (const name of namesIn(folderOf(home)).sort()) {
    const [, day] = LIST.exec(name) ?? [];
    if (day === undefined || Date.parse(day) + (keepDays + 1) * DAY_MS > now.getTime()) continue;
    const file = path.join(folderOf(home), name);
    try {
      for (const task of tasksIn((await readText(file)) ?? '')) {
        try {
          await sweepTask(task);
        } catch (error) {
          onError(task, error);
          await noteJobRun(home, task, now);
        }
      }
      await fs.rm(file, { force: true, recursive: true });
    } catch (error) {
      onError(name, error);
    }
  }
  return removed;
}

async function fateOf(home: Home, task: string): Promise<'remove' | 'keep' | 'later'> {
  // A record that was rebuilt after damage no longer names its job, so its task is kept.
  const record = openTask(home, task).record();
  if (record?.job === undefined) return 'keep';
  return record.state === 'running' || record.state === 'pending' ? 'later' : 'remove';
}

function tasksIn(text: string): string[] {
  const found = text.split('\n').flatMap((line) => {
    const [, task = ''] = /^\{"task":"([^"]*)"\}$/.exec(line) ?? [];
    return isId(task) ? [task] : [];
  });
  return [...new Set(found)];
}
