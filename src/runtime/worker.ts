/**
 * The worker: takes a lane's next message, has the agent work on it, and hands the answer to the outbox.
 *
 *   claim -> session: message -> agent (each step with tools into the session) -> session: result + out -> ack
 *
 * Invariants: a message leaves `cur` only when its answer is durable in `out` and its result written to the session; a
 * finished step is never run again; a side-effecting call whose outcome is unknown is reported, not repeated (C10).
 */
import { type Address, type Channel, conversationKey, type OutboundMessage } from '../channels/channel.ts';
import { errorCode } from '../errors.ts';
import { crashPoint } from '../faults.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Home } from '../workspace/home.ts';
import { appendSession, findRun } from '../workspace/sessions.ts';
import type { SessionEntry } from '../workspace/types.ts';
import { RunError } from './agent.ts';
import type { Bus } from './bus.ts';
import { createCommandLane, isReply } from './command-lane.ts';
import type { CommandDesk } from './commands/answer.ts';
import type { RunView } from './commands/command.ts';
import { bindingKey, type Conversations, placeOf, shareTask } from './conversations.ts';
import type { Delivery } from './delivery.ts';
import { type Entry, taskLane, traceOf } from './entry.ts';
import type { Live } from './live.ts';
import type { Lease, Queue, QueueItem } from './queue/queue.ts';
import type { ButtonAction, Buttons } from './reply/buttons.ts';
import type { Runner, RunOutcome } from './runner.ts';
import { createTaskBook } from './task-book.ts';
import { createThreads } from './threads.ts';

/** Why a run is ended from outside (C14). */
export class RunAbort extends Error {
  override name = 'RunAbort';
  readonly reason: 'stop' | 'shutdown';
  constructor(reason: 'stop' | 'shutdown') {
    super(reason);
    this.reason = reason;
  }
}

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
  modelName: () => string;
  pairing: CommandDesk['pairing'];
  links: CommandDesk['links'];
  prefixes: CommandDesk['prefixes'];
  /** Runs at the same time. */
  maxRuns: number;
}

export interface Worker {
  start(): void;
  runOf(taskId: string): RunView | undefined;
  /** Takes nothing new, lets runs finish for `graceMs`, then leaves the rest to the next start. */
  stop(graceMs: number): Promise<void>;
}

interface Run extends RunView {
  controller: AbortController;
}

/** Commands are short; a few at a time keep one slow disk read from holding up the others. */
const COMMANDS_AT_ONCE = 4;
const RETRY_MS = 2_000;
const MAX_RETRY_MS = 300_000;

