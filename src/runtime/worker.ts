/**
 * The worker: takes a lane's next message and sees it through: a command is answered, a message has its turn (`run/turn.ts`).
 * Whoever writes while a turn is under way may steer it: the turn ends, the next one goes on from it with the new words, and
 * its answer goes to everybody whose message was taken in.
 *
 * Invariant: what was taken into a lease is answered, or handed back with it.
 */
import { SUSPECT_FROM } from '../engine/crashes.ts';
import type { Arrival, LaneSignal, Lease, Queue } from '../engine/engine.ts';
import { isStorageFailure, LeaseLost } from '../errors.ts';
import { within } from '../lib/within.ts';
import type { CommandServices } from './commands/answer.ts';
import { createCommandLane } from './commands/lane.ts';
import type { Promised } from './commands/promised.ts';
import { COMMANDS, COMMANDS_AT_ONCE, type Entry, shareOf, stoppedBy, TASKS, taskLane } from './contract/entry.ts';
import { createPlace, type Place, placeAll } from './conversations/placing.ts';
import type { Reach } from './conversations/reach.ts';
import { type Processes, Stopping } from './conversations/stopping.ts';
import { kindOf } from './reply/failure.ts';
import type { Questions } from './reply/questions.ts';
import {
  batchesOf,
  cutting,
  endedSince,
  firstBatches,
  type Item,
  type StartedRuns,
  startedRuns,
  takeUp,
} from './run/batches.ts';
import { createRetries, type GiveUp, type Retries } from './run/retries.ts';
import { abandonTurn, joinEnded, type TurnServices, takeTurn } from './run/turn.ts';
import { noteWait } from './run/watch.ts';
import { Work } from './run/work.ts';

/** How often a lane that waits for a stop looks whether that is carried out. */
const LOOK_MS = 50;

export interface WorkerOptions {
  queue: Queue<Entry>;
  /** What runs are made with. */
  runs: TurnServices;
  /** What commands may ask of the rest of the gateway, but for the work itself. */
  commands: Omit<CommandServices, 'look' | 'enqueue' | 'stop' | 'runsAt' | 'runs'>;
  /** Keeps messages that cannot be worked on in `dead`, and tells their people. Rejects when they could not be stored. */
  giveUp?: GiveUp | undefined;
  questions: Pick<Questions, 'decided'>;
  promised?: Promised | undefined;
  reach?: Reach | undefined;
  /** Runs at the same time. */
  maxRuns: number;
  /** Reaches other processes that work on the same home; undefined: there are none. */
  processes?: Processes | undefined;
}

export class Worker {
  /** Stops that are on their way: whoever takes messages in tells it of them. */
  readonly stopping: Stopping;
  readonly #options: WorkerOptions;
  readonly #retries: Retries;
  readonly #place: Place;
  readonly #answerCommand: ReturnType<typeof createCommandLane>;
  /** By lane. */
  readonly #works = new Map<string, Work>();
  readonly #working = new Set<Promise<void>>();
  #isStopping = false;

