/**
 * Stores the state of each job in a small file (`spool/jobs/{id}.json`). The queue decides what has run: if a record is
 * lost or outdated, the slot fires again and the queue rejects the duplicate. If there are several processes, a change
 * takes effect in this one at once and is then applied to the file's content, under a shared lock.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { z } from 'zod';
import type { Engine } from '../../engine/engine.ts';
import { patchFile, readTextSync, writeFileAtomic } from '../../lib/files.ts';
import { parseJson, peekJson, readJson } from '../../lib/json.ts';
import type { Schedule } from './slots.ts';

const time = z.int().min(0);

/** All times in milliseconds since the epoch. */
const schema = z.object({
  /** The schedule that these times belong to. */
  schedule: z.string(),
  /** A hash of the job that these failures belong to. */
  definition: z.string().optional(),
  /** When this schedule was first seen; slots up to then don't count. */
  since: time,
  /** The newest settled slot: fired, or skipped for a reason. */
  lastSlot: time.optional(),
  /** The number of failures in a row, and the time of the first. */
  failures: time.default(0),
  failingSince: time.optional(),
  /** Slots before this are skipped. */
  restUntil: time.optional(),
  /** When the failures were reported to the owner. */
  toldAt: time.optional(),
  /** When it was removed or paused. */
  goneSince: time.optional(),
  lastRun: z
    .object({
      slot: time,
      at: time,
      task: z.string().optional(),
      state: z.enum(['running', 'completed', 'error', 'stopped']),
    })
    .optional(),
  lastSkip: z.object({ slot: time, reason: z.string() }).optional(),
});

export type JobState = z.output<typeof schema>;

const plain = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('cron'), pattern: z.string(), timezone: z.string() }),
  z.object({ kind: z.literal('every'), everyMs: z.number(), anchor: z.string().exactOptional() }),
  z.object({ kind: z.literal('once'), at: z.string() }),
  z.object({
    kind: z.literal('days'),
    every: z.number(),
    times: z.array(z.string()),
    anchor: z.string(),
    timezone: z.string(),
  }),
]);
const scheduleSchema = z.union([plain, z.object({ kind: z.literal('any'), of: z.array(plain) })]);

/** Returns the schedule of an active job and since when it has been active; undefined for a removed job. */
export function scheduleIn(state: JobState | undefined): { schedule: Schedule; since: number } | undefined {
  if (!state || state.goneSince !== undefined) return undefined;
  const schedule = scheduleSchema.safeParse(parseJson(state.schedule)).data;
  return schedule && { schedule, since: state.since };
}

export interface JobStates {
  /** Returns the value set last, even if it could not be written. */
  get(id: string): JobState | undefined;
  /** Rejects if it can't be written. */
  set(id: string, state: JobState): Promise<void>;
  /**
   * Applies `next` to the current state; undefined changes nothing. Returns the resulting state. Rejects if it can't be
   * written.
   */
  change(id: string, next: (known: JobState | undefined) => JobState | undefined): Promise<JobState | undefined>;
  /** Rereads one record, or all without an ID, because another process may have changed it. */
  reread(id?: string): void;
  ids(): string[];
  remove(id: string): void;
  /** Resolves once everything set is on disk or has failed. */
  flush(): Promise<void>;
}

/** Coordinates several processes that write to the folder. */
export interface SharedRecords {
  lock: Engine<unknown>['lock'];
  onWritten(id: string): void;
}

const ABOUT = { lost: 'the state of a job', next: 'The job starts over.', tell: true };
type Change = (known: JobState | undefined) => JobState | undefined;

const RECORD_BYTES = 1024;
const NAME = /^([a-z0-9][a-z0-9_-]{0,63})\.json$/;

/**
 * Reads the existing records. Moves a damaged file aside as `.bad`; its job counts as new.
 * @param options.isReader changes nothing, since another process may be writing
 */
