/**
 * The worker: claims lanes, answers commands and runs turns of messages (`run/run.ts`). Words that arrive during a turn
 * may steer it: the turn ends, the next one continues it with the new words, and its answer goes to everybody whose
 * messages were read.
 *
 * Invariant: every message in a lease is answered, or handed back with it.
 */
import { SUSPECT_FROM } from '../engine/crashes.ts';
import type { Arrival, LaneSignal, Lease } from '../engine/engine.ts';
import { isStorageFailure, LeaseLost } from '../errors.ts';
import { within } from '../lib/within.ts';
import { answerItem, tellUnkept } from './commands/lane.ts';
import { COMMANDS, COMMANDS_AT_ONCE, type Entry, stoppedBy, TASKS, taskLane } from './contract/entry.ts';
import { errorWord } from './reply/failure.ts';
import {
  addSteering,
  type Batch,
  batchesOf,
  firstBatches,
  type Item,
  isSteered,
  type StartedRuns,
  startedRuns,
} from './run/batches.ts';
import { abandon, finish, handBack, withoutAnswer } from './run/conclude.ts';
import type { Gateway } from './run/gateway.ts';
import { placeItem } from './run/placing.ts';
import { run } from './run/run.ts';
import type { Turn } from './run/turn.ts';
import { noteWait } from './run/watch-turn.ts';
import { Work } from './run/work.ts';

/** How often a lane that waits for a stop checks whether it has taken effect. */
const LOOK_MS = 50;

export type Worker = ReturnType<typeof createWorker>;

export function createWorker(gw: Gateway) {
  const { engine, tasks, config } = gw;
  const { queue } = engine;
  const { lanes, bus, arrivals } = tasks;
  const working = new Set<Promise<void>>();
  queue.onSignal((lane, signal, before) => hear(lane, signal, before, gw));
  bus.subscribe((event) => lanes.works.get(taskLane(event.taskId))?.watch(event));

  async function claim(kind: string, work: (lease: Lease<Entry>, gw: Gateway) => Promise<void>): Promise<void> {
    for (let lease = await queue.claim(kind); lease; lease = await queue.claim(kind)) {
      const current = lease;
      const done = work(current, gw).catch((error: unknown) => fail(current, error, gw));
      working.add(done);
      await done;
      working.delete(done);
    }
  }

  return {
    /** Tells people which promises of the last process won't be kept. Call it before `start`. */
    tellUnkept: () => tellUnkept(gw),
    async start(): Promise<void> {
      // A stop that an earlier process accepted ends its task before the task runs again.
      for (const { id, message } of await queue.unfinished()) {
        const lane = stoppedBy(message);
        if (lane !== undefined) arrivals.stopping.begin(lane, id);
      }
      for (let n = 0; n < config.limits.runs; n++) void claim(TASKS, workLane);
      for (let n = 0; n < COMMANDS_AT_ONCE; n++) void claim(COMMANDS, workCommands);
    },
    /** Lets runs finish for `graceMs`, and leaves the rest to the next start. */
    async stop(graceMs: number): Promise<void> {
      queue.close();
      await within(Promise.all(working), graceMs);
      lanes.isStopping = true;
      for (const work of lanes.works.values()) work.abort('shutdown');
      await Promise.all(working);
    },
  };
}

async function workCommands(lease: Lease<Entry>, gw: Gateway): Promise<void> {
  await lease.stored();
  noteWait(lease.items, lease.isAgain, gw.features);
  for (const item of lease.items) {
    await answerItem(item, lease, gw);
    await finish(lease, [item], gw);
    const stopped = stoppedBy(item.message);
    if (stopped !== undefined) gw.tasks.arrivals.stopping.end(stopped, item.id);
  }
}

/** Stops when no pending messages belong together, or when the gateway stops. */
async function workLane(lease: Lease<Entry>, gw: Gateway): Promise<void> {
  const { lane } = lease;
  const { queue } = gw.engine;
  const { works } = gw.tasks.lanes;
  const [head] = lease.items as [Item];
  const stopped = gw.tasks.arrivals.stopping.over(lane);
  // A message that was part of two crashes runs alone, but only after a stop that was part of them too.
  if (stopped && head.attempts >= SUSPECT_FROM) return queue.release(lease, { retryAt: Date.now() + LOOK_MS });
  await stopped;
  const work = new Work(queue, lease, isStopped(head, gw));
  works.set(lane, work);
  try {
    await takeTurns(work, head, gw);
    // Messages that joined too late are pending in the lane again.
    await queue.release(lease);
  } finally {
    work.close();
    // Without its last message the lane may already have its next owner.
    if (works.get(lane) === work) works.delete(lane);
  }
}

