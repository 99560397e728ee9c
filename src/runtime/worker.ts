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
import { createCommandLane, tellUnkept } from './commands/lane.ts';
import { Promised } from './commands/promised.ts';
import { COMMANDS, COMMANDS_AT_ONCE, type Entry, stoppedBy, TASKS, taskLane } from './contract/entry.ts';
import { createPlace, type Place, placeAll } from './conversations/placing.ts';
import { Stopping } from './conversations/stopping.ts';
import { kindOf } from './reply/failure.ts';
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
import type { Gateway } from './run/gateway.ts';
import { giveUp } from './run/given-up.ts';
import { createRetries, type Retries } from './run/retries.ts';
import { abandonTurn, joinEnded, takeTurn } from './run/turn.ts';
import { noteWait } from './run/watch.ts';
import { Work } from './run/work.ts';

/** How often a lane that waits for a stop looks whether that is carried out. */
const LOOK_MS = 50;

export class Worker {
  /** Stops that are on their way: whoever takes messages in tells it of them. */
  readonly stopping: Stopping;
  readonly #gw: Gateway;
  readonly #queue: Queue<Entry>;
  readonly #promised: Promised;
  readonly #retries: Retries;
  readonly #place: Place;
  readonly #answerCommand: ReturnType<typeof createCommandLane>;
  /** By lane. */
  readonly #works = new Map<string, Work>();
  readonly #working = new Set<Promise<void>>();
  #isStopping = false;

  constructor(gw: Gateway) {
    const { queue } = gw.engine;
    this.#gw = gw;
    this.#queue = queue;
    this.stopping = new Stopping(gw.config.engine.kind === 'local' ? undefined : gw.engine);
    this.#promised = new Promised(gw.engine.state);
    this.#retries = createRetries({ queue, giveUp: (items, reason) => giveUp(items, reason, gw), log: gw.log });
    this.#place = createPlace(gw.tasks.threads, gw.delivery, gw.places.reach);
    this.#answerCommand = createCommandLane({ gw, place: this.#place, promised: this.#promised });
    queue.onSignal((lane, signal, before) => this.#onSignal(lane, signal, before));
    gw.tasks.bus.subscribe((event) => this.#works.get(taskLane(event.taskId))?.watch(event));
  }

  /** To be called before it starts: whoever still waits for what the last process promised learns that it is gone. */
  tellUnkept(): Promise<void> {
    return tellUnkept(this.#promised, this.#gw);
  }

  /** A stop that an earlier process has taken in ends its task before that begins again. */
  async start(): Promise<void> {
    for (const { id, message } of await this.#queue.unfinished()) {
      const lane = stoppedBy(message);
      if (lane !== undefined) this.stopping.begin(lane, id);
    }
    for (let n = 0; n < this.#gw.config.limits.runs; n++) void this.#loop(TASKS, (lease) => this.#runMessages(lease));
    for (let n = 0; n < COMMANDS_AT_ONCE; n++) void this.#loop(COMMANDS, (lease) => this.#runCommands(lease));
  }

  /** Takes nothing new, lets runs finish for `graceMs`, then leaves the rest to the next start. */
  async stop(graceMs: number): Promise<void> {
    this.#queue.close();
    await within(Promise.all(this.#working), graceMs);
    this.#isStopping = true;
    for (const work of this.#works.values()) work.abort('shutdown');
    await Promise.all(this.#working);
  }

  async #loop(kind: string, work: (lease: Lease<Entry>) => Promise<void>): Promise<void> {
    for (let lease = await this.#queue.claim(kind); lease; lease = await this.#queue.claim(kind)) {
      const current = lease;
      const done = work(current).catch((error: unknown) => this.#failed(current, error));
      this.#working.add(done);
      await done;
      this.#working.delete(done);
    }
  }

  async #runCommands(lease: Lease<Entry>): Promise<void> {
    await lease.stored();
    noteWait(lease.items, lease.isAgain, this.#gw.features);
    for (const item of lease.items) {
      await this.#answerCommand(item, lease);
      await this.#ack(lease, [item]);
      const stopped = stoppedBy(item.message);
      if (stopped !== undefined) this.stopping.end(stopped, item.id);
    }
  }

  /** What was lost is somebody else's work now. */
  async #failed(lease: Lease<Entry>, error: unknown): Promise<void> {
    const { log, features } = this.#gw;
    const { lane } = lease;
    if (error instanceof LeaseLost) return void log.warn({ lane }, 'the work on a lane was lost to somebody else');
    features.metrics.count('viber_errors_total', {
      stage: 'run',
      kind: isStorageFailure(error) ? 'storage' : kindOf(error),
    });
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
    if (held && head.attempts >= SUSPECT_FROM) return this.#queue.release(lease, { retryAt: Date.now() + LOOK_MS });
    await held;
    const work = new Work(this.#queue, lease, this.#isStop(head));
    this.#works.set(lane, work);
    try {
      await this.#takeTurns(work, head);
      // What has joined it too late waits in the lane again.
      await this.#queue.release(lease);
    } finally {
      work.close();
      // With its last message gone the lane may have its next owner already.
      if (this.#works.get(lane) === work) this.#works.delete(lane);
    }
  }

  /** The turns of a lane, until nothing waits in it that belongs together, or the gateway stops. */
  async #takeTurns(work: Work, head: Item): Promise<void> {
    const gw = this.#gw;
    const queue = this.#queue;
    const { lease } = work;
    const { isAgain } = lease;
    const isRetried = this.#retries.has(lease.lane);
    const ack = (items: readonly Item[]) => this.#ack(lease, items);
    const onSettled = () => work.settle();
    const started: StartedRuns = isAgain ? await startedRuns(gw.home, head.message) : new Map();
    const waiting = await firstBatches(lease, queue, started, { isRetried });
    let carriedOver: readonly Item[] = [];
    for (let batch = waiting.shift(); batch; batch = waiting.shift()) {
      work.prepare([...carriedOver, ...batch.items]);
      // A thread that others see is opened for what is there to stay.
      if (batch.items.some(({ message }) => message.message.opensThread)) await lease.stored();
      const items = await placeAll(batch.items, this.#place, ack);
      if (items.length === 0) {
        // Nobody could read its answer: its person was told why.
        await gw.tasks.records.drop(head.message.taskId);
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
        owner: { check: () => lease.check(), ...(gw.config.engine.kind !== 'local' && { epoch: lease.epoch }) },
        onSettled,
        ack,
        ...signals,
      };
      const ended = await takeTurn(turn, gw);
      if (ended === 'shutdown') return queue.release(lease);
      carriedOver = ended === 'steered' ? [...carriedOver, ...items] : [];
      const since = ended === 'steered' && isAgain ? await endedSince(gw.home, head.message, batch.run) : undefined;
      if (since) {
        await joinEnded({ items: carriedOver, fence: lease, ack }, since, (id) => queue.find(id), gw);
        carriedOver = [];
      }
      takeUp(waiting, batchesOf(await work.end(), started), carriedOver);
    }
    // Whoever steers now is too late, and waits in the lane.
    work.close();
    if (carriedOver.length > 0) await abandonTurn({ items: carriedOver, fence: lease, ack }, gw);
  }

  #ack(lease: Lease<Entry>, items: readonly Item[]): Promise<void> {
    this.#retries.over(lease.lane);
    return this.#queue.ack(
      lease,
      items.map((item) => item.id),
    );
  }

  /** A run that goes on only to be told that it was stopped while it waited. */
  #isStop(item: Item | undefined): boolean {
    return this.#gw.consent.approvals.get(item?.message.resume?.approval ?? '')?.decision?.verdict === 'stop';
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
}
