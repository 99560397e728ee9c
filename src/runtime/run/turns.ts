/**
 * One turn of a task: messages taken in, the agent at work, its result in the session, the answer in the outbox.
 *
 *   session: message -> agent (each step with tools into the session) -> session: result -> out -> ack
 *
 * Invariants: a message leaves `cur` only when its answer is durable in `out` and its result written to the session; a
 * finished step is never run again; a side-effecting call whose outcome is unknown is reported, not repeated (C10).
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { principalText } from '../../access/principal.ts';
import type { Address } from '../../channels/channel.ts';
import { crashPoint } from '../../crash-points.ts';
import type { QueueItem } from '../../engine/engine.ts';
import { errorCode, isStorageFailure } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { Home } from '../../workspace/home.ts';
import { appendSession, findRun, readSessionTail } from '../../workspace/sessions.ts';
import type { SessionEntry } from '../../workspace/types.ts';
import { RunError } from '../agent/agent.ts';
import { cutCall, cutOffWords, STEERED } from '../context/past-run.ts';
import { reasonOf } from '../contract/abort.ts';
import { type Entry, runOf, traceOf } from '../contract/entry.ts';
import type { RunOutcome } from '../contract/outcome.ts';
import { bindingKey, type Conversations } from '../conversations/conversations.ts';
import type { TaskRecords } from '../conversations/task-record.ts';
import type { Threads } from '../conversations/threads.ts';
import type { Meter } from '../costs/meter.ts';
import type { Live } from '../live/live.ts';
import type { AfterRun } from '../memory/after-run.ts';
import type { Compaction } from '../memory/compaction.ts';
import { buttonsAgain, failure, interruptedRun, stoppedRun } from '../reply/failure.ts';
import type { Answers } from './answers.ts';
import type { Runner } from './runner.ts';

export type Item = QueueItem<Entry>;

/** Messages that are one turn: of one person, so that nobody speaks with another's rights (T4). */
export interface Part {
  run: string;
  items: readonly Item[];
}

/** By a message's id, the run that took it in. */
export type Begun = ReadonlyMap<string, string>;

export interface Turn extends Part {
  /** Messages of turns that were steered into this one: they are answered with it. */
  carried: readonly Item[];
  signal: AbortSignal;
  /** Aborts with `signal`, but for a newer message. */
  intake: AbortSignal;
  /** An earlier attempt at it may have left something in the session. */
  isAgain: boolean;
  /** Called when it is too late to stop it: what comes now is its answer. */
  onSettled: () => void;
  /** Takes the messages off the lane; called once their answer is durable. */
  ack: (items: readonly Item[]) => void;
}

export interface Turns {
  /** What earlier attempts have taken in of a task: that goes on as it was. */
  begun(entry: Entry): Promise<Begun>;
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
  meter: Meter;
  answers: Answers;
  live: Live;
  taskRecords: TaskRecords;
  threads: Threads;
  /** What a run leaves in the memory; absent where none is kept. */
  memory?: AfterRun | undefined;
  /** Told of each run that has its answer. */
  compaction?: Pick<Compaction, 'ended'> | undefined;
  /** Told of each turn that is over. */
  onEnded?: ((entry: Entry, outcome: RunOutcome) => void) | undefined;
  metrics: Metrics;
  log: Logger;
}

/** Messages as turns: what was taken in together stays together, of the others those of one person that follow each other. */
export function parts(items: readonly Item[], begun: Begun): Part[] {
  const found: (Part & { items: Item[]; by: string })[] = [];
  for (const item of items) {
    const run = begun.get(item.id);
    const { principal, resume } = item.message;
    const by = resume ? item.id : (run ?? principalText(principal));
    const part = run === undefined ? found.at(-1) : found.find((one) => one.by === by);
    if (part?.by === by) part.items.push(item);
    else found.push({ run: run ?? runOf(item), items: [item], by });
  }
  return found;
}

interface Attempt {
  outcome: RunOutcome;
  /** When the session got it, ISO 8601; undefined while it has not. */
  recordedAt?: string;
}

/** How far back the session is searched for what an earlier attempt has begun. */
const SEARCH_BYTES = 8 * 1024 * 1024;

