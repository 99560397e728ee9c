/**
 * The spool's directory of JSON files: the directory a file is in is its state, and it enters by rename.
 *
 *   tmp      being written                       cur   in work
 *   new      accepted, waiting                   out   answers waiting for delivery
 *   unsure   may or may not have been delivered  dead  given up
 *   done/D   finished on day D, kept 30 days: tombstones against duplicates
 *
 * Commits are grouped: everything put while a commit is under way goes into the next one, which syncs all files side by
 * side and each directory once. A file whose put has not resolved may be missing or torn after a power cut.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode, errorMessage, StorageError } from '../../errors.ts';
import { ensureFolder } from '../../lib/damage.ts';
import { peekJson, readJson } from '../../lib/read-json.ts';
import { anything, type Schema, shape } from '../../lib/shape.ts';
import { commit, type Failure } from './commit.ts';
import type { Disk } from './disk.ts';

export const STATES = ['tmp', 'new', 'cur', 'out', 'unsure', 'dead', 'done', 'ledger'] as const;
export type SpoolState = 'new' | 'cur' | 'out' | 'unsure' | 'dead';

interface Pending {
  /** Absent for a file that is only synced. */
  state?: SpoolState;
  name: string;
  data: string;
  resolve: () => void;
  reject: (error: unknown) => void;
}

export interface SpoolStore {
  readonly root: string;
  /**
   * Durable when it resolves: renamed into place, file and directory synced. Replaces an older file of that name. Rejects with a
   * StorageError when it cannot be written, with the error of serialising when it cannot be JSON.
   */
  put(state: SpoolState, name: string, value: unknown): Promise<void>;
  /** Makes the contents of an existing file durable within half a second; many calls for one file cost one sync. */
  syncSoon(file: string): void;
  /** One rename; the move itself is not synced. */
  move(from: SpoolState, to: SpoolState, name: string): void;
  /** Moves a finished file to `done/<today>`. */
  finish(from: SpoolState, name: string, as?: string): void;
  remove(state: SpoolState, name: string): void;
  has(state: SpoolState, name: string): boolean;
  /** Names in a state, in no order. */
  names(state: SpoolState): string[];
  /** What a file holds; undefined when it is missing, or damaged and now set aside. */
  read<T>(state: 'new' | 'cur' | 'out', name: string, schema?: Schema<T>): T | undefined;
  /** As `read` for a file whose name still counts: a damaged one stays where it is. */
  peek<T>(state: 'dead', name: string, schema: Schema<T>): T | undefined;
  /** Whether a file of that name was finished within the last 30 days. */
  wasFinished(name: string): boolean;
  /** The file of an accepted message, wherever it is now; its answer, of the same name, is another. */
  find<T>(name: string, schema?: Schema<T>): T | undefined;
  /** Deletes tombstones older than 30 days; gives the oldest day that is kept. */
  prune(now: Date): string;
  close(): Promise<void>;
}

const MESSAGE = {
  lost: 'a message that was accepted and not answered yet',
  next: 'Whoever misses an answer has to write again.',
  tell: true,
};
const ANSWER = { lost: 'an answer that was not delivered yet', next: 'It is not sent any more.', tell: true };
const TOMBSTONE = { lost: 'the words of a message that is finished' };
const SYNC_WITHIN_MS = 500;
const TOMBSTONE_DAYS = 30;
const day = (date: Date): string => date.toISOString().slice(0, 10);
const isDay = (name: string) => /^\d{4}-\d\d-\d\d$/.test(name);

export interface StoreOptions {
  root: string;
  /** Bytes that must stay free; below that `put` into `new` is refused (R12). Answers may still be written: sending them frees space. */
  freeBytes: number;
  /** Where commits are made; by default here. */
  disk?: Disk;
}

/** A folder that somebody has taken away holds nothing. */
function filesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return [];
  }
}

const storageError = (error: unknown) =>
  new StorageError(errorMessage(error), { code: errorCode(error), cause: error });

/** Raised when the disk is too full to accept more. */
export class NoSpaceError extends StorageError {
  override name = 'NoSpaceError';
}

