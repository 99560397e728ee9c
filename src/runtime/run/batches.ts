/** Groups the messages of a lane into turns. */
import { principalText } from '../../access/principal.ts';
import type { Lease, Queue, QueueItem } from '../../engine/engine.ts';
import { errorCode } from '../../errors.ts';
import type { Home } from '../../workspace/home.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { SessionEntry } from '../../workspace/types.ts';
import { STEERED } from '../context/past-run.ts';
import { type Entry, runOf } from '../contract/entry.ts';

export type Item = QueueItem<Entry>;

/** The messages of one turn. They are from one person, so that nobody speaks with another's permissions. */
export interface Batch {
  run: string;
  items: readonly Item[];
}

export type StartedRuns = ReadonlyMap<string, string>;

/** How much of the session is searched for what an earlier attempt started, in bytes. */
const SEARCH_BYTES = 8 * 1024 * 1024;

/** Returns the runs that earlier attempts started in a task; these continue unchanged. */
export function startedRuns(home: Home, { viber, taskId }: Entry): StartedRuns {
  const runs = new Map<string, string>();
  for (const entry of openTask(home, taskId, viber).session.tail({ maxBytes: SEARCH_BYTES })) {
    if (entry.type !== 'message') continue;
    for (const id of [entry.id, ...(entry.also ?? [])]) runs.set(id, entry.run);
  }
  return runs;
}

export interface LaterResult {
  result: Extract<SessionEntry, { type: 'result' }>;
  ids: readonly string[];
}

/** Returns the result that a steered run's words led to, if an earlier attempt completed it. */
export function resultAfter(home: Home, { viber, taskId }: Entry, steered: string): LaterResult | undefined {
  const entries = openTask(home, taskId, viber).session.tail({ maxBytes: SEARCH_BYTES });
  const results = entries.flatMap((entry) => (entry.type === 'result' ? [entry] : []));
  const at = results.findIndex(({ run }) => run === steered);
  const result = at < 0 ? undefined : results.slice(at + 1).find(({ error }) => error !== STEERED);
  if (!result) return undefined;
  const taken = entries.flatMap((entry) => (entry.type === 'message' && entry.run === result.run ? [entry] : []));
  return { result, ids: taken.flatMap(({ id, also = [] }) => [id, ...also]) };
}

/** Whether the run that handled a message, or the one that continued it, has its result: only the delivery remains. */
export async function hasResult(home: Home, { id, message }: Item): Promise<boolean> {
  try {
    const run = (await startedRuns(home, message)).get(id);
    const { session } = openTask(home, message.taskId, message.viber);
    const results = session
      .tail({ maxBytes: SEARCH_BYTES })
      .flatMap((entry) => (entry.type === 'result' ? [entry] : []));
    const at = results.findIndex((result) => result.run === run);
    return at >= 0 && results.slice(at).some(({ error }) => error !== STEERED);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    // A session that can't be read contains no known result.
    return false;
  }
}

export const steers = (item: Item | undefined): boolean => item?.message.mode === 'steer';

/** Whether a guest's run may see another message: see `shownToGuest`. */
const isShownTo = (guest: Item, { message: { principal, message } }: Item): boolean =>
  !message.isDirect ||
  (principal.role === 'guest' && principalText(principal) === principalText(guest.message.principal));

/**
 * Whether an item interrupts a turn and answers for it. A guest's message does so only if its run may see everything
 * that the turn was told.
 */
export const cutsOff = (item: Item | undefined, turn: readonly Item[]): boolean =>
  item !== undefined &&
  steers(item) &&
  !item.isStopped &&
  (item.message.principal.role !== 'guest' || turn.every((one) => isShownTo(item, one)));

const collects = (head: Item, item: Item): boolean =>
  head.message.mode === 'collect' &&
  item.message.mode === 'collect' &&
  principalText(item.message.principal) === principalText(head.message.principal);

/**
 * Returns the batches of a lease as it begins. Steering messages go first, but after work that was already started,
 * which they steer, and after decisions that somebody made before them.
 */
export async function firstBatches(
  lease: Lease<Entry>,
  queue: Pick<Queue<Entry>, 'extend'>,
  started: StartedRuns,
  { isRetried }: { isRetried: boolean },
): Promise<Batch[]> {
  const [head] = lease.items as [Item];
  const run = started.get(head.id);
  // They stay together as before, or alone if they were alone because of an earlier crash.
  const together = await queue.extend(lease, (item) =>
    run === undefined ? head.attempts === 0 && !isRetried && collects(head, item) : started.get(item.id) === run,
  );
  const own = [...lease.items, ...together];
  const steering = await queue.extend(lease, steers);
  const isFirst = steers(head) || run !== undefined || head.message.resume !== undefined;
  if (!isFirst) return [...batchesOf(steering, started), ...batchesOf(own, started)];
  const all = batchesOf([...own, ...steering], started);
  return run === undefined ? all : asStarted(all, started);
}

/** Keeps the order of started batches: a batch that began earlier doesn't steer an older one. */
function asStarted(batches: readonly Batch[], started: StartedRuns): Batch[] {
  const runs = [...new Set(started.values())];
  const place = ({ run }: Batch) => (runs.includes(run) ? runs.indexOf(run) : runs.length);
  return [...batches].sort((a, b) => place(a) - place(b));
}

/**
 * Groups items into batches. Items that were handled together stay together; of the others, consecutive ones of one
 * person form a batch. Stopped items are never grouped with others: a message that was written after a stop gets an
 * answer.
 */
export function batchesOf(items: readonly Item[], started: StartedRuns): Batch[] {
  const found: (Batch & { items: Item[]; by: string })[] = [];
  for (const item of items) {
    const run = started.get(item.id);
    const { principal, resume } = item.message;
    const by = resume ? item.id : (run ?? `${item.isStopped ? 'stopped ' : ''}${principalText(principal)}`);
    const batch = run === undefined ? found.at(-1) : found.find((one) => one.by === by);
    if (batch?.by === by) batch.items.push(item);
    else found.push({ run: run ?? runOf(item), items: [item], by });
  }
  return found;
}

/**
 * Adds batches that joined after those already waiting to steer. The one that interrupts the ended turn, and answers
 * for it, comes first.
 */
export function addSteering(waiting: Batch[], joined: readonly Batch[], turn: readonly Item[]): void {
  const end = waiting.findIndex(({ items: [item] }) => !steers(item));
  waiting.splice(end < 0 ? waiting.length : end, 0, ...joined);
  const cut = cutting(waiting, turn);
  if (turn.length > 0 && cut > 0) waiting.unshift(...waiting.splice(cut, 1));
}

/** Returns the index of the first waiting batch that interrupts the turn; -1 if there is none. */
function cutting(waiting: readonly Batch[], turn: readonly Item[]): number {
  const end = waiting.findIndex(({ items: [item] }) => !steers(item));
  return waiting.slice(0, end < 0 ? waiting.length : end).findIndex(({ items: [item] }) => cutsOff(item, turn));
}

export const isSteered = (waiting: readonly Batch[], turn: readonly Item[]): boolean => cutting(waiting, turn) >= 0;
