/**
 * Manages the folder of job files: which jobs are active, paused or broken, and why. If a file is broken, its last good
 * version stays active, even after a restart; a file that may be half-written changes nothing yet. Files created here
 * are complete from the first moment.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { errorCode, UserError } from '../../errors.ts';
import { syncFolder, writeFileAtomic } from '../../lib/files.ts';
import { type WatchedFile, watchFiles } from '../../lib/watch-folders.ts';
import type { Logger } from '../../log.ts';
import { say } from '../../messages/messages.ts';
import { idOf } from './board/files.ts';
import { type JobFields, jobFileName, MAX_JOB_BYTES } from './job.ts';
import {
  changedIds,
  changedText,
  copiedFrom,
  createFile,
  entryOf,
  findJob,
  formatJobFile,
  isMeantAsJob,
  isNote,
  type JobFile,
  type ParsedJobFile,
  parseFile,
  sorted,
  wrongWith,
} from './written/job-file.ts';
import type { LastGood } from './written/last-good.ts';

/** Longer than the pauses of a slow writer, but short enough that nobody waits for it. */
const SETTLE_MS = 500;
/** A text without a final line break may be incomplete; it counts as complete once unchanged for this long (ms). */
const OPEN_END_MS = 3_000;
const MAX_FILES = 2_000;

export interface JobsOptions {
  /** `jobs/` in the home, or OPENVIBER_JOBS_DIR. Created with the first job. */
  folder: string;
  /** The time zone of jobs that name none. */
  timezone: string;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** If false, only `refresh` reads the files; for commands that end at once. */
  watch?: boolean;
  settleMs?: number;
  /** Stores the last good versions of the files beyond this process. */
  lastGood?: LastGood;
  /** Called when a file was created, changed or removed here: file watching does not reach other machines. */
  onWritten?: () => void;
}

export class Jobs {
  readonly #options: JobsOptions;
  readonly #listeners = new Set<(changed: readonly string[]) => void>();
  readonly #parsed = new WeakMap<WatchedFile, ParsedJobFile>();
  #files: readonly WatchedFile[] = [];
  #entries: readonly JobFile[] = [];
  #recheck: NodeJS.Timeout | undefined;
  #rebuilding = Promise.resolve();
  #watch: ReturnType<typeof watchFiles> | undefined;

  constructor(options: JobsOptions) {
    this.#options = options;
  }