export function openStore(options: StoreOptions): SpoolStore {
  const { root } = options;
  for (const state of STATES) ensureFolder(root, path.join(root, state), `what stood in spool/${state}/`);
  // What a crash left half-written was never acknowledged.
  for (const name of fs.readdirSync(path.join(root, 'tmp')))
    fs.rmSync(path.join(root, 'tmp', name), { recursive: true, force: true });
  const disk = options.disk ?? { commit: (batch) => commit(batch), close: async () => undefined };
  const file = (state: string, name: string) => path.join(root, state, `${name}.json`);
  let days = fs.readdirSync(path.join(root, 'done')).filter(isDay).sort().reverse();
  let today = '';
  let spaceCheckedAt = 0;
  let spaceOk = true;
  let pending: Pending[] = [];
  let committing = false;
  let draining = Promise.resolve();
  const dirty = new Set<string>();
  let flushing: NodeJS.Timeout | undefined;
  let serial = 0;
  const names = (state: SpoolState) =>
    filesIn(path.join(root, state))
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.slice(0, -5));
  /** Messages in `new` and `cur`, those being stored included. */
  let unfinished = names('new').length + names('cur').length;

  function hasSpace(): boolean {
    const now = Date.now();
    if (now - spaceCheckedAt > 1000 || !spaceOk) {
      spaceOk = freeBytes() >= options.freeBytes;
      spaceCheckedAt = now;
    }
    return spaceOk;
  }

  function freeBytes(): number {
    try {
      const { bavail, bsize } = fs.statfsSync(root);
      return bavail * bsize;
    } catch (error) {
      throw storageError(error);
    }
  }

  async function commitAll(entries: Pending[]): Promise<void> {
    const puts = entries.filter((entry) => entry.state !== undefined);
    const syncs = entries.filter((entry) => entry.state === undefined);
    const batch = {
      files: puts.map(({ state = 'new', name, data }) => {
        return { temp: path.join(root, 'tmp', `${name}.${++serial}`), target: file(state, name), data };
      }),
      sync: syncs.map((entry) => entry.name),
      directories: [...new Set(puts.map(({ state = 'new' }) => path.join(root, state)))],
    };
    const committed = await disk.commit(batch, unfinished <= 1);
    // In the order of the calls, whichever file was synced first.
    for (const [index, entry] of puts.entries()) settle(entry, committed.files[index]);
    for (const [index, entry] of syncs.entries()) settle(entry, committed.sync[index]);
  }

  function settle(entry: Pending, failed: Failure | undefined): void {
    if (failed) refuse(entry, new StorageError(failed.message, { code: failed.code }));
    else entry.resolve();
  }

  function refuse(entry: Pending, error: unknown): void {
    if (entry.state === 'new') unfinished--;
    entry.reject(error);
  }

  async function drain(): Promise<void> {
    committing = true;
    while (pending.length > 0) {
      const batch = pending;
      pending = [];
      try {
        await commitAll(batch);
      } catch (error) {
        for (const entry of batch) refuse(entry, storageError(error));
      }
    }
    committing = false;
  }

  function enqueue(entry: Pick<Pending, 'state' | 'name' | 'data'>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    pending.push({ ...entry, resolve, reject });
    // A tick later, so that calls made together share one commit.
    if (!committing) {
      committing = true;
      draining = Promise.resolve().then(drain);
    }
    return promise;
  }

  /** A file that has gone meanwhile (somebody deleted it) has nothing to sync. */
  async function flush(): Promise<void> {
    clearTimeout(flushing);
    flushing = undefined;
    const targets = [...dirty];
    dirty.clear();
    await Promise.allSettled(targets.map((name) => enqueue({ name, data: '' })));
  }

  return {
    root,
    async put(state, name, value) {
      if (state === 'new' && !hasSpace())
        throw new NoSpaceError(`less than ${options.freeBytes} bytes free below ${root} (limits.freeBytes)`);
      const data = `${JSON.stringify(value)}\n`;
      if (state === 'new') unfinished++;
      return enqueue({ state, name, data });
    },
    syncSoon(target) {
      dirty.add(target);
      flushing ??= setTimeout(() => void flush(), SYNC_WITHIN_MS);
    },
    move: (from, to, name) => fs.renameSync(file(from, name), file(to, name)),
    finish(from, name, as = name) {
      const current = day(new Date());
      if (current !== today) {
        ensureFolder(root, path.join(root, 'done', current), 'which messages of that day were finished');
        today = current;
        if (days[0] !== current) days = [current, ...days];
      }
      fs.renameSync(file(from, name), path.join(root, 'done', current, `${as}.json`));
      if (from === 'cur') unfinished--;
    },
    remove(state, name) {
      fs.rmSync(file(state, name), { force: true });
      if (state === 'cur') unfinished--;
    },
    has: (state, name) => fs.existsSync(file(state, name)),
    names,
    read: <T>(state: SpoolState, name: string, schema = shape<T>(anything)) =>
      readJson(file(state, name), schema, state === 'out' ? ANSWER : MESSAGE),
    peek: (state, name, schema) => peekJson(file(state, name), schema, TOMBSTONE),
    wasFinished: (name) => days.some((d) => fs.existsSync(path.join(root, 'done', d, `${name}.json`))),
    find<T>(name: string, schema = shape<T>(anything)) {
      for (const state of ['new', 'cur', ...days.map((d) => path.join('done', d)), 'dead']) {
        const target = file(state, name);
        if (fs.existsSync(target)) return peekJson(target, schema, TOMBSTONE);
      }
      return undefined;
    },
    prune(now) {
      const oldest = day(new Date(now.getTime() - TOMBSTONE_DAYS * 86_400_000));
      for (const d of days) if (d < oldest) fs.rmSync(path.join(root, 'done', d), { recursive: true, force: true });
      days = days.filter((d) => d >= oldest);
      return oldest;
    },
    async close() {
      await flush();
      // What was to be synced soon may be under way already.
      await draining;
      await disk.close();
    },
  };
}
