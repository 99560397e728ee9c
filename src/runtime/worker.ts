/**
 * The worker: takes a lane's next message and sees it through: a command is answered, a message has its turn (`turns.ts`).
 * Whoever writes while a turn is under way may steer it: the turn ends, the next one goes on from it with the new words, and
 * its answer goes to everybody whose message was taken in (L13).
 *
 * Invariant: what was taken into a lease is answered, or handed back with it.
 */
import { principalText } from '../access/principal.ts';
import type { Address, Channel } from '../channels/channel.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Home } from '../workspace/home.ts';
import { createAnswers } from './answers.ts';
import type { Bus } from './bus.ts';
import { createCommandLane } from './command-lane.ts';
import type { CommandDesk } from './commands/answer.ts';
import type { RunView } from './commands/command.ts';
import { type Conversations, placeOf, shareTask } from './conversations.ts';
import type { Delivery } from './delivery.ts';
import { type Entry, taskLane, traceOf } from './entry.ts';
import type { Live } from './live.ts';
import type { Lease, Queue } from './queue/queue.ts';
import type { Buttons } from './reply/buttons.ts';
import type { Runner } from './runner.ts';
import { createTaskBook } from './task-book.ts';
import { createThreads } from './threads.ts';
import { createTurns, type Item, RunAbort } from './turns.ts';

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

/** A task at work. */
interface Work {
  lease: Lease<Entry>;
  view: RunView;
  /** Of the turn under way. */
  controller: AbortController;
  /** Messages that steer: part of the lease already, taken up in the next turn. */
  joining: Item[];
  /** Stop was asked for, and no turn has been ended by it yet. */
  isStopped: boolean;
}

/** Commands are short; a few at a time keep one slow disk read from holding up the others. */
const COMMANDS_AT_ONCE = 4;
const RETRY_MS = 2_000;
const MAX_RETRY_MS = 300_000;

const personOf = (item: Item): string => principalText(item.message.principal);

/** Whether a waiting message belongs into the turn of `head`: the same person's, who lets them be put together (C16, T4). */
const collects = (head: Item, item: Item): boolean =>
  item.message.mode !== undefined && item.message.mode === head.message.mode && personOf(item) === personOf(head);

