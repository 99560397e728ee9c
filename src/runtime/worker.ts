/**
 * The worker: takes a lane's next message and sees it through: a command is answered, a message has its turn (`turns.ts`).
 * Whoever writes while a turn is under way may steer it: the turn ends, the next one goes on from it with the new words, and
 * its answer goes to everybody whose message was taken in (L13).
 *
 * Invariant: what was taken into a lease is answered, or handed back with it.
 */
import { principalText } from '../access/principal.ts';
import type { Address, Channel } from '../channels/channel.ts';
import type { Lease, Queue } from '../engine/engine.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Home } from '../workspace/home.ts';
import type { CommandServices } from './commands/answer.ts';
import type { RunView } from './commands/command.ts';
import { createCommandLane } from './commands/lane.ts';
import { type AbortReason, RunAbort, reasonOf } from './contract/abort.ts';
import { COMMANDS, COMMANDS_AT_ONCE, type Entry, shareOf, TASKS, taskLane } from './contract/entry.ts';
import type { JobService } from './contract/job-service.ts';
import type { RunOutcome } from './contract/outcome.ts';
import { type Conversations, placeOf, shareTask } from './conversations/conversations.ts';
import { createPlace, placeAll } from './conversations/placing.ts';
import { createTaskRecords } from './conversations/task-record.ts';
import { createThreads } from './conversations/threads.ts';
import type { Costs } from './costs/costs.ts';
import type { Meter } from './costs/meter.ts';
import type { Delivery } from './delivery.ts';
import type { Bus } from './live/bus.ts';
import type { Live } from './live/live.ts';
import type { AfterRun } from './memory/after-run.ts';
import type { Compaction } from './memory/compaction.ts';
import type { Buttons } from './reply/buttons.ts';
import type { Rendering } from './reply/render-answer.ts';
import { createAnswers } from './run/answers.ts';
import type { JobAnswers } from './run/job-answers.ts';
import { createRetries, type GiveUp } from './run/retries.ts';
import type { Runner } from './run/runner.ts';
import { type Begun, createTurns, type Item, type Part, parts } from './run/turns.ts';
import type { SkillService } from './tools/skills/service.ts';

export interface WorkerOptions {
  home: Home;
  queue: Queue<Entry>;
  /** Makes an existing file durable within a moment. */
  syncSoon: (file: string) => void;
  delivery: Delivery;
  runner: Runner;
  bus: Bus;
  live: Live;
  buttons: Buttons;
  conversations: Conversations;
  metrics: Metrics;
  log: Logger;
  channelOf: (address: Address) => Channel | undefined;
  attachRules: Rendering['attachRules'];
  isBlank?: Rendering['isBlank'];
  meter: Meter;
  modelName: () => string;
  pairing: CommandServices['pairing'];
  links: CommandServices['links'];
  prefixes: CommandServices['prefixes'];
  settings: CommandServices['settings'];
  costs: NonNullable<CommandServices['costs']> & Pick<Costs, 'take' | 'endRun'>;
  approvals?: NonNullable<CommandServices['approvals']>;
  /** What runs leave in the memory; absent where none is kept. */
  memory?: AfterRun;
  compaction?: Compaction;
  skills?: SkillService;
  searchMemory?: NonNullable<CommandServices['searchMemory']>;
  /** For the runs of scheduled jobs. */
  jobs?: {
    answers: JobAnswers;
    service(): Promise<JobService | undefined>;
    ended(entry: Entry, outcome: RunOutcome): void;
  };
  /** Keeps messages that cannot be worked on in `dead`, and tells their people. Rejects when they could not be stored. */
  giveUp?: GiveUp;
  /** Runs at the same time. */
  maxRuns: number;
}

export interface Worker {
  start(): void;
  runOf(taskId: string): RunView | undefined;
  /** Takes nothing new, lets runs finish for `graceMs`, then leaves the rest to the next start. */
  stop(graceMs: number): Promise<void>;
}

/** A task at work. */
interface Work {
  lease: Lease<Entry>;
  view: RunView;
  /** Of the turn under way. */
  controller: AbortController;
  intake: AbortController;
  /** The turn under way has its outcome: it is too late to stop it. */
  isSettled: boolean;
  /** Messages that steer: part of the lease already, taken up in the next turn. */
  joining: Item[];
  /** Stop was asked for, and no turn has been ended by it yet. */
  isStopped: boolean;
}

const personOf = (item: Item): string => principalText(item.message.principal);

