/**
 * What is remembered of each job, one small file a job (`spool/jobs/{id}.json`). The truth about what has run is the queue's:
 * a record that is lost, or older than what happened, makes a slot fire again, which the queue takes for a duplicate.
 * Where several processes write there, a change holds here at once, and is then made again on what the file says, under a lock of all.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { z } from 'zod';
import type { Engine } from '../engine/engine.ts';
import { patchFile, readTextSync, writeFileAtomic } from '../lib/files.ts';
import { parseJson, peekJson, readJson } from '../lib/read-json.ts';
import type { Schedule } from './slots.ts';

const time = z.int().min(0);

/** All times in milliseconds since the epoch. */
const schema = z.object({
  /** The schedule these times belong to. */
  schedule: z.string(),
  /** A hash of the job these failures belong to. */
  definition: z.string().optional(),
  /** When this schedule was first seen; slots up to then are not its own. */
  since: time,
  /** The newest slot that is settled: fired, or skipped for a reason. */
  lastSlot: time.optional(),
  /** Failures in a row, and when the first of them was. */
  failures: time.default(0),
  failingSince: time.optional(),
  /** Slots before this are skipped. */
  restUntil: time.optional(),
  /** When the owner was told of the failures. */
  toldAt: time.optional(),
  /** Not in force since: removed or paused. */
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

/** The schedule of a job that is in force, and since when; undefined for one that is gone. */
export function scheduleIn(state: JobState | undefined): { schedule: Schedule; since: number } | undefined {
  if (!state || state.goneSince !== undefined) return undefined;
  const schedule = scheduleSchema.safeParse(parseJson(state.schedule)).data;
  return schedule && { schedule, since: state.since };
}

export interface JobStates {
  /** What was last set, also when it could not be written. */
  get(id: string): JobState | undefined;
  /** Rejects when it cannot be written. */
  set(id: string, state: JobState): Promise<void>;
  /** What `next` makes of what is remembered; undefined changes nothing. Gives what then holds. Rejects when it cannot be written. */
  change(id: string, next: (known: JobState | undefined) => JobState | undefined): Promise<JobState | undefined>;
  /** Another process may have written these; all of them without an id. */
  reread(id?: string): void;
  ids(): string[];
  remove(id: string): void;
  /** Resolves when everything set is on the disk, or could not be written. */
  flush(): Promise<void>;
}

/** How several processes write there. */
export interface SharedRecords {
  lock: Engine<unknown>['lock'];
  /** The others are told. */
  onWritten(id: string): void;
}

const ABOUT = { lost: 'what is remembered of a job', next: 'The job begins anew.', tell: true };
type Change = (known: JobState | undefined) => JobState | undefined;

const RECORD_BYTES = 1024;
const NAME = /^([a-z0-9][a-z0-9_-]{0,63})\.json$/;

/**
 * Reads what is there. A damaged file is set aside as `.bad`; its job counts as new.
 * @param options.isReader changes nothing: another process writes there, and may be doing so right now
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

  /** Under the lock of all, on what the file says now. */
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

  /** Whoever ends waits for it. */
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

/** Files that are to be written, one at a time: a thousand new jobs in one go would hold up everything else. */
function createWrites(write: (id: string) => Promise<void> | undefined) {
  /** Whose newest state is not on the disk, with whoever waits for that. */
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
    /** Rejects when it cannot be written. */
    async soon(id: string): Promise<void> {
      const waiter = unwritten.get(id) ?? Promise.withResolvers<void>();
      unwritten.set(id, waiter);
      writing ??= writeAll();
      await waiter.promise;
    },
    all: async () => writing,
  };
}

/** Padded, so that a change is written over the old text within one page. No sync: the header says why that does no harm. */
async function store(file: string, state: JobState): Promise<void> {
  const json = JSON.stringify(state);
  const text = `${json.padEnd(Math.ceil((json.length + 1) / RECORD_BYTES) * RECORD_BYTES - 1)}\n`;
  const before = readTextSync(file);
  if (before?.length === text.length) await patchFile(file, before, text);
  else await writeFileAtomic(file, text, { sync: false });
}