  /** Resolves once the existing files have been read. */
  async start(): Promise<void> {
    this.#watch ??= watchFiles({
      roots: [this.#options.folder],
      depth: 0,
      match: isMeantAsJob,
      settleMs: this.#options.settleMs ?? SETTLE_MS,
      maxBytes: MAX_JOB_BYTES,
      maxFiles: MAX_FILES,
      watch: this.#options.watch ?? true,
      onSettled: (set) => {
        this.#files = sorted((set.get(this.#options.folder) ?? []).filter((file) => !isNote(file)));
        return this.#rebuild();
      },
      onError: (error) => this.#options.log.error({ err: error }, 'job files'),
    });
    await this.#watch.ready;
  }

  async close(): Promise<void> {
    clearTimeout(this.#recheck);
    await this.#watch?.close();
    clearTimeout(this.#recheck);
  }

  /** Returns all files. If two have the same ID, the second is listed as broken. */
  all(): readonly JobFile[] {
    return this.#entries;
  }

  get(id: string): JobFile | undefined {
    return this.#entries.find((entry) => entry.id === id);
  }

  /** @throws {UserError} if none or several match */
  find(name: string): JobFile {
    return findJob(this.#entries, name);
  }

  /** Calls the listener with the IDs of changed jobs after each change. Returns a function that unsubscribes. */
  onChange(listener: (changed: readonly string[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async refresh(): Promise<void> {
    await this.#watch?.refresh();
  }

  /** @throws {UserError} if no such file could be created */
  async check(fields: JobFields): Promise<void> {
    const id = idOf(fields.name);
    const same = this.#entries.find(
      (entry) => entry.id === id || entry.job?.name.toLowerCase() === fields.name.toLowerCase(),
    );
    if (same) throw new UserError(say('jobs.nameTaken', { name: same.id }));
    await formatJobFile(path.join(this.#options.folder, `${id}.yaml`), fields, this.#options.timezone);
  }

  /**
   * Writes and loads a new file.
   * @throws {UserError} if the fields are wrong or the name is taken
   */
  async create(fields: JobFields): Promise<JobFile> {
    await this.refresh();
    await this.check(fields);
    const id = idOf(fields.name);
    const file = await this.#writing(() =>
      createFile(this.#options.folder, `${id}.yaml`, fields, this.#options.timezone),
    );
    await this.refresh();
    return this.get(id) ?? file;
  }

  /**
   * Sets these keys in the file, and leaves everything else unchanged, including comments.
   * @throws {UserError} if the result is not a job
   */
  async change(id: string, keys: Readonly<Record<string, string>>): Promise<void> {
    const [entry] = this.#filesOf(id);
    if (!entry) return;
    const text = await changedText(entry, keys, this.#options.timezone);
    await this.#writing(() => writeFileAtomic(entry.path, text));
    await this.refresh();
  }

  /** Deletes a job's files; returns false if there were none. */
  async remove(id: string): Promise<boolean> {
    const found = this.#entries.filter((entry) => entry.id === id);
    for (const entry of found) await this.#writing(async () => fs.rmSync(entry.path, { force: true }));
    if (found.length > 0) await syncFolder(this.#options.folder);
    await this.refresh();
    return found.length > 0;
  }

  /**
   * Renames the file to `.disabled.yaml`; `resume` renames it back.
   * @throws {UserError} if the job does not exist or is already in that state
   */
  async pause(id: string): Promise<void> {
    const entry = this.#filesOf(id)[0];
    if (!entry || entry.state === 'disabled') throw new UserError(say('jobs.pausedAlready', { name: id }));
    await this.#rename(entry, entry.file.replace(/\.(ya?ml)$/i, '.disabled.$1'));
  }

  async resume(id: string): Promise<void> {
    const entry = this.#filesOf(id)[0];
    if (entry?.state !== 'disabled') throw new UserError(say('jobs.notPaused', { name: id }));
    if (!jobFileName(entry.file)?.isDisabled)
      throw new UserError(say('jobs.offInFile', { name: id, file: entry.file }));
    await this.#rename(entry, entry.file.replace(/\.disabled\.(ya?ml)$/i, '.$1'));
  }

  /** Pure except for the cache: the last good versions come from the previous entries. */
  async #read(file: WatchedFile): Promise<ParsedJobFile> {
    const known = this.#parsed.get(file);
    if (known) return known;
    const result = await parseFile(file, this.#options.timezone).catch((error: unknown) =>
      this.#unreadable(file, error),
    );
    // Yields: a thousand files in a row would delay messages.
    await turn();
    this.#parsed.set(file, result);
    return result;
  }

  /** Runs one at a time, since each needs the previous entries. Rejects for errors that aren't a file's fault. */
  #rebuild(): Promise<void> {
    const next = this.#rebuilding.then(() => this.#rebuildNow());
    // The caller gets the error.
    this.#rebuilding = next.catch(() => undefined);
    return next;
  }

  async #rebuildNow(): Promise<void> {
    clearTimeout(this.#recheck);
    const { lastGood } = this.#options;
    const next: JobFile[] = [];
    const taken = new Map<string, string>();
    for (const file of this.#files) {
      const { id, isDisabled } = jobFileName(file.name) ?? { id: file.name, isDisabled: false };
      const common = { id, file: file.name, path: file.path };
      const before = this.#entries.find((entry) => entry.id === id && entry.job && entry.file === file.name);
      const twin = taken.get(id);
      if (twin === undefined) taken.set(id, file.name);
      if (twin !== undefined) {
        next.push(entryOf(common, wrongWith(say('jobFiles.twin', { file: file.name, twin })), undefined));
      } else if (isDisabled) next.push({ ...common, state: 'disabled', ...jobOf(await this.#read(file)) });
      else if (this.#mayGoOn(file))
        next.push(before ?? entryOf(common, wrongWith(say('jobFiles.unfinished', { file: file.name })), undefined));
      else
        next.push(
          await this.#entry(file, { common, before, next }).catch((error: unknown) =>
            entryOf(common, this.#unreadable(file, error), before?.job),
          ),
        );
    }
    lastGood?.only(new Set(this.#files.map(({ name }) => name)));
    this.#tell(next);
    const changed = changedIds(this.#entries, next);
    this.#entries = next;
    for (const listener of this.#listeners) listener(changed);
  }

  async #entry(
    file: WatchedFile,
    { common, before, next }: { common: Parameters<typeof entryOf>[0]; before?: JobFile | undefined; next: JobFile[] },
  ): Promise<JobFile> {
    const result = await this.#read(file);
    const original = 'job' in result ? copiedFrom(file.name, result.job, next) : undefined;
    if (original !== undefined)
      return entryOf(common, wrongWith(say('jobFiles.copy', { file: file.name, original })), undefined);
    const good = await this.#options.lastGood?.before(file, result, before?.job);
    return entryOf(common, good?.wrong ?? result, good?.job ?? before?.job);
  }

  /** A fault in reading one file must not stop the others. */
  #unreadable(file: WatchedFile, error: unknown): Exclude<ParsedJobFile, { job: unknown }> {
    this.#options.log.error({ err: error, file: file.name }, 'a job file cannot be read');
    const message = error instanceof Error ? error.message : String(error);
    return wrongWith(say('common.asItIs', { text: `${file.name}: ${message}` }));
  }

  #mayGoOn(file: WatchedFile): boolean {
    const age = Date.now() - file.mtimeMs;
    if (this.#options.watch === false || file.problem || file.text.endsWith('\n') || age < 0 || age >= OPEN_END_MS)
      return false;
    clearTimeout(this.#recheck);
    this.#recheck = setTimeout(
      () => void this.#rebuild().catch((error) => this.#options.log.error({ err: error }, 'job files')),
      OPEN_END_MS - age + 1,
    );
    this.#recheck.unref();
    return true;
  }

  #tell(next: readonly JobFile[]): void {
    for (const { id, file, problem, job } of next) {
      if (problem === undefined || this.#entries.some((entry) => entry.file === file && entry.problem === problem))
        continue;
      this.#options.log.warn(
        { job: id, problem },
        job ? 'a job file is broken; its previous version stays active' : 'a job file is broken',
      );
    }
  }

  #filesOf(id: string): JobFile[] {
    const found = this.#entries.filter((entry) => entry.id === id);
    if (found.length === 0) throw new UserError(say('jobs.unknown', { name: id }));
    return found;
  }

  /** Reports a read-only folder as UserError: retrying would not help and would delay the caller. */
  async #writing<T>(work: () => Promise<T>): Promise<T> {
    try {
      const done = await work();
      this.#options.onWritten?.();
      return done;
    } catch (error) {
      if (!['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '')) throw error;
      throw new UserError(say('jobs.folderLocked', { code: errorCode(error) ?? '' }));
    }
  }

  async #rename(entry: JobFile, name: string): Promise<void> {
    const target = path.join(this.#options.folder, name);
    if (fs.existsSync(target)) throw new UserError(say('jobs.fileThere', { file: name }));
    await this.#writing(async () => fs.renameSync(entry.path, target));
    await syncFolder(this.#options.folder);
    await this.refresh();
  }
}

/** A paused file may contain anything. */
const jobOf = (read: ParsedJobFile): Pick<JobFile, 'job'> => ('job' in read ? { job: read.job } : {});
