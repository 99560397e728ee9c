/**
 * The folder of job files: what is in force, what is paused, what is broken and why. A broken file leaves the last good version of
 * it in force; a file that may be half-written changes nothing yet. Files made here are whole from the first moment.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { errorCode, UserError } from '../errors.ts';
import { syncFolder } from '../lib/files.ts';
import { type WatchedFile, watchFiles } from '../lib/watch-folders.ts';
import type { Logger } from '../log.ts';
import { type JobFields, jobFileName, MAX_JOB_BYTES } from './job.ts';
import { createFile, entryOf, idOf, type JobFile, type Parsed, parseFile, sorted, textOf } from './job-file.ts';

export type { JobFile } from './job-file.ts';

/** Longer than the pauses of a slow writer, shorter than anybody waits for. */
const SETTLE_MS = 500;
/** A text that does not end a line may go on: it counts as whole once nobody has touched it for this long. */
const OPEN_END_MS = 3_000;
const MAX_FILES = 2_000;

export interface Jobs {
  /** Resolves once the files that are there have been read. */
  start(): Promise<void>;
  close(): Promise<void>;
  /** By id. Two files with one id are both listed, the second as broken. */
  all(): readonly JobFile[];
  get(id: string): JobFile | undefined;
  /** By id, else by name in any case. Throws UserError when there is none or more than one. */
  find(idOrName: string): JobFile;
  /** Called after each change of the set; what it gives back ends that. */
  onChange(listener: () => void): () => void;
  /** Looks at the folder now. */
  refresh(): Promise<void>;
  /** Throws UserError when such a file could not be made. */
  check(fields: JobFields): Promise<void>;
  /** Writes a new file and reads it in. Throws UserError when the fields are wrong or the name is taken. */
  create(fields: JobFields): Promise<JobFile>;
  /** Deletes the files of a job; false when there were none. */
  remove(id: string): Promise<boolean>;
  /** To and from `.disabled.yaml`. Throws UserError when there is no such job, or it is what it should become. */
  pause(id: string): Promise<void>;
  resume(id: string): Promise<void>;
}

export interface JobsOptions {
  /** `jobs/` of the home, or OPENVIBER_JOBS_DIR. Created by the first job made here. */
  folder: string;
  /** For jobs that name none. */
  timezone: string;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** false: only `refresh` looks; for commands that end at once. */
  watch?: boolean;
  settleMs?: number;
}

