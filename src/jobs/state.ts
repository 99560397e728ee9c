/**
 * What is remembered of each job, one small file a job (`spool/jobs/{id}.json`). The truth about what has run is the queue's:
 * a record that is lost, or older than what happened, makes a slot fire again, which the queue takes for a duplicate.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { z } from 'zod';
import { patchFile, readTextSync, writeFileAtomic } from '../lib/files.ts';
import { peekJson, readJson } from '../lib/read-json.ts';

const time = z.int().min(0);

/** All times in milliseconds since the epoch. */
const schema = z.object({
  /** The schedule these times belong to. */
  schedule: z.string(),
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

export interface JobStates {
  /** What was last set, also when it could not be written. */
  get(id: string): JobState | undefined;
  /** Rejects when it cannot be written. */
  set(id: string, state: JobState): Promise<void>;
  ids(): string[];
  remove(id: string): void;
  /** Resolves when everything set is on the disk, or could not be written. */
  flush(): Promise<void>;
}

const ABOUT = { lost: 'what is remembered of a job', next: 'The job begins anew.', tell: true };
const RECORD_BYTES = 1024;
const NAME = /^([a-z0-9][a-z0-9_-]{0,63})\.json$/;

/**
 * Reads what is there. A damaged file is set aside as `.bad`; its job counts as new.
 * @param options.isReader changes nothing: another process writes there, and may be doing so right now
 */
export function openJobStates(folder: string, { isReader = false }: { isReader?: boolean } = {}): JobStates {
  const states = new Map<string, JobState>();
  /** Whose newest state is not on the disk, with whoever waits for that. */
  const unwritten = new Map<string, PromiseWithResolvers<void>>();
  let writing: Promise<void> | undefined;
  if (!isReader) fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
    const id = NAME.exec(name)?.[1];
    if (id === undefined) continue;
    const file = path.join(folder, name);
    const state = isReader ? peekJson(file, schema) : readJson(file, schema, ABOUT);
    if (state) states.set(id, state);
  }

  /** One file at a time: a thousand new jobs in one go would hold up everything else. */
  async function write(): Promise<void> {
    for (const [id, waiter] of unwritten) {
      unwritten.delete(id);
      const state = states.get(id);
      try {
        if (state) await store(path.join(folder, `${id}.json`), state);
        waiter.resolve();
      } catch (error) {
        waiter.reject(error);
      }
      await turn();
    }
    writing = undefined;
  }

  return {
    get: (id) => states.get(id),
    async set(id, state) {
      states.set(id, state);
      const waiter = unwritten.get(id) ?? Promise.withResolvers<void>();
      unwritten.set(id, waiter);
      writing ??= write();
      await waiter.promise;
    },
    ids: () => [...states.keys()],
    remove(id) {
      states.delete(id);
      fs.rmSync(path.join(folder, `${id}.json`), { force: true });
    },
    async flush() {
      await writing;
    },
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
