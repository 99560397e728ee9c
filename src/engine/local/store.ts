/**
 * The storage of messages and answers. Unfinished ones are in the log (`log.ts`). One that was given up, or may or may
 * not have been delivered, is a file of its own, since a person will want to look at it.
 *
 *   new      accepted, waiting                        cur   running
 *   out      answers waiting for delivery             dead  given up, `dead/<key>.json`
 *   unsure   may or may not have been delivered, `unsure/<key>.json`
 */
import fs from 'node:fs';
import path from 'node:path';
import { outOfHandles, StorageError, toStorageError } from '../../errors.ts';
import { ensureFolder, namesIn, reportDamage } from '../../lib/damage.ts';
import { writeFileAtomic } from '../../lib/files.ts';
import { peekJson, reportBlocked } from '../../lib/json.ts';
import { anything, type Schema, shape } from '../../lib/shape.ts';
import { noteCleanEnd, takeCleanEnd } from './clean-end.ts';
import { SpoolLog } from './log.ts';
import { type LogState, parseLine } from './log-lines.ts';
import { adoptOldSpool, pruneOldDays } from './migrate.ts';
import { segmentBytes, segmentNames, syncFolder } from './segment.ts';

/** States with a file per entry: given up, or of unknown fate. */
type FiledState = 'unsure' | 'dead';
export type SpoolState = LogState | FiledState;

export interface SpoolStore {
  readonly root: string;
  /** The last process ended in order: the log is complete, including its last moves. */
  readonly endedCleanly: boolean;
  /**
   * Stores a value: durable when it resolves; replaces an older one of that name. Rejects with a StorageError when it
   * can't be written (NoSpaceError for `new` when the disk is nearly full), with the serialising error when it can't be
   * JSON.
   * @param onWritten for states of the log: called when a crash of this process alone can't lose it any more
   */
  put(state: SpoolState, name: string, value: unknown, onWritten?: () => void): Promise<void>;
  /** Moves a message between waiting and running. Written at once, synced with the next put. */
  move(to: 'new' | 'cur', name: string): void;
  /** Removes it from its state and remembers its name, or `as`, for 30 days. */
  finish(from: LogState, name: string, as?: string): void;
  remove(state: LogState, name: string): void;
  has(state: SpoolState, name: string): boolean;
  /** Lists the names in a state; those of the log in the order they were put. */
  names(state: SpoolState): string[];
  /** Returns undefined when it is missing, or damaged and now set aside. */
  read<T>(state: LogState, name: string, schema?: Schema<T>): T | undefined;
  /** Reads like `read`, but leaves a damaged file in place, since its name still counts. */
  peek<T>(state: 'dead', name: string, schema: Schema<T>): T | undefined;
  /** Whether a waiting message ran before, as far as the log knows. */
  wasInWork(name: string): boolean;
  /** Whether something of that name was finished within the last 30 days. */
  wasFinished(name: string): boolean;
  /** Finds an accepted message of the last days, finished or not. Its answer, of the same name, is a separate entry. */
  find<T>(name: string, schema?: Schema<T>): T | undefined;
  /** Forgets what was finished more than 30 days ago; returns the oldest day that is kept. */
  prune(now: Date): string;
  close(): Promise<void>;
}

const MESSAGE = {
  lost: 'a message that was accepted and not answered yet',
  next: 'People who miss an answer have to write again.',
  tell: true,
};
const ANSWER = { lost: 'an answer that was not delivered yet', next: 'It will not be sent.', tell: true };
const FINISHED = { lost: 'the text of a finished message' };
const KEPT_DAYS = 30;
/** How many segments are searched for the text of a finished message. */
const SEARCHED = 4;

export interface StoreOptions {
  root: string;
  /** Bytes that must stay free; below that `put` into `new` is refused. Answers may still be written. */
  freeBytes: number;
  /** Bytes; for tests. */
  segmentBytes?: number;
}

/** Thrown when the disk is too full to accept more. */
export class NoSpaceError extends StorageError {
  override name = 'NoSpaceError';
}