export function openJobs(options: JobsOptions): Jobs {
  const { folder, timezone, log } = options;
  const listeners = new Set<() => void>();
  const parsed = new WeakMap<WatchedFile, Parsed>();
  let files: readonly WatchedFile[] = [];
  let entries: readonly JobFile[] = [];
  let recheck: NodeJS.Timeout | undefined;
  let rebuilding = Promise.resolve();
  let watch: ReturnType<typeof watchFiles> | undefined;

  /** Pure but for the cache: the last good versions come from the entries before. */
  async function read(file: WatchedFile): Promise<Parsed> {
    const known = parsed.get(file);
    if (known) return known;
    const result = await parseFile(file, timezone);
    // A thousand files in one go would hold up the messages.
    await turn();
    parsed.set(file, result);
    return result;
  }

  /** One at a time: each needs the entries before. Rejects for what is no fault of a file. */
  function rebuild(): Promise<void> {
    const next = rebuilding.then(rebuildNow);
    // Whoever asked for it hears of it.
    rebuilding = next.catch(() => undefined);
    return next;
  }

  async function rebuildNow(): Promise<void> {
    clearTimeout(recheck);
    const next: JobFile[] = [];
    const taken = new Map<string, string>();
    for (const file of files) {
      const { id, isDisabled } = jobFileName(file.name) ?? { id: file.name, isDisabled: false };
      const common = { id, file: file.name, path: file.path };
      const before = entries.find((entry) => entry.id === id && entry.job && entry.file === file.name);
      const twin = taken.get(id);
      if (twin === undefined) taken.set(id, file.name);
      if (twin !== undefined) {
        next.push({
          ...common,
          state: 'broken',
          problem: `${file.name}: the file ${twin} is the same job; delete one`,
        });
      } else if (isDisabled) next.push({ ...common, state: 'disabled', ...jobIn(await read(file)) });
      else if (mayGoOn(file))
        next.push(before ?? { ...common, state: 'broken', problem: `${file.name} is still being written` });
      else next.push(entryOf(common, await read(file), before?.job));
    }
    tell(next);
    entries = next;
    for (const listener of listeners) listener();
  }

  function mayGoOn(file: WatchedFile): boolean {
    const age = Date.now() - file.mtimeMs;
    if (options.watch === false || file.problem || file.text.endsWith('\n') || age < 0 || age >= OPEN_END_MS)
      return false;
    clearTimeout(recheck);
    recheck = setTimeout(
      () => void rebuild().catch((error) => log.error({ err: error }, 'job files')),
      OPEN_END_MS - age + 1,
    );
    recheck.unref();
    return true;
  }

  function tell(next: readonly JobFile[]): void {
    for (const { id, file, problem, job } of next) {
      if (problem === undefined || entries.some((entry) => entry.file === file && entry.problem === problem)) continue;
      log.warn(
        { job: id, problem },
        job ? 'a job file is broken; the version before stays in force' : 'a job file is broken',
      );
    }
  }

  function filesOf(id: string): JobFile[] {
    const found = entries.filter((entry) => entry.id === id);
    if (found.length === 0) throw new UserError(`There is no job ${id}; /jobs lists them.`);
    return found;
  }

  async function refresh(): Promise<void> {
    await watch?.refresh();
  }

  /** A folder that may not be written stays so: trying again helps nobody, and would hold up whoever asked for it. */
  async function writing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '')) throw error;
      throw new UserError(
        `The folder of the jobs cannot be written (${errorCode(error)}): change its rights, then try again.`,
      );
    }
  }

  async function rename(entry: JobFile, name: string): Promise<void> {
    const target = path.join(folder, name);
    if (fs.existsSync(target)) throw new UserError(`The file ${name} is there already; delete one of the two.`);
    await writing(async () => fs.renameSync(entry.path, target));
    await syncFolder(folder);
    await refresh();
  }

  const jobs: Jobs = {
    async start() {
      watch ??= watchFiles({
        roots: [folder],
        depth: 0,
        match: (name) => /^[^.].*\.ya?ml$/i.test(name),
        settleMs: options.settleMs ?? SETTLE_MS,
        maxBytes: MAX_JOB_BYTES,
        maxFiles: MAX_FILES,
        watch: options.watch ?? true,
        onSettled: (set) => {
          files = sorted(set.get(folder) ?? []);
          return rebuild();
        },
        onError: (error) => log.error({ err: error }, 'job files'),
      });
      await watch.ready;
    },
    async close() {
      clearTimeout(recheck);
      await watch?.close();
      clearTimeout(recheck);
    },
    all: () => entries,
    get: (id) => entries.find((entry) => entry.id === id),
    find(idOrName) {
      const wanted = idOrName.trim().toLowerCase();
      const exact = jobs.get(wanted);
      if (exact) return exact;
      const named = entries.filter(({ job }) => job?.name.toLowerCase() === wanted);
      const [only, other] = named;
      if (only && !other) return only;
      if (!only) throw new UserError(`There is no job ${idOrName.slice(0, 80)}; /jobs lists them.`);
      throw new UserError(
        `Several jobs have that name: ${named.map(({ id }) => id).join(', ')}. Use one of these ids.`,
      );
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    refresh,
    async check(fields) {
      const id = idOf(fields.name);
      const same = entries.find(
        (entry) => entry.id === id || entry.job?.name.toLowerCase() === fields.name.toLowerCase(),
      );
      if (same) throw new UserError(`There is a job ${same.id} already; delete it first or choose another name.`);
      await textOf(path.join(folder, `${id}.yaml`), fields, timezone);
    },
    async create(fields) {
      await refresh();
      await jobs.check(fields);
      const id = idOf(fields.name);
      const file = await writing(() => createFile(folder, `${id}.yaml`, fields, timezone));
      await refresh();
      return jobs.get(id) ?? file;
    },
    async remove(id) {
      const found = entries.filter((entry) => entry.id === id);
      for (const entry of found) await writing(async () => fs.rmSync(entry.path, { force: true }));
      if (found.length > 0) await syncFolder(folder);
      await refresh();
      return found.length > 0;
    },
    async pause(id) {
      const entry = filesOf(id)[0];
      if (!entry || entry.state === 'disabled') throw new UserError(`The job ${id} is paused already.`);
      await rename(entry, entry.file.replace(/\.(ya?ml)$/i, '.disabled.$1'));
    },
    async resume(id) {
      const entry = filesOf(id)[0];
      if (entry?.state !== 'disabled') throw new UserError(`The job ${id} is not paused.`);
      if (!jobFileName(entry.file)?.isDisabled)
        throw new UserError(`The job ${id} is switched off in its file: set "enabled: true" in ${entry.file}.`);
      await rename(entry, entry.file.replace(/\.disabled\.(ya?ml)$/i, '.$1'));
    },
  };
  return jobs;
}

/** A paused file may be anything; where it is a job it has a name. */
const jobIn = (result: Parsed): Pick<JobFile, 'job'> => ('job' in result ? { job: result.job } : {});