export function openJobStates(
  folder: string,
  { isReader = false, shared }: { isReader?: boolean; shared?: SharedRecords | undefined } = {},
): JobStates {
  const states = new Map<string, JobState>();
  const underWay = new Set<Promise<void>>();
  if (!isReader) fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fileOf = (id: string) => path.join(folder, `${id}.json`);
  const isPeeking = isReader || shared !== undefined;
  const readAll = () => {
    for (const name of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
      const id = NAME.exec(name)?.[1];
      const state =
        id === undefined ? undefined : isPeeking ? peekJson(fileOf(id), schema) : readJson(fileOf(id), schema, ABOUT);
      if (id !== undefined && state) states.set(id, state);
    }
  };
  readAll();

  const written = createWrites((id) => {
    const state = states.get(id);
    return state && store(fileOf(id), state);
  });

  function set(id: string, state: JobState): Promise<void> {
    states.set(id, state);
    return written.soon(id);
  }

  /** Applies the change to the file's current content, under the shared lock. */
  async function changeShared(id: string, next: Change, { lock, onWritten }: SharedRecords): Promise<void> {
    await lock(`job:${id}`, async (fence) => {
      const known = readJson(fileOf(id), schema, ABOUT);
      const state = next(known);
      if (!state || state === known) return void (known && states.set(id, known));
      fence.check();
      await writeFileAtomic(fileOf(id), `${JSON.stringify(state)}\n`, { sync: false });
      states.set(id, state);
    });
    onWritten(id);
  }

  /** Makes `flush` wait for the work. */
  function tracked(work: Promise<void>): Promise<void> {
    const done = work.finally(() => underWay.delete(done));
    underWay.add(done);
    return done;
  }

  return {
    get: (id) => states.get(id),
    set,
    async change(id, next) {
      const known = states.get(id);
      const state = next(known);
      if (state && state !== known) states.set(id, state);
      if (shared) await tracked(changeShared(id, next, shared));
      else if (state && state !== known) await set(id, state);
      return states.get(id);
    },
    reread(id) {
      if (id === undefined) return readAll();
      const state = peekJson(fileOf(id), schema);
      if (state) states.set(id, state);
      else states.delete(id);
    },
    ids: () => [...states.keys()],
    remove(id) {
      states.delete(id);
      fs.rmSync(fileOf(id), { force: true });
    },
    async flush() {
      await written.all();
      await Promise.allSettled(underWay);
    },
  };
}

/** Writes pending files one at a time, because a thousand new jobs at once would delay everything else. */
function createWrites(write: (id: string) => Promise<void> | undefined) {
  /** Records whose newest state is not on disk, with the promise for their write. */
  const unwritten = new Map<string, PromiseWithResolvers<void>>();
  let writing: Promise<void> | undefined;

  async function writeAll(): Promise<void> {
    for (const [id, waiter] of unwritten) {
      unwritten.delete(id);
      try {
        await write(id);
        waiter.resolve();
      } catch (error) {
        waiter.reject(error);
      }
      await turn();
    }
    writing = undefined;
  }

  return {
    /** Rejects if it can't be written. */
    async soon(id: string): Promise<void> {
      const waiter = unwritten.get(id) ?? Promise.withResolvers<void>();
      unwritten.set(id, waiter);
      writing ??= writeAll();
      await waiter.promise;
    },
    all: async () => writing,
  };
}

/**
 * Pads the text, so that a change overwrites the old one within one page. Doesn't sync; the header says why that is
 * safe.
 */
async function store(file: string, state: JobState): Promise<void> {
  const json = JSON.stringify(state);
  const text = `${json.padEnd(Math.ceil((json.length + 1) / RECORD_BYTES) * RECORD_BYTES - 1)}\n`;
  const before = readTextSync(file);
  if (before?.length === text.length) await patchFile(file, before, text);
  else await writeFileAtomic(file, text, { sync: false });
}