export function openStore(options: StoreOptions): SpoolStore {
  const { root, freeBytes } = options;
  for (const state of ['log', 'unsure', 'dead', 'ledger'])
    ensureFolder(root, path.join(root, state), `the contents of spool/${state}/`);
  const folder = path.join(root, 'log');
  const end = takeCleanEnd(root, folder);
  const log = new SpoolLog(folder, path.join(root, 'dead'), options.segmentBytes);
  adoptOldSpool(root, folder, log);
  // Before any of them runs: a power cut must not bring the note back.
  if (end.isClean && log.keys('new').length > 0) syncFolder(root);
  const space = createSpaceCheck(root, freeBytes);
  const fileOf = (state: FiledState, name: string) => path.join(root, state, `${name}.json`);
  const filed = { unsure: new Set(filedNames(root, 'unsure')), dead: new Set(filedNames(root, 'dead')) };

  return {
    root,
    endedCleanly: end.isClean,
    async put(state, name, value, onWritten) {
      if (isFiled(state)) {
        const text = `${JSON.stringify(value)}\n`;
        await writeFileAtomic(fileOf(state, name), text).catch((error: unknown) =>
          Promise.reject(toStorageError(error)),
        );
        filed[state].add(name);
        return;
      }
      if (state === 'new' && !space.isEnough())
        throw new NoSpaceError(`less than ${freeBytes} bytes free below ${root} (limits.freeBytes)`);
      await log.put(state, name, value, onWritten);
    },
    move: (to, name) => log.move(name, to),
    finish: (from, name, as) => log.finish(from, name, as),
    remove: (state, name) => log.drop(state, name),
    has: (state, name) =>
      isFiled(state) ? filed[state].has(name) && fs.existsSync(fileOf(state, name)) : log.has(state, name),
    names: (state) => (isFiled(state) ? namesOrKnown(root, state, filed[state]) : log.keys(state)),
    read: (state, name, schema) => readLive(root, log, state, name, schema ?? shape(anything)),
    peek: (state, name, schema) => peekJson(fileOf(state, name), schema, FINISHED),
    wasInWork: (name) => log.wasInWork(name),
    wasFinished: (name) => log.wasFinished(name),
    find<T>(name: string, schema: Schema<T> = shape(anything)) {
      const value = log.read('new', name) ?? log.read('cur', name) ?? searchLog(folder, name);
      const { success, data } = schema.safeParse(value);
      return value !== undefined && success ? data : peekJson(fileOf('dead', name), schema, FINISHED);
    },
    prune(now) {
      const oldest = new Date(now.getTime() - KEPT_DAYS * 86_400_000).toISOString().slice(0, 10);
      log.prune(oldest);
      pruneOldDays(root, oldest);
      return oldest;
    },
    async close() {
      if (await log.close()) noteCleanEnd(root, folder);
    },
  };
}

const isFiled = (state: SpoolState): state is FiledState => state === 'unsure' || state === 'dead';

/** Reads an entry. A value of the wrong shape moves to `dead`, unchanged, under a name that no message has. */
function readLive<T>(root: string, log: SpoolLog, state: LogState, name: string, schema: Schema<T>): T | undefined {
  const value = log.read(state, name);
  const { success, data } = schema.safeParse(value);
  if (value === undefined || success) return value === undefined ? undefined : data;
  const movedTo = path.join(root, 'dead', `${name}.${state}.bad`);
  fs.writeFileSync(movedTo, `${JSON.stringify(value)}\n`, { mode: 0o600 });
  log.drop(state, name);
  const about = state === 'out' ? ANSWER : MESSAGE;
  reportDamage({ ...about, file: log.file, why: 'has a line that does not hold what it should', movedTo });
  return undefined;
}

/** Returns the newest value of a message in the last segments; decodes only lines that may be its own. */
function searchLog(folder: string, key: string): unknown {
  const mark = Buffer.from(`"key":${JSON.stringify(key)}`);
  for (const name of segmentNames(folder).slice(-SEARCHED).reverse()) {
    const data = bytesToSearch(path.join(folder, `${name}.jsonl`));
    for (let at = data.lastIndexOf(mark); at >= 0; at = at === 0 ? -1 : data.lastIndexOf(mark, at - 1)) {
      const end = data.indexOf(0x0a, at);
      const line = end < 0 ? undefined : parseLine(data.toString('utf8', data.lastIndexOf(0x0a, at) + 1, end));
      if (line?.op === 'put' && line.key === key && line.state !== 'out') return line.value;
    }
  }
  return undefined;
}

function bytesToSearch(file: string): Buffer {
  try {
    return segmentBytes(file);
  } catch (error) {
    reportBlocked(file, error, FINISHED);
    return Buffer.alloc(0);
  }
}

/** Returns the names on disk, or the known ones while the process is out of file handles. */
function namesOrKnown(root: string, state: FiledState, known: ReadonlySet<string>): string[] {
  try {
    return filedNames(root, state);
  } catch (error) {
    if (outOfHandles(error) === undefined) throw error;
    return [...known];
  }
}

const filedNames = (root: string, state: FiledState): string[] =>
  namesIn(path.join(root, state)).flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : []));

/** Checks the disk at most once a second while there is enough space. */
function createSpaceCheck(root: string, freeBytes: number): { isEnough(): boolean } {
  let checkedAt = 0;
  let isEnough = true;
  return {
    isEnough() {
      const now = Date.now();
      if (now - checkedAt <= 1000 && isEnough) return true;
      try {
        const { bavail, bsize } = fs.statfsSync(root);
        isEnough = bavail * bsize >= freeBytes;
      } catch (error) {
        throw toStorageError(error);
      }
      checkedAt = now;
      return isEnough;
    },
  };
}