  constructor(options: WorkerOptions) {
    const { queue, runs, questions, giveUp, promised } = options;
    const { log, delivery, buttons } = runs;
    this.#options = options;
    this.stopping = new Stopping(options.processes);
    this.#retries = createRetries({ queue, giveUp, log });
    this.#place = createPlace(runs.threads, delivery, options.reach);
    const service = this.#commands();
    this.#answerCommand = createCommandLane({
      service,
      delivery,
      buttons,
      questions,
      place: this.#place,
      promised,
      log,
    });
    queue.onSignal((lane, signal, before) => this.#onSignal(lane, signal, before));
    runs.bus.subscribe((event) => this.#works.get(taskLane(event.taskId))?.watch(event));
  }

  /** A stop that an earlier process has taken in ends its task before that begins again. */
  async start(): Promise<void> {
    for (const { id, message } of await this.#options.queue.unfinished()) {
      const lane = stoppedBy(message);
      if (lane !== undefined) this.stopping.begin(lane, id);
    }
    for (let n = 0; n < this.#options.maxRuns; n++) void this.#loop(TASKS, (lease) => this.#runMessages(lease));
    for (let n = 0; n < COMMANDS_AT_ONCE; n++) void this.#loop(COMMANDS, (lease) => this.#runCommands(lease));
  }

  /** Takes nothing new, lets runs finish for `graceMs`, then leaves the rest to the next start. */
  async stop(graceMs: number): Promise<void> {
    this.#options.queue.close();
    await within(Promise.all(this.#working), graceMs);
    this.#isStopping = true;
    for (const work of this.#works.values()) work.abort('shutdown');
    await Promise.all(this.#working);
  }

  async #loop(kind: string, work: (lease: Lease<Entry>) => Promise<void>): Promise<void> {
    const { queue } = this.#options;
    for (let lease = await queue.claim(kind); lease; lease = await queue.claim(kind)) {
      const current = lease;
      const done = work(current).catch((error: unknown) => this.#failed(current, error));
      this.#working.add(done);
      await done;
      this.#working.delete(done);
    }
  }

  async #runCommands(lease: Lease<Entry>): Promise<void> {
    await lease.stored();
    noteWait(lease.items, lease.isAgain, this.#options.runs);
    for (const item of lease.items) {
      await this.#answerCommand(item, lease);
      await this.#ack(lease, [item]);
      const stopped = stoppedBy(item.message);
      if (stopped !== undefined) this.stopping.end(stopped, item.id);
    }
  }

  /** What was lost is somebody else's work now. */
  async #failed(lease: Lease<Entry>, error: unknown): Promise<void> {
    const { log, metrics } = this.#options.runs;
    const { lane } = lease;
    if (error instanceof LeaseLost) return void log.warn({ lane }, 'the work on a lane was lost to somebody else');
    metrics.count('viber_errors_total', { stage: 'run', kind: isStorageFailure(error) ? 'storage' : kindOf(error) });
    try {
      await this.#retries.failed(lease, error);
    } catch (cause) {
      log.error({ err: cause, lane }, 'work that failed could not be handed back');
    }
  }

  async #runMessages(lease: Lease<Entry>): Promise<void> {
    const { lane } = lease;
    const [head] = lease.items as [Item];
    const held = this.stopping.over(lane);
    // What was part of two crashes is in work alone: not before a stop that was as well.
    if (held && head.attempts >= SUSPECT_FROM)
      return this.#options.queue.release(lease, { retryAt: Date.now() + LOOK_MS });
    await held;
    const work = new Work(this.#options.queue, lease, this.#isStop(head));
    this.#works.set(lane, work);
    try {
      await this.#takeTurns(work, head);
      // What has joined it too late waits in the lane again.
      await this.#options.queue.release(lease);
    } finally {
      work.close();
      // With its last message gone the lane may have its next owner already.
      if (this.#works.get(lane) === work) this.#works.delete(lane);
    }
  }

  /** The turns of a lane, until nothing waits in it that belongs together, or the gateway stops. */
  async #takeTurns(work: Work, head: Item): Promise<void> {
    const { queue, runs, processes } = this.#options;
    const { lease } = work;
    const { isAgain } = lease;
    const isRetried = this.#retries.has(lease.lane);
    const ack = (items: readonly Item[]) => this.#ack(lease, items);
    const onSettled = () => work.settle();
    const started: StartedRuns = isAgain ? await startedRuns(runs.home, head.message) : new Map();
    const waiting = await firstBatches(lease, queue, started, { isRetried });
    let carriedOver: readonly Item[] = [];
    for (let batch = waiting.shift(); batch; batch = waiting.shift()) {
      work.prepare([...carriedOver, ...batch.items]);
      // A thread that others see is opened for what is there to stay.
      if (batch.items.some(({ message }) => message.message.opensThread)) await lease.stored();
      const items = await placeAll(batch.items, this.#place, ack);
      if (items.length === 0) {
        // Nobody could read its answer: its person was told why.
        await runs.taskRecords.drop(head.message.taskId);
        continue;
      }
      const signals = work.begin(batch.run, {
        isEnding: this.#isStop(batch.items[0]),
        isShutdown: this.#isStopping,
        isSteered: cutting(waiting, [...carriedOver, ...items]) >= 0,
      });
      const turn = {
        run: batch.run,
        items,
        carriedOver,
        isAgain,
        fence: lease,
        stored: () => lease.stored(),
        owner: { check: () => lease.check(), ...(processes && { epoch: lease.epoch }) },
        onSettled,
        ack,
        ...signals,
      };
      const ended = await takeTurn(turn, runs);
      if (ended === 'shutdown') return queue.release(lease);
      carriedOver = ended === 'steered' ? [...carriedOver, ...items] : [];
      const since = ended === 'steered' && isAgain ? await endedSince(runs.home, head.message, batch.run) : undefined;
      if (since) {
        await joinEnded({ items: carriedOver, fence: lease, ack }, since, (id) => queue.find(id), runs);
        carriedOver = [];
      }
      takeUp(waiting, batchesOf(await work.end(), started), carriedOver);
    }
    // Whoever steers now is too late, and waits in the lane.
    work.close();
    if (carriedOver.length > 0) await abandonTurn({ items: carriedOver, fence: lease, ack }, runs);
  }

  #ack(lease: Lease<Entry>, items: readonly Item[]): Promise<void> {
    this.#retries.over(lease.lane);
    return this.#options.queue.ack(
      lease,
      items.map((item) => item.id),
    );
  }

  /** A run that goes on only to be told that it was stopped while it waited. */
  #isStop(item: Item | undefined): boolean {
    const { approvals } = this.#options.commands;
    return approvals?.get(item?.message.resume?.approval ?? '')?.decision?.verdict === 'stop';
  }

  #onSignal(lane: string, signal: LaneSignal, before?: Arrival): Promise<boolean> | boolean | undefined {
    const work = this.#works.get(lane);
    if (!work || work.isOver) return undefined;
    const held = signal === 'steer' ? this.stopping.over(lane) : undefined;
    if (held) return held.then(async () => (await this.#onSignal(lane, signal)) ?? false);
    if (signal === 'steer') return work.steer();
    if (signal !== 'stop') return false;
    return work.hasBegun ? !this.#isStopping && work.stop(before) : undefined;
  }

  /** What commands may ask, with what the worker itself knows. */
  #commands(): CommandServices {
    const { queue, commands } = this.#options;
    return {
      ...commands,
      look: (id) => queue.look(taskLane(id)),
      enqueue: async (entry, dedupeId) => {
        await queue.enqueue(taskLane(entry.taskId), entry, { dedupeId, by: shareOf(entry) });
      },
      stop: (id, before) => queue.signal(taskLane(id), 'stop', before),
      runs: () => this.#options.runs.live.runs(),
      runsAt: (address) => this.#options.runs.live.runsAt(address),
    };
  }
}