export function createWorker(options: WorkerOptions): Worker {
  const { home, queue, delivery, runner, live, log, metrics } = options;
  const runs = new Map<string, Run>();
  const working = new Set<Promise<void>>();
  /** Lanes whose work failed for the disk's sake, with the number of times in a row. */
  const retried = new Map<string, number>();
  const { conversations, channelOf } = options;
  const book = createTaskBook({ home, conversations, log });
  const threads = createThreads({ home, conversations, channelOf, log });
  const desk: CommandDesk = {
    ...{ home, pairing: options.pairing, modelName: options.modelName },
    runOf: (id) => runs.get(id),
    waitingFor: (id) => queue.depth(taskLane(id)),
    stop: (id) => queue.signal(taskLane(id), 'stop'),
    ...{ links: options.links, prefixes: options.prefixes },
    bound: (id) => conversations.bound(id).map(placeOf),
    shareTask: (person, from) => shareTask(conversations, person, from),
    attachRules: (address) => runner.attachRules(channelOf(address), address.channel),
  };
  const command = createCommandLane({ desk, delivery, buttons: options.buttons, threads });

  async function loop(prefix: string, work: (lease: Lease<Entry>) => Promise<void>): Promise<void> {
    for (let lease = await queue.claim(prefix); lease; lease = await queue.claim(prefix)) {
      const current = lease;
      const done = work(current).catch((error: unknown) => {
        const trace = traceOf(current.items[0]?.id ?? '');
        const tries = (retried.get(current.lane) ?? 0) + 1;
        retried.set(current.lane, tries);
        log.error({ err: error, trace, tries }, 'work is tried again');
        queue.release(current, { retryAt: Date.now() + Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** (tries - 1)) });
      });
      working.add(done);
      await done;
      working.delete(done);
    }
  }

  /** One answer to every conversation whose message the run took in. */
  async function answer(items: readonly QueueItem<Entry>[], run: string, outcome: RunOutcome): Promise<void> {
    const placeholders = await live.end(
      run,
      items.map((item) => item.message.message.address),
    );
    const seen = new Set<string>();
    for (const { id, message: entry } of items) {
      const { address } = entry.message;
      const key = conversationKey(address);
      if (seen.has(key)) continue;
      seen.add(key);
      const placeholder = placeholders.get(key);
      const shown = await runner.present(entry.taskId, outcome, channelOf(address), address.channel);
      const { files, text } = shown;
      const rows = await rowsFor(address, shown.buttons);
      const outbound: OutboundMessage = { id, address, text, files, ...(rows ? { buttons: rows } : {}) };
      if (isReply(entry.message)) outbound.replyTo = entry.message.messageId;
      if (placeholder !== undefined) outbound.placeholder = placeholder;
      await delivery.add(
        outbound,
        run,
        items.some((item) => item.attempts > 0),
      );
    }
  }

  async function rowsFor(address: Address, buttons: ButtonAction[][]) {
    return buttons.length > 0 ? options.buttons.offer(address, buttons) : undefined;
  }

  async function finish(lease: Lease<Entry>, run: string, outcome: RunOutcome): Promise<void> {
    const entry = (lease.items[0] as QueueItem<Entry>).message;
    const { taskId, viber } = entry;
    const { state, text, summary, artifactRefs, usage, error } = outcome;
    const result: SessionEntry = {
      ...{ type: 'result', run, at: new Date().toISOString(), state, text, summary, artifactRefs },
      ...(usage ? { usage } : {}),
      ...(error === undefined ? {} : { error }),
    };
    await appendSession(home, viber, taskId, [result]);
    crashPoint('run:result-written');
    if (state === 'stopped') await live.end(run, []);
    else await answer(lease.items, run, outcome);
    crashPoint('run:out-written');
    // The answer is durable in `out`; the session's lines follow within half a second.
    options.syncSoon(home.sessionPath(viber, taskId));
    await book.setState(taskId, state);
    threads.show(taskId);
    metrics.count('viber_runs_total', { state });
    retried.delete(lease.lane);
    queue.ack(
      lease,
      lease.items.map((item) => item.id),
    );
    log.info({ trace: run, task: taskId, state, error, usage }, 'run ended');
  }

  /** The conversations that see a run: those it answers, and the others that are about its task now. */
  function followers(items: readonly QueueItem<Entry>[], taskId: string): Address[] {
    const keys = new Set(
      items.map(({ message: { message, principal } }) => bindingKey(principal, message.address, message.isDirect)),
    );
    const watching = conversations.bound(taskId).filter((binding) => !keys.has(binding.key));
    return [...items.map((item) => item.message.message.address), ...watching.map((binding) => binding.address)];
  }

  async function runMessages(claimed: Lease<Entry>): Promise<void> {
    const lease = { ...claimed, items: await Promise.all(claimed.items.map(threads.place)) };
    const first = lease.items[0] as QueueItem<Entry>;
    const { taskId, viber } = first.message;
    const run = traceOf(first.id);
    crashPoint('run:claimed');
    const controller = new AbortController();
    const view: Run = { runId: run, startedAt: Date.now(), controller };
    runs.set(taskId, view);
    const unsubscribe = options.bus.subscribe((event) => {
      if (event.runId !== run) return;
      if (event.type === 'tool-call') view.tool = event.tool;
      if (event.type === 'tool-result') delete view.tool;
    });
    let showing: NodeJS.Timeout | undefined;
    try {
      const task = await book.open(first.message);
      showing = book.showRunning(taskId, () => threads.show(taskId));
      const isAgain = first.attempts > 0 || retried.has(lease.lane);
      const earlier = isAgain ? await findRun(home, viber, taskId, run) : [];
      const settled = earlier.find((entry) => entry.type === 'result');
      if (settled?.type === 'result') return await finishAgain(lease, run, settled);
      live.follow(run, followers(lease.items, taskId));
      const outcome = await runner.run({ task, run, items: lease.items, earlier, signal: controller.signal });
      crashPoint('run:answered');
      clearTimeout(showing);
      await finish(lease, run, outcome);
    } catch (error) {
      clearTimeout(showing);
      const reason = controller.signal.reason;
      if (reason instanceof RunAbort && reason.reason === 'shutdown') {
        await live.end(run, []);
        return queue.release(lease);
      }
      if (reason instanceof RunAbort) return await finish(lease, run, runner.stopped());
      // A full or failing disk is no answer to anybody: the message stays ours and is tried again.
      if (!(error instanceof RunError) && errorCode(error) !== undefined) throw error;
      await finish(lease, run, runner.failed(error, run));
    } finally {
      clearTimeout(showing);
      unsubscribe();
      runs.delete(taskId);
    }
  }

  /** The result was written before the crash; only what came after it is done again, and nothing twice. */
  async function finishAgain(
    lease: Lease<Entry>,
    run: string,
    result: SessionEntry & { type: 'result' },
  ): Promise<void> {
    if (result.state !== 'stopped') await answer(lease.items, run, { ...result, buttons: [] });
    await book.setState((lease.items[0] as QueueItem<Entry>).message.taskId, result.state);
    retried.delete(lease.lane);
    queue.ack(
      lease,
      lease.items.map((item) => item.id),
    );
  }

  async function runCommands(lease: Lease<Entry>): Promise<void> {
    for (const item of lease.items) {
      await command(item);
      retried.delete(lease.lane);
      queue.ack(lease, [item.id]);
    }
  }

  queue.onSignal((lane) => {
    for (const [taskId, run] of runs) if (taskLane(taskId) === lane) run.controller.abort(new RunAbort('stop'));
  });

  return {
    start() {
      for (let n = 0; n < options.maxRuns; n++) void loop('task:', runMessages);
      for (let n = 0; n < COMMANDS_AT_ONCE; n++) void loop('chat:', runCommands);
    },
    runOf: (taskId) => runs.get(taskId),
    async stop(graceMs) {
      queue.close();
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, graceMs);
      await Promise.race([Promise.all(working), late]);
      clearTimeout(timer);
      for (const run of runs.values()) run.controller.abort(new RunAbort('shutdown'));
      await Promise.all(working);
    },
  };
}
