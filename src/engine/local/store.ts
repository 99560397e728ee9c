/**
 * Where messages and answers are on their way. What is unfinished stands in the log (`log.ts`); what was given up, or may or may not
 * have been delivered, is a file of its own, since a person will want to look at it.
 *
 *   new      accepted, waiting                        cur   in work
 *   out      answers waiting for delivery             dead  given up, `dead/<key>.json`
 *   unsure   may or may not have been delivered, `unsure/<key>.json`
 */
import fs from 'node:fs';
import path from 'node:path';
import { outOfHandles, StorageError, toStorageError } from '../../errors.ts';
import { ensureFolder, namesIn, reportDamage } from '../../lib/damage.ts';
import { writeFileAtomic } from '../../lib/files.ts';
import { peekJson, reportBlocked } from '../../lib/read-json.ts';
import { anything, type Schema, shape } from '../../lib/shape.ts';
import { noteCleanEnd, takeCleanEnd } from './clean-end.ts';
import { SpoolLog } from './log.ts';
import { type LogState, parseLine } from './log-lines.ts';
import { adoptOldSpool, pruneOldDays } from './migrate.ts';
import { bytesOf, segmentNames, syncFolder } from './segment.ts';

/** What was given up, or whose fate nobody knows: a file each. */
type FiledState = 'unsure' | 'dead';
export type SpoolState = LogState | FiledState;

export interface SpoolStore {
  readonly root: string;
  /** The last process has ended in order: what it left is as the log says, its last moves included. */
  readonly endedCleanly: boolean;
  /**
   * Durable when it resolves. Takes the place of an older one of that name. Rejects with a StorageError when it cannot be written
   * (NoSpaceError for `new` when the disk is nearly full), with the error of serialising when it cannot be JSON.
   * @param onWritten for what stands in the log: called when the death of this process alone would not lose it any more
   */
  put(state: SpoolState, name: string, value: unknown, onWritten?: () => void): Promise<void>;
  /** Between waiting and in work. Written at once, synced with the next put. */
  move(to: 'new' | 'cur', name: string): void;
  /** It leaves its state, and its name, or `as`, is remembered for 30 days. */
  finish(from: LogState, name: string, as?: string): void;
  remove(state: LogState, name: string): void;
  has(state: SpoolState, name: string): boolean;
  /** Names in a state; those of the log in the order in which they were put. */
  names(state: SpoolState): string[];
  /** What is held under a name; undefined when it is missing, or damaged and now set aside. */
  read<T>(state: LogState, name: string, schema?: Schema<T>): T | undefined;
  /** As `read` for a file whose name still counts: a damaged one stays where it is. */
  peek<T>(state: 'dead', name: string, schema: Schema<T>): T | undefined;
  /** A message that waits was in work before, as far as the log knows. */
  wasInWork(name: string): boolean;
  /** Whether something of that name was finished within the last 30 days. */
  wasFinished(name: string): boolean;
  /** An accepted message of the last days, finished or not; its answer, of the same name, is another. */
  find<T>(name: string, schema?: Schema<T>): T | undefined;
  /** Forgets what was finished more than 30 days ago; gives the oldest day that is kept. */
  prune(now: Date): string;
  close(): Promise<void>;
}

const MESSAGE = {
  lost: 'a message that was accepted and not answered yet',
  next: 'Whoever misses an answer has to write again.',
  tell: true,
};
const ANSWER = { lost: 'an answer that was not delivered yet', next: 'It is not sent any more.', tell: true };
const FINISHED = { lost: 'the words of a message that is finished' };
const KEPT_DAYS = 30;
/** Segments looked at for the words of a message that is finished. */
const SEARCHED = 4;

export interface StoreOptions {
  root: string;
  /** Bytes that must stay free; below that `put` into `new` is refused. Answers may still be written. */
  freeBytes: number;
  /** Bytes, for tests. */
  segmentBytes?: number;
}

/** Raised when the disk is too full to accept more. */
export class NoSpaceError extends StorageError {
  override name = 'NoSpaceError';
}

export function openStore(options: StoreOptions): SpoolStore {
  const { root, freeBytes } = options;
  for (const state of ['log', 'unsure', 'dead', 'ledger'])
    ensureFolder(root, path.join(root, state), `what stood in spool/${state}/`);
  const folder = path.join(root, 'log');
  const end = takeCleanEnd(root, folder);
  const log = new SpoolLog(folder, path.join(root, 'dead'), options.segmentBytes);
  adoptOldSpool(root, folder, log);
  // Before any of it is worked on: a power cut must not bring the note back.
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

/** What does not hold what it should is no message: it goes to `dead`, as it was, under a name that no message has. */
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

/** The newest value of a message that went through the last segments; decodes only lines that may be its own. */
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
    return bytesOf(file);
  } catch (error) {
    reportBlocked(file, error, FINISHED);
    return Buffer.alloc(0);
  }
}

/** As far as it is known while there is no file handle to look: whoever tells of that asks here. */
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

/** Asks the disk at most once a second while there is enough. */
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
