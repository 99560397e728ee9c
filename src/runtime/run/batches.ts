/** Messages of a lane as turns: which of them are worked on together. */
import { principalText } from '../../access/principal.ts';
import type { Lease, Queue, QueueItem } from '../../engine/engine.ts';
import { errorCode } from '../../errors.ts';
import type { Home } from '../../workspace/home.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { SessionEntry } from '../../workspace/types.ts';
import { STEERED } from '../context/past-run.ts';
import { type Entry, runOf } from '../contract/entry.ts';

export type Item = QueueItem<Entry>;

/** Messages that are one turn: of one person, so that nobody speaks with another's rights. */
export interface Batch {
  run: string;
  items: readonly Item[];
}

/** By a message's id, the run that took it in. */
export type StartedRuns = ReadonlyMap<string, string>;

/** How far back the session is searched for what an earlier attempt has started. */
const SEARCH_BYTES = 8 * 1024 * 1024;

/** What earlier attempts have taken in of a task: that goes on as it was. */
export function startedRuns(home: Home, { viber, taskId }: Entry): StartedRuns {
  const runs = new Map<string, string>();
  for (const entry of openTask(home, taskId, viber).session.tail({ maxBytes: SEARCH_BYTES })) {
    if (entry.type !== 'message') continue;
    for (const id of [entry.id, ...(entry.also ?? [])]) runs.set(id, entry.run);
  }
  return runs;
}

/** The result of a run, with the messages that it took in. */
export interface LaterResult {
  result: Extract<SessionEntry, { type: 'result' }>;
  ids: readonly string[];
}

/** The result that the words of a steered run have led to, where an earlier attempt has brought that to its end. */
export function resultAfter(home: Home, { viber, taskId }: Entry, steered: string): LaterResult | undefined {
  const entries = openTask(home, taskId, viber).session.tail({ maxBytes: SEARCH_BYTES });
  const results = entries.flatMap((entry) => (entry.type === 'result' ? [entry] : []));
  const at = results.findIndex(({ run }) => run === steered);
  const result = at < 0 ? undefined : results.slice(at + 1).find(({ error }) => error !== STEERED);
  if (!result) return undefined;
  const taken = entries.flatMap((entry) => (entry.type === 'message' && entry.run === result.run ? [entry] : []));
  return { result, ids: taken.flatMap(({ id, also = [] }) => [id, ...also]) };
}

/** Whether the run that took a message in, or the one that went on from that, has its result: only the delivery remains. */
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
    // A session that can't be read tells of no result.
    return false;
  }
}

export const steers = (item: Item | undefined): boolean => item?.message.mode === 'steer';

/** What a run on a guest's word is shown of what others have said: see `shownToGuest`. */
const isShownTo = (guest: Item, { message: { principal, message } }: Item): boolean =>
  !message.isDirect ||
  (principal.role === 'guest' && principalText(principal) === principalText(guest.message.principal));

/** Whether an item cuts off a turn, and answers for it: a guest's words do so only where their run hears what the turn was told. */
export const cutsOff = (item: Item | undefined, turn: readonly Item[]): boolean =>
  item !== undefined &&
  steers(item) &&
  !item.isStopped &&
  (item.message.principal.role !== 'guest' || turn.every((one) => isShownTo(item, one)));

/** Whether a waiting message is collected into the turn of `head`. */
const collects = (head: Item, item: Item): boolean =>
  head.message.mode === 'collect' &&
  item.message.mode === 'collect' &&
  principalText(item.message.principal) === principalText(head.message.principal);

/**
 * The batches of a lease as it begins: what steers goes first, but for what was started already, which it steers, and for what somebody
 * has decided before it.
 */
export async function firstBatches(
  lease: Lease<Entry>,
  queue: Pick<Queue<Entry>, 'extend'>,
  started: StartedRuns,
  { isRetried }: { isRetried: boolean },
): Promise<Batch[]> {
  const [head] = lease.items as [Item];
  const run = started.get(head.id);
  // As they were together before; alone, were they part of a crash before that.
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

/** Those that were started go on in that order: an older one is not steered by what began before it. */
function asStarted(batches: readonly Batch[], started: StartedRuns): Batch[] {
  const runs = [...new Set(started.values())];
  const place = ({ run }: Batch) => (runs.includes(run) ? runs.indexOf(run) : runs.length);
  return [...batches].sort((a, b) => place(a) - place(b));
}

/**
 * What was taken in together stays together; of the others those of one person that follow each other are one batch. What was
 * stopped is in none with what was not: who wrote after a stop is answered.
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

/** Adds what has joined behind what waits to steer already; first comes what cuts off the turn that ended, and answers for it. */
export function addSteering(waiting: Batch[], joined: readonly Batch[], turn: readonly Item[]): void {
  const end = waiting.findIndex(({ items: [item] }) => !steers(item));
  waiting.splice(end < 0 ? waiting.length : end, 0, ...joined);
  const cut = cutting(waiting, turn);
  if (turn.length > 0 && cut > 0) waiting.unshift(...waiting.splice(cut, 1));
}

/** The first of what waits to steer that cuts off the turn; -1: nothing does. */
function cutting(waiting: readonly Batch[], turn: readonly Item[]): number {
  const end = waiting.findIndex(({ items: [item] }) => !steers(item));
  return waiting.slice(0, end < 0 ? waiting.length : end).findIndex(({ items: [item] }) => cutsOff(item, turn));
}

/** Whether something that waits cuts off the turn. */
export const isSteered = (waiting: readonly Batch[], turn: readonly Item[]): boolean => cutting(waiting, turn) >= 0;