export function createTurns(options: TurnsOptions): Turns {
  const { home, conversations, runner, meter, live, taskRecords, threads, memory, metrics, log } = options;

  async function record({ viber, taskId }: Entry, run: string, outcome: RunOutcome): Promise<string> {
    const { state, text, summary, artifactRefs, usage, error } = outcome;
    const at = new Date().toISOString();
    if (state === 'waiting') return at;
    const result: SessionEntry = {
      ...{ type: 'result', run, at, state, text, summary, artifactRefs },
      ...(usage ? { usage } : {}),
      ...(error === undefined ? {} : { error }),
    };
    await appendSession(home, viber, taskId, [result]);
    crashPoint('run:result-written');
    return at;
  }

  /** What is left once the result stands in the session; done again after a crash, and nothing twice. */
  async function conclude(
    turn: Pick<Turn, 'run' | 'items' | 'isAgain' | 'ack'>,
    given: RunOutcome,
    at: string,
  ): Promise<void> {
    const { run, items, isAgain, ack } = turn;
    const { taskId, viber } = (items[0] as Item).message;
    const outcome = (await memory?.complete(turn, given)) ?? given;
    const { state, error, usage } = outcome;
    if (state === 'stopped') await live.end(run, []);
    else await options.answers(items, run, outcome, isAgain);
    await memory?.ask(turn, outcome);
    crashPoint('run:out-written');
    // The answer is durable in `out`; the session's lines follow within half a second.
    options.syncSoon(home.sessionPath(viber, taskId));
    // What is on its way to people goes before what is noted of it.
    await nextTurn();
    await taskRecords.setState(taskId, state === 'waiting' ? 'running' : state, run);
    threads.show(taskId);
    metrics.count('viber_runs_total', { state });
    memory?.note(turn, outcome, at);
    ack(items);
    options.onEnded?.((items[0] as Item).message, outcome);
    void options.compaction?.ended(taskId);
    log.info({ trace: run, task: taskId, state, error, usage }, 'run ended');
  }

  /** The conversations that see a run: those it answers, and the others that are about its task now. */
  function followers(items: readonly Item[], taskId: string): Address[] {
    if (items.some(({ message }) => message.job)) return [];
    const keys = new Set(
      items.map(({ message: { message, principal } }) => bindingKey(principal, message.address, message.isDirect)),
    );
    const watching = conversations.bound(taskId).filter((binding) => !keys.has(binding.key));
    return [...items.map((item) => item.message.message.address), ...watching.map((binding) => binding.address)];
  }

  /** A tool may have had its effect all the same: the runs that follow are told so. */
  async function cutOff({ viber, taskId }: Entry, run: string): Promise<RunOutcome> {
    const cut = cutCall(await findRun(home, viber, taskId, run));
    return { ...stoppedRun(), ...(cut === undefined ? {} : { text: cutOffWords(cut) }), ...meter.used(run) };
  }

  const failed = (error: unknown, run: string) => ({ ...failure(error, run, log), ...meter.used(run) });

  /** The turn up to its outcome; undefined: there was nothing to go on with. */
  async function attempt(turn: Turn): Promise<Attempt | 'steered' | 'shutdown' | undefined> {
    const { run, items, carried, signal, intake, isAgain, onSettled } = turn;
    const first = items[0] as Item;
    const { taskId, viber } = first.message;
    const settled = (outcome: RunOutcome, recordedAt?: string): Attempt => {
      onSettled();
      return { outcome, ...(recordedAt === undefined ? {} : { recordedAt }) };
    };
    let showing: NodeJS.Timeout | undefined;
    try {
      const task = await taskRecords.open(first.message);
      const answered = [...carried, ...items];
      await live.follow(run, followers(answered, taskId), isAgain);
      showing = taskRecords.showRunning(taskId, () => threads.show(taskId));
      const earlier = isAgain || first.message.resume ? await findRun(home, viber, taskId, run) : [];
      const result = earlier.find((entry) => entry.type === 'result');
      if (result?.type === 'result')
        return result.error === STEERED ? 'steered' : settled({ ...result, buttons: buttonsAgain(result) }, result.at);
      const outcome = await runner.run({ task, run, items, answered, earlier, signal, intake });
      crashPoint('run:answered');
      // Whoever stopped it wants no answer, were it steered before or not.
      if (reasonOf(intake) === 'stop') signal.throwIfAborted();
      if (outcome) return settled(outcome.state === 'waiting' ? outcome : { ...outcome, ...meter.used(run) });
      onSettled();
      return undefined;
    } catch (error) {
      const reason = reasonOf(signal);
      if (reason === 'stop') return settled(await cutOff(first.message, run));
      if (reason !== undefined) await live.end(run, []);
      if (reason === 'shutdown' || reasonOf(intake) === 'shutdown') return 'shutdown';
      // A full or failing disk, or no handle to reach the model with, is no answer to anybody: the message is tried again.
      if (isStorageFailure(error) || (!(error instanceof RunError) && errorCode(error) !== undefined)) throw error;
      if (reason === undefined) return settled(failed(error, run));
      // Only what stands in the session is there for the next turn to go on from.
      const left = await findRun(home, viber, taskId, run);
      if (!left.some((entry) => entry.type === 'message')) return settled(failed(error, run));
      await record(first.message, run, { ...(await cutOff(first.message, run)), error: STEERED });
      log.info({ trace: run, task: taskId }, 'run steered');
      return 'steered';
    } finally {
      clearTimeout(showing);
    }
  }

  return {
    async begun({ viber, taskId }) {
      const runs = new Map<string, string>();
      for (const entry of await readSessionTail(home, viber, taskId, { maxBytes: SEARCH_BYTES })) {
        if (entry.type !== 'message') continue;
        for (const id of [entry.id, ...(entry.also ?? [])]) runs.set(id, entry.run);
      }
      return runs;
    },
    async run(turn) {
      crashPoint('run:claimed');
      const attempted = await attempt(turn);
      const { run, carried, ack } = turn;
      const items = [...carried, ...turn.items];
      // The next process goes on with the run, and reads what it has used.
      if (attempted === 'shutdown') return attempted;
      if (!attempted || attempted === 'steered') await taskRecords.endRun(run, (items[0] as Item).message.taskId);
      if (attempted === 'steered') return attempted;
      if (!attempted) {
        await live.end(run, []);
        ack(items);
        return 'done';
      }
      const { outcome, recordedAt } = attempted;
      const at = recordedAt ?? (await record((turn.items[0] as Item).message, run, outcome));
      await conclude({ ...turn, items }, outcome, at);
      return 'done';
    },
    async abandon({ items, ack }) {
      const run = traceOf(items[0]?.id ?? '');
      const at = new Date().toISOString();
      await conclude({ run, items, isAgain: true, ack }, { ...interruptedRun(run), ...meter.used(run) }, at);
    },
  };
}
