/**
 * Keeps the last good text of each job file beside the jobs' state, so that a mistake in a file doesn't stop its job,
 * even after a restart. A failure to keep a text has no other effect. Nothing is kept of a removed file, so a new file
 * with its name doesn't bring the job back.
 */
import fs from 'node:fs';
import path from 'node:path';
import { readTextSync, writeFileAtomic } from '../../../lib/files.ts';
import type { WatchedFile } from '../../../lib/watch-folders.ts';
import type { Logger } from '../../../log.ts';
import { say } from '../../../messages/messages.ts';
import { type Job, jobFileName, MAX_JOB_BYTES } from '../job.ts';
import { formatSchedule, type Schedule } from '../schedule.ts';
import { type ParsedJobFile, parseFile, withKeys, wrongWith } from './job-file.ts';

type BrokenJobFile = Exclude<ParsedJobFile, { job: Job }>;

/** The job that is active despite its broken file, and its problems if it has other ones than the file. */
export interface InForce {
  job?: Job | undefined;
  wrong?: BrokenJobFile;
}

export interface LastGood {
  /**
   * Returns the version before this one, and keeps this one if it is good. Rejects for errors that aren't a file's
   * fault.
   * @param known the previous version, if this process has seen one
   */
  before(file: WatchedFile, result: ParsedJobFile, known: Job | undefined): Promise<InForce>;
  /** Drops all other files. Never throws. */
  only(names: ReadonlySet<string>): void;
}

export interface LastGoodOptions {
  folder: string;
  timezone: string;
  log: Pick<Logger, 'warn'>;
  /** Returns the schedule of the active job, and since when (ms). */
  recorded?: (id: string) => { schedule: Schedule; since: number } | undefined;
}

export function openLastGood({ folder, timezone, log, recorded }: LastGoodOptions): LastGood {
  /** Problems by file name. */
  const problems = new Map<string, BrokenJobFile>();
  const pathOf = ({ name }: Pick<WatchedFile, 'name'>) => path.join(folder, name);

  async function keep(file: WatchedFile): Promise<void> {
    try {
      if (readTextSync(pathOf(file)) === file.text) return;
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
      await writeFileAtomic(pathOf(file), file.text, { sync: false });
      // Keeps the time too, because it decides what a phrase means.
      fs.utimesSync(pathOf(file), new Date(), new Date(file.mtimeMs));
    } catch (err) {
      log.warn({ err, file: file.name }, 'the last good version of a job file cannot be kept');
    }
  }

  function kept(file: WatchedFile): WatchedFile | undefined {
    try {
      const { size, mtimeMs } = fs.statSync(pathOf(file), { throwIfNoEntry: false }) ?? { size: 0, mtimeMs: 0 };
      const text = size > 0 && size <= MAX_JOB_BYTES ? readTextSync(pathOf(file)) : undefined;
      return text === undefined ? undefined : { path: file.path, name: file.name, text, size, mtimeMs };
    } catch (err) {
      log.warn({ err, file: file.name }, 'the last good version of a job file cannot be read');
      return undefined;
    }
  }

  const wrongOf = ({ name }: WatchedFile): InForce => {
    const wrong = problems.get(name);
    return wrong ? { wrong } : {};
  };

  /** Uses the recorded schedule if its phrase used to be understood and no longer is. */
  async function asRecorded(file: WatchedFile, wasGood: boolean): Promise<Job | undefined> {
    const known = recorded?.(jobFileName(file.name)?.id ?? '');
    if (!known || !(wasGood || file.mtimeMs <= known.since)) return undefined;
    const text = await withKeys(file.text, { schedule: formatSchedule(known.schedule) });
    const parsed = await parseFile({ ...file, text }, timezone);
    return 'job' in parsed ? { ...parsed.job, schedule: known.schedule } : undefined;
  }

  return {
    async before(file, result, known) {
      if ('job' in result && result.job !== known) await keep(file);
      if ('job' in result) problems.delete(file.name);
      if ('job' in result || known) return { ...wrongOf(file), job: known };
      const last = kept(file);
      const parsed = last && (await parseFile(last, timezone));
      if (parsed && 'job' in parsed) return parsed;
      const job = await asRecorded(last ?? file, last !== undefined);
      if (job && (last ?? file).text === file.text)
        problems.set(
          file.name,
          wrongWith(...result.wrong, say('jobFiles.goesOn', { file: file.name, value: job.scheduleText })),
        );
      return { ...wrongOf(file), job };
    },
    only(names) {
      try {
        for (const name of fs.existsSync(folder) ? fs.readdirSync(folder) : [])
          if (!names.has(name)) fs.rmSync(path.join(folder, name), { force: true });
      } catch (err) {
        log.warn({ err }, 'the last good version of a job file that is gone cannot be removed');
      }
    },
  };
}