async function takeTurns(work: Work, head: Item, gw: Gateway): Promise<void> {
  const { lease } = work;
  const started: StartedRuns = lease.isAgain ? startedRuns(gw.home, head.message) : new Map();
  const isRetried = gw.tasks.lanes.failures.has(lease.lane);
  const waiting = await firstBatches(lease, gw.engine.queue, started, { isRetried });
  /** The turn that continues a steered one answers its messages. */
  let unanswered: readonly Item[] = [];
  for (let batch = waiting.shift(); batch; batch = waiting.shift()) {
    const turn = await prepareTurn(work, batch, { unanswered, waiting }, gw);
    if (!turn) continue;
    const { state } = await run(turn, gw);
    if (state === 'shutdown') return;
    unanswered = state === 'steered' ? await withoutAnswer(turn, gw) : [];
    addSteering(waiting, batchesOf(await work.endTurn(), started), unanswered);
  }
  // Words that steer from here on are too late and wait in the lane.
  work.close();
  if (unanswered.length > 0) await abandon(unanswered, lease, gw);
}

interface Waiting {
  unanswered: readonly Item[];
  waiting: readonly Batch[];
}

/** Undefined if no message could be answered where it was written; their senders were told why. */
async function prepareTurn(
  work: Work,
  batch: Batch,
  { unanswered, waiting }: Waiting,
  gw: Gateway,
): Promise<Turn | undefined> {
  const { lease } = work;
  const { config, tasks } = gw;
  work.prepareTurn([...unanswered, ...batch.items]);
  // A thread is visible to others, so open it only for messages that are durable.
  if (batch.items.some(({ message }) => message.message.opensThread)) await lease.stored();
  const items: Item[] = [];
  for (const item of batch.items) {
    // Everybody can read the answer to a direct message that opens no thread.
    const { isDirect, opensThread } = item.message.message;
    const placed = isDirect && !opensThread ? item : await placeItem(item, gw);
    if (placed) items.push(placed);
    else await finish(lease, [item], gw);
  }
  const [first] = items;
  if (!first) {
    await tasks.records.drop((batch.items[0] as Item).message.taskId);
    return undefined;
  }
  const answered = [...unanswered, ...items];
  return {
    run: batch.run,
    items,
    answered,
    isAgain: lease.isAgain,
    lease,
    owner: { check: () => lease.check(), ...(config.engine.kind !== 'local' && { epoch: lease.epoch }) },
    onSettled: () => work.settle(),
    ...work.beginTurn(batch.run, {
      isEnding: isStopped(batch.items[0], gw),
      isShutdown: tasks.lanes.isStopping,
      isSteered: isSteered(waiting, answered),
    }),
  };
}

/** The run resumes only to learn that it was stopped while it waited. */
function isStopped(item: Item | undefined, { consent }: Gateway): boolean {
  return consent.approvals.get(item?.message.resume?.approval ?? '')?.decision?.verdict === 'stop';
}

async function fail(lease: Lease<Entry>, error: unknown, gw: Gateway): Promise<void> {
  const { log, features } = gw;
  const { lane } = lease;
  if (error instanceof LeaseLost) return void log.warn({ lane }, 'another process took over the work on a lane');
  const kind = isStorageFailure(error) ? 'storage' : errorWord(error);
  features.metrics.count('viber_errors_total', { stage: 'run', kind });
  try {
    await handBack(lease, error, gw);
  } catch (cause) {
    log.error({ err: cause, lane }, 'work that failed could not be handed back');
  }
}

/** Undefined if this process isn't working on the lane, or hasn't begun. */
function hear(
  lane: string,
  signal: LaneSignal,
  before: Arrival | undefined,
  gw: Gateway,
): Promise<boolean> | boolean | undefined {
  const { lanes, arrivals } = gw.tasks;
  const work = lanes.works.get(lane);
  if (!work || work.isOver) return undefined;
  if (signal === 'stop') return work.hasBegun ? !lanes.isStopping && work.stop(before) : undefined;
  const stopped = arrivals.stopping.over(lane);
  // After the stop the lane may have its next owner.
  return stopped ? stopped.then(async () => (await hear(lane, signal, before, gw)) ?? false) : work.steer();
}