/** Whether a waiting message is collected into the turn of `head` (C16, T4). */
const collects = (head: Item, item: Item): boolean =>
  head.message.mode === 'collect' && item.message.mode === 'collect' && personOf(item) === personOf(head);

const steers = (item: Item | undefined): boolean => item?.message.mode === 'steer';

export function createWorker(options: WorkerOptions): Worker {
  const { home, queue, delivery, runner, live, buttons, conversations, channelOf, metrics, log } = options;
  /** By lane. */
  const works = new Map<string, Work>();
  /** Lanes that nobody works on yet, whose first turn is stopped when it comes (C43). */
  const stopped = new Set<string>();
  const working = new Set<Promise<void>>();
  const retries = createRetries({ queue, giveUp: options.giveUp, log });
  /** What was accepted before this process may have been begun by an earlier one. */
  const startedAt = new Date().toISOString();
  let isStopping = false;
  const taskRecords = createTaskRecords({ home, conversations, costs: options.costs, log });
  const threads = createThreads({ home, conversations, channelOf, log });
  const answers = createAnswers({
    ...{ home, attachRules: options.attachRules, isBlank: options.isBlank },
    ...{ live, buttons, delivery, ofJob: options.jobs?.answers },
  });
  const turns = createTurns({
    ...{ home, conversations, runner, meter: options.meter, answers, live, taskRecords, threads, metrics, log },
    ...{ syncSoon: options.syncSoon, memory: options.memory, compaction: options.compaction },
    onEnded: options.jobs?.ended,
  });
  const service: CommandServices = {
    ...{ home, pairing: options.pairing, modelName: options.modelName },
    runOf: (id) => works.get(taskLane(id))?.view,
    enqueue: async (entry, dedupeId) => {
      await queue.enqueue(taskLane(entry.taskId), entry, { dedupeId, by: shareOf(entry) });
    },
    waitingFor: (id) => queue.depth(taskLane(id)) - (stopped.has(taskLane(id)) ? 1 : 0),
    stop: (id) => queue.signal(taskLane(id), 'stop') || stopWaiting(taskLane(id)),
    ...{ links: options.links, prefixes: options.prefixes, costs: options.costs, settings: options.settings },
    ...(options.approvals ? { approvals: options.approvals } : {}),
    ...(options.compaction ? { compaction: options.compaction } : {}),
    bound: (id) => conversations.bound(id).map(placeOf),
    shareTask: (person, from) => shareTask(conversations, person, from),
    attachRules: options.attachRules,
    ...(options.skills ? { skills: options.skills } : {}),
    ...(options.searchMemory ? { searchMemory: options.searchMemory } : {}),
    jobs: async () => options.jobs?.service(),
  };
  const place = createPlace(threads, delivery);
  const command = createCommandLane({ service, delivery, buttons, place, log });

  /** A run that goes on only to be told that it was stopped while it waited. */
  const isStop = (item: Item | undefined): boolean =>
    options.approvals?.get(item?.message.resume?.approval ?? '')?.decision?.verdict === 'stop';

  async function loop(kind: string, work: (lease: Lease<Entry>) => Promise<void>): Promise<void> {
    for (let lease = await queue.claim(kind); lease; lease = await queue.claim(kind)) {
      const current = lease;
      const done = work(current).catch((error: unknown) => retries.failed(current, error));
      working.add(done);
      await done;
      working.delete(done);
    }
  }

  async function runMessages(lease: Lease<Entry>): Promise<void> {
    const { lane } = lease;
    const [head] = lease.items as [Item];
    const isRetried = retries.has(lane);
    const isAgain = isRetried || head.attempts > 0 || head.acceptedAt < startedAt;
    const ack = (items: readonly Item[]) => {
      retries.over(lane);
      queue.ack(
        lease,
        items.map((item) => item.id),
      );
    };
    const work: Work = {
      ...{ lease, joining: [], isStopped: stopped.delete(lane), isSettled: false },
      ...{ controller: new AbortController(), intake: new AbortController() },
      view: { runId: '', startedAt: Date.now(), ...(isStop(head) ? { isEnding: true } : {}) },
    };
    works.set(lane, work);
    let carried: readonly Item[] = [];
    try {
      const begun: Begun = isAgain ? await turns.begun(head.message) : new Map();
      const waiting = take(lease, begun, isAgain, isRetried);
      for (let part = waiting.shift(); part; part = waiting.shift()) {
        work.isSettled = false;
        const items = await placeAll(part.items, place, ack);
        if (items.length === 0) continue;
        const { signal, intake } = begin(work, part, steers(waiting[0]?.items[0]));
        const onSettled = () => {
          work.isSettled = true;
          work.view.isEnding = true;
        };
        const ended = await turns.run({ run: part.run, items, carried, signal, intake, isAgain, onSettled, ack });
        if (ended === 'shutdown') return queue.release(lease);
        if (reasonOf(signal) === 'stop') work.isStopped = false;
        carried = ended === 'steered' ? [...carried, ...items] : [];
        const next = waiting.findIndex(({ items: [item] }) => !steers(item));
        waiting.splice(next < 0 ? waiting.length : next, 0, ...parts(work.joining.splice(0), begun));
      }
      if (carried.length > 0) await turns.abandon({ items: carried, ack });
    } finally {
      // With its last message gone the lane may have its next owner already.
      if (works.get(lane) === work) works.delete(lane);
    }
  }

  /** The turns of a lease as it begins: what steers goes first, but for what was begun already, which it steers (C16). */
  function take(lease: Lease<Entry>, begun: Begun, isAgain: boolean, isRetried: boolean): Part[] {
    const [head] = lease.items as [Item];
    const run = begun.get(head.id);
    // As they were together before; alone, were they part of a crash before that.
    const together = queue.extend(lease, (item) =>
      run === undefined ? head.attempts === 0 && !isRetried && collects(head, item) : begun.get(item.id) === run,
    );
    const own = [...lease.items, ...together];
    const steering = queue.extend(lease, steers);
    const isFirst = steers(head) || run !== undefined || (isAgain && head.message.resume !== undefined);
    return isFirst ? parts([...own, ...steering], begun) : [...parts(steering, begun), ...parts(own, begun)];
  }

  /** The signals of the turn that begins now, aborted by what was said while it was made ready. */
  function begin(work: Work, { run, items }: Part, isSteered: boolean): { signal: AbortSignal; intake: AbortSignal } {
    work.view = { runId: run, startedAt: work.view.startedAt, ...(isStop(items[0]) ? { isEnding: true } : {}) };
    work.controller = new AbortController();
    work.intake = new AbortController();
    if (work.isStopped) abort(work, 'stop');
    else if (isStopping) abort(work, 'shutdown');
    else if (isSteered || work.joining.length > 0) abort(work, 'steer');
    return { signal: work.controller.signal, intake: work.intake.signal };
  }

  function abort(work: Work, reason: AbortReason): void {
    if (reason === 'stop') work.view.isEnding = true;
    if (reason !== 'steer') work.intake.abort(new RunAbort(reason));
    work.controller.abort(new RunAbort(reason));
  }

  function stopWaiting(lane: string): boolean {
    if (works.has(lane) || (queue.depth(lane) === 0 && !queue.isBusy(lane))) return false;
    stopped.add(lane);
    return true;
  }

  async function runCommands(lease: Lease<Entry>): Promise<void> {
    for (const item of lease.items) {
      await command(item);
      retries.over(lease.lane);
      queue.ack(lease, [item.id]);
    }
  }

  queue.onSignal((lane, signal) => {
    const work = works.get(lane);
    if (!work) return false;
    if (signal === 'steer') {
      // Into the lease before the turn is ended: between an answer and the end of its run nothing may be lost.
      work.joining.push(...queue.extend(work.lease, steers));
      if (work.joining.length > 0) abort(work, 'steer');
      return work.joining.length > 0;
    }
    // What has its answer cannot be stopped any more, but what joins it can.
    if (isStopping || (work.isSettled && work.joining.length === 0)) return false;
    work.isStopped = true;
    if (!work.isSettled) abort(work, 'stop');
    return true;
  });

  options.bus.subscribe((event) => {
    const view = works.get(taskLane(event.taskId))?.view;
    if (!view || view.runId !== event.runId) return;
    if (event.type === 'tool-call') view.tool = event.tool;
    if (event.type === 'tool-result') delete view.tool;
  });

  return {
    start() {
      for (let n = 0; n < options.maxRuns; n++) void loop(TASKS, runMessages);
      for (let n = 0; n < COMMANDS_AT_ONCE; n++) void loop(COMMANDS, runCommands);
    },
    runOf: (taskId) => works.get(taskLane(taskId))?.view,
    async stop(graceMs) {
      queue.close();
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, graceMs);
      await Promise.race([Promise.all(working), late]);
      clearTimeout(timer);
      isStopping = true;
      for (const work of works.values()) abort(work, 'shutdown');
      await Promise.all(working);
    },
  };
}
