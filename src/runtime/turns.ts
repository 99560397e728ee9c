/**
 * One turn of a task: messages taken in, the agent at work, its result in the session, the answer in the outbox.
 *
 *   session: message -> agent (each step with tools into the session) -> session: result -> out -> ack
 *
 * Invariants: a message leaves `cur` only when its answer is durable in `out` and its result written to the session; a
 * finished step is never run again; a side-effecting call whose outcome is unknown is reported, not repeated (C10).
 */
import type { Address } from '../channels/channel.ts';
import { errorCode } from '../errors.ts';
import { crashPoint } from '../faults.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Home } from '../workspace/home.ts';
import { appendSession, findRun } from '../workspace/sessions.ts';
import type { SessionEntry } from '../workspace/types.ts';
import { RunError } from './agent.ts';
import type { Answers } from './answers.ts';
import { STEERED } from './context/past-run.ts';
import { bindingKey, type Conversations } from './conversations.ts';
import { type Entry, traceOf } from './entry.ts';
import type { Live } from './live.ts';
import type { QueueItem } from './queue/queue.ts';
import type { Runner, RunOutcome } from './runner.ts';
import type { TaskBook } from './task-book.ts';
import type { Threads } from './threads.ts';

export type Item = QueueItem<Entry>;

/** Why a turn is ended from outside (C14). */
export class RunAbort extends Error {
  override name = 'RunAbort';
  readonly reason: 'stop' | 'steer' | 'shutdown';
  constructor(reason: 'stop' | 'steer' | 'shutdown') {
    super(reason);
    this.reason = reason;
  }
}

export interface Turn {
  /** What is said now, by one person. */
  items: readonly Item[];
  /** Messages of turns that were steered into this one: they are answered with it. */
  carried: readonly Item[];
  signal: AbortSignal;
  /** An earlier attempt at it may have left something in the session. */
  isAgain: boolean;
  /** Takes the messages off the lane; called once their answer is durable. */
  ack: (items: readonly Item[]) => void;
}

export interface Turns {
  /**
   * `steered`: it has no answer, the next turn goes on from it. `shutdown`: nothing was settled. Throws what passes: a full
   * disk, a platform that is away.
   */
  run(turn: Turn): Promise<'done' | 'steered' | 'shutdown'>;
  /** Ends messages that were steered and from which nothing goes on. */
  abandon(turn: Pick<Turn, 'items' | 'ack'>): Promise<void>;
}

export interface TurnsOptions {
  home: Home;
  /** Makes an existing file durable within a moment. */
  syncSoon: (file: string) => void;
  conversations: Conversations;
  runner: Runner;
  answers: Answers;
  live: Live;
  book: TaskBook;
  threads: Threads;
  metrics: Metrics;
  log: Logger;
}

export function createTurns(options: TurnsOptions): Turns {
  const { home, conversations, runner, live, book, threads, metrics, log } = options;

  async function record({ viber, taskId }: Entry, run: string, outcome: RunOutcome): Promise<void> {
    const { state, text, summary, artifactRefs, usage, error } = outcome;
    const result: SessionEntry = {
      ...{ type: 'result', run, at: new Date().toISOString(), state, text, summary, artifactRefs },
      ...(usage ? { usage } : {}),
      ...(error === undefined ? {} : { error }),
    };
    await appendSession(home, viber, taskId, [result]);
    crashPoint('run:result-written');
  }

  /** What is left once the result stands in the session; done again after a crash, and nothing twice. */
  async function conclude(items: readonly Item[], run: string, outcome: RunOutcome, ack: Turn['ack']): Promise<void> {
    const { taskId, viber } = (items[0] as Item).message;
    const { state, error, usage } = outcome;
    if (state === 'stopped') await live.end(run, []);
    else await options.answers(items, run, outcome);
    crashPoint('run:out-written');
    // The answer is durable in `out`; the session's lines follow within half a second.
    options.syncSoon(home.sessionPath(viber, taskId));
    await book.setState(taskId, state);
    threads.show(taskId);
    metrics.count('viber_runs_total', { state });
    ack(items);
    log.info({ trace: run, task: taskId, state, error, usage }, 'run ended');
  }

  /** The conversations that see a run: those it answers, and the others that are about its task now. */
  function followers(items: readonly Item[], taskId: string): Address[] {
    const keys = new Set(
      items.map(({ message: { message, principal } }) => bindingKey(principal, message.address, message.isDirect)),
    );
    const watching = conversations.bound(taskId).filter((binding) => !keys.has(binding.key));
    return [...items.map((item) => item.message.message.address), ...watching.map((binding) => binding.address)];
  }

  return {
    async run({ items, carried, signal, isAgain, ack }) {
      const first = items[0] as Item;
      const { taskId, viber } = first.message;
      const run = traceOf(first.id);
      const all = [...carried, ...items];
      let showing: NodeJS.Timeout | undefined;
      const end = async (outcome: RunOutcome): Promise<'done'> => {
        clearTimeout(showing);
        await record(first.message, run, outcome);
        await conclude(all, run, outcome, ack);
        return 'done';
      };
      crashPoint('run:claimed');
      try {
        const task = await book.open(first.message);
        showing = book.showRunning(taskId, () => threads.show(taskId));
        const earlier = isAgain ? await findRun(home, viber, taskId, run) : [];
        const settled = earlier.find((entry) => entry.type === 'result');
        if (settled?.type === 'result') {
          if (settled.error === STEERED) return 'steered';
          await conclude(all, run, { ...settled, buttons: [] }, ack);
          return 'done';
        }
        live.follow(run, followers(all, taskId));
        const outcome = await runner.run({ task, run, items, earlier, signal });
        crashPoint('run:answered');
        return await end(outcome);
      } catch (error) {
        clearTimeout(showing);
        const reason = signal.reason instanceof RunAbort ? signal.reason.reason : undefined;
        if (reason === 'stop') return await end(runner.stopped());
        if (reason !== undefined) await live.end(run, []);
        if (reason === 'shutdown') return 'shutdown';
        if (reason === 'steer') {
          await record(first.message, run, { ...runner.stopped(), error: STEERED });
          log.info({ trace: run, task: taskId }, 'run steered');
          return 'steered';
        }
        // A full or failing disk is no answer to anybody: the message stays ours and is tried again.
        if (!(error instanceof RunError) && errorCode(error) !== undefined) throw error;
        return await end(runner.failed(error, run));
      } finally {
        clearTimeout(showing);
      }
    },
    async abandon({ items, ack }) {
      const run = traceOf(items[0]?.id ?? '');
      await conclude(items, run, runner.interrupted(run), ack);
    },
  };
}