export function createWorker(options: WorkerOptions): Worker {
  const { home, queue, delivery, runner, live, buttons, conversations, channelOf, metrics, log } = options;
  const works = new Map<string, Work>();
  const working = new Set<Promise<void>>();
  /** Lanes whose work failed for the disk's or a platform's sake, with the number of times in a row. */
  const retried = new Map<string, number>();
  /** What was accepted before this process may have been begun by an earlier one. */
  const startedAt = new Date().toISOString();
  let isStopping = false;
  const book = createTaskBook({ home, conversations, log });
  const threads = createThreads({ home, conversations, channelOf, log });
  const answers = createAnswers({ live, runner, buttons, delivery, channelOf });
  const turns = createTurns({
    ...{ home, conversations, runner, answers, live, book, threads, metrics, log },
    syncSoon: options.syncSoon,
  });
  const desk: CommandDesk = {
    ...{ home, pairing: options.pairing, modelName: options.modelName },
    runOf: (id) => works.get(id)?.view,
    waitingFor: (id) => queue.depth(taskLane(id)),
    stop: (id) => queue.signal(taskLane(id), 'stop'),
    ...{ links: options.links, prefixes: options.prefixes },
    bound: (id) => conversations.bound(id).map(placeOf),
    shareTask: (person, from) => shareTask(conversations, person, from),
    attachRules: (address) => runner.attachRules(channelOf(address), address.channel),
  };
  const command = createCommandLane({ desk, delivery, buttons, threads });

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

  async function runMessages(lease: Lease<Entry>): Promise<void> {
    const [head] = lease.items as [Item];
    const { taskId } = head.message;
    const isAgain = retried.has(lease.lane);
    const collected = head.attempts === 0 && !isAgain ? queue.extend(lease, (item) => collects(head, item)) : [];
    const waiting = [...lease.items, ...collected];
    const ack = (items: readonly Item[]) => {
      retried.delete(lease.lane);
      queue.ack(
        lease,
        items.map((item) => item.id),
      );
    };
    const work: Work = {
      ...{ lease, joining: [], isStopped: false, controller: new AbortController() },
      view: { runId: '', startedAt: Date.now() },
    };
    works.set(taskId, work);
    let carried: readonly Item[] = [];
    try {
      while (waiting.length > 0) {
        const items = await Promise.all(takeTurn(waiting).map(threads.place));
        begin(work, items);
        const { signal } = work.controller;
        const isOld = items.some((item) => item.attempts > 0 || item.acceptedAt < startedAt);
        const ended = await turns.run({ items, carried, signal, isAgain: isAgain || isOld, ack });
        if (ended === 'shutdown') return queue.release(lease);
        if (signal.reason instanceof RunAbort && signal.reason.reason === 'stop') work.isStopped = false;
        carried = ended === 'steered' ? [...carried, ...items] : [];
        waiting.unshift(...work.joining.splice(0));
        if (ended === 'steered' && waiting.length === 0) waiting.push(...steering(lease));
      }
      if (carried.length > 0) await turns.abandon({ items: carried, ack });
    } finally {
      works.delete(taskId);
    }
  }

  /** The next turn's messages: of one person, so that nobody speaks with another's rights (T4). */
  function takeTurn(waiting: Item[]): Item[] {
    const person = waiting[0] && personOf(waiting[0]);
    const end = waiting.findIndex((item) => personOf(item) !== person);
    return waiting.splice(0, end < 0 ? waiting.length : end);
  }

  /** After a crash: the message that steered is in the lane again, behind the one it steered. */
  function steering(lease: Lease<Entry>): Item[] {
    let found = false;
    return queue.extend(lease, (item) => {
      const isNext = !found && item.message.mode === 'steer';
      found ||= isNext;
      return isNext;
    });
  }

  function begin(work: Work, items: readonly Item[]): void {
    work.view = { runId: traceOf(items[0]?.id ?? ''), startedAt: work.view.startedAt };
    work.controller = new AbortController();
    if (isStopping) work.controller.abort(new RunAbort('shutdown'));
    else if (work.isStopped) work.controller.abort(new RunAbort('stop'));
  }

  async function runCommands(lease: Lease<Entry>): Promise<void> {
    for (const item of lease.items) {
      await command(item);
      retried.delete(lease.lane);
      queue.ack(lease, [item.id]);
    }
  }

  queue.onSignal((lane, signal) => {
    for (const [taskId, work] of works) {
      if (taskLane(taskId) !== lane) continue;
      if (signal === 'stop') {
        work.isStopped = true;
        work.controller.abort(new RunAbort('stop'));
        continue;
      }
      // Into the lease before the turn is ended: between an answer and the end of its run nothing may be lost.
      work.joining.push(...queue.extend(work.lease, (item) => item.message.mode === 'steer'));
      if (work.joining.length > 0) work.controller.abort(new RunAbort('steer'));
    }
  });

  options.bus.subscribe((event) => {
    const view = works.get(event.taskId)?.view;
    if (!view || view.runId !== event.runId) return;
    if (event.type === 'tool-call') view.tool = event.tool;
    if (event.type === 'tool-result') delete view.tool;
  });

  return {
    start() {
      for (let n = 0; n < options.maxRuns; n++) void loop('task:', runMessages);
      for (let n = 0; n < COMMANDS_AT_ONCE; n++) void loop('chat:', runCommands);
    },
    runOf: (taskId) => works.get(taskId)?.view,
    async stop(graceMs) {
      queue.close();
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, graceMs);
      await Promise.race([Promise.all(working), late]);
      clearTimeout(timer);
      isStopping = true;
      for (const work of works.values()) work.controller.abort(new RunAbort('shutdown'));
      await Promise.all(working);
    },
  };
}
