/**
 * The last good text of each job file, kept beside the records of jobs: a mistake in a file stops its job at no restart either. What
 * cannot be kept costs that alone. Of a file that is gone nothing is kept, so that no job comes back by a new file of its name.
 */
import fs from 'node:fs';
import path from 'node:path';
import { readTextSync, writeFileAtomic } from '../../lib/files.ts';
import type { WatchedFile } from '../../lib/watch-folders.ts';
import type { Logger } from '../../log.ts';
import { type Job, MAX_JOB_BYTES } from '../job.ts';
import { type Parsed, parseFile } from './job-file.ts';

export interface LastGood {
  /**
   * The version before this one, which is kept where it is good itself. Rejects for what is no fault of a file.
   * @param known the version before, if this process has seen one
   */
  before(file: WatchedFile, result: Parsed, known: Job | undefined): Promise<Job | undefined>;
  /** These are all the files that there are. Never throws. */
  only(names: ReadonlySet<string>): void;
}

export function openLastGood(folder: string, timezone: string, log: Pick<Logger, 'warn'>): LastGood {
  const pathOf = ({ name }: Pick<WatchedFile, 'name'>) => path.join(folder, name);

  async function keep(file: WatchedFile): Promise<void> {
    try {
      if (readTextSync(pathOf(file)) === file.text) return;
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
      await writeFileAtomic(pathOf(file), file.text, { sync: false });
      // A phrase may mean what it did when it was written.
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

  return {
    async before(file, result, known) {
      if ('job' in result && result.job !== known) await keep(file);
      if ('job' in result || known) return known;
      const last = kept(file);
      const parsed = last && (await parseFile(last, timezone));
      return parsed && 'job' in parsed ? parsed.job : undefined;
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
