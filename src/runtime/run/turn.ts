/**
 * One turn of a task: messages taken in, the agent at work, its result in the session, the answer in the outbox.
 *
 *   session: message -> agent (each step with tools into the session) -> session: result -> out -> ack
 *
 * Invariant: a message leaves `cur` only when its answer is durable in `out` and its result written to the session.
 */
import type { Principal } from '../../access/principal.ts';
import { type Address, conversationKey } from '../../channels/channel.ts';
import { crashPoint } from '../../crash-points.ts';
import { errorCode, isStorageFailure, LeaseLost } from '../../errors.ts';
import { hashText } from '../../lib/files.ts';
import { messagesFor, say } from '../../messages/messages.ts';
import { openTask, type Task } from '../../workspace/tasks/index.ts';
import { cutCall, cutOffWords, STEERED } from '../context/past-run.ts';
import { reasonOf } from '../contract/abort.ts';
import { type Entry, traceOf } from '../contract/entry.ts';
import type { Owner } from '../contract/order.ts';
import type { RunOutcome } from '../contract/outcome.ts';
import { RunError } from '../contract/run-error.ts';
import type { TurnWatch } from '../contract/watch.ts';
import { bindingKey } from '../conversations/conversations.ts';
import { plainName } from '../conversations/places.ts';
import { buttonsAgain, failure, interruptedRun, isSetting, kindOf, stoppedRun } from '../reply/failure.ts';
import type { Batch, EndedRun, Item } from './batches.ts';
import { type Concluding, conclude, record } from './conclude.ts';
import type { Gateway } from './gateway.ts';
import { type RunEnd, type RunTurn, run } from './run.ts';
import { noteWait, watchTurn } from './watch.ts';

export interface Turn
  extends Batch,
    Pick<RunTurn, 'isAgain' | 'signal' | 'intake' | 'stored' | 'owner'>,
    Required<Pick<Concluding, 'fence' | 'ack'>> {
  /** Messages of turns that were steered into this one: they are answered with it. */
  carriedOver: readonly Item[];
  /** Called when it is too late to stop it: what comes now is its answer. */
  onSettled: () => void;
}

const TOLD_AGAIN_MS = 6 * 3_600_000;

/** `failure`: in a word. */
type Attempt = (RunEnd | { kind: 'shutdown' }) & { failure?: string };
type TurnEnd = 'done' | 'steered' | 'shutdown';

/**
 * `steered`: it has no answer, the next turn goes on from it. `shutdown`: nothing was settled. Throws what passes: a full
 * disk, a platform that is away.
 */
export async function takeTurn(turn: Turn, gw: Gateway): Promise<TurnEnd> {
  crashPoint('run:claimed');
  const { run: id, isAgain } = turn;
  const items = [...turn.carriedOver, ...turn.items];
  noteWait(turn.items, isAgain, gw.features);
  const watch = watchTurn({ run: id, items, isAgain }, gw.features);
  try {
    return await seenThrough(turn, items, watch, gw);
  } catch (error) {
    watch.end?.('failed', kindOf(error));
    throw error;
  }
}

async function seenThrough(turn: Turn, items: readonly Item[], watch: TurnWatch, gw: Gateway): Promise<TurnEnd> {
  const { run: id, isAgain, fence, ack } = turn;
  const { message } = turn.items[0] as Item;
  const attempted = await attempt(turn, items, watch, gw);
  if (attempted.kind === 'ended' || attempted.kind === 'recorded') {
    const { outcome, failure } = attempted;
    const recorded = watch.stage?.('record');
    const at = attempted.kind === 'recorded' ? attempted.at : await record(message, turn, outcome, gw.home);
    await conclude({ run: id, items, isAgain, fence, ack }, outcome, at, gw);
    recorded?.();
    watch.end?.(outcome.state, failure);
    return 'done';
  }
  watch.end?.(attempted.kind);
  // The next process goes on with the run, and reads what it has used.
  if (attempted.kind === 'shutdown') return 'shutdown';
  await gw.tasks.records.endRun(id, message.taskId);
  if (attempted.kind === 'steered') return 'steered';
  await gw.places.live.end(id, []);
  await ack(items);
  return 'done';
}

/** Ends messages that were steered and from which nothing goes on. */
export async function abandonTurn(
  { items, fence, ack }: Pick<Turn, 'items' | 'fence' | 'ack'>,
  gw: Gateway,
): Promise<void> {
  const id = traceOf(items[0]?.id ?? '');
  const messages = messagesFor(items[0]?.message.message ?? {});
  const outcome = { ...interruptedRun(messages), ...gw.models.meter.used(id) };
  await conclude({ run: id, items, isAgain: true, fence, ack }, outcome, new Date().toISOString(), gw);
}

/**
 * Ends messages that were steered into a run which has ended without them, as they waited alone for a crash to be no fault of theirs.
 * Its answer is told where it was not: `find` gives the messages that it answered.
 */
export async function joinEnded(
  { items, fence, ack }: Pick<Turn, 'items' | 'fence' | 'ack'>,
  { result, ids }: EndedRun,
  find: (id: string) => Promise<Entry | undefined>,
  gw: Gateway,
): Promise<void> {
  const answered = await Promise.all(ids.map(find));
  const told = new Set(answered.flatMap((entry) => (entry ? [conversationKey(entry.message.address)] : [])));
  const others = items.filter(({ message }) => !told.has(conversationKey(message.message.address)));
  if (others.length === 0) return ack(items);
  const buttons = buttonsAgain(result, messagesFor(others[0]?.message.message ?? {}));
  const ended = { run: result.run, items: others, isAgain: true, fence, ack: () => ack(items) };
  await conclude(ended, { ...result, buttons }, result.at, gw);
}

/** The turn up to its outcome. */
async function attempt(turn: Turn, answered: readonly Item[], watch: TurnWatch, gw: Gateway): Promise<Attempt> {
  const { run: id, items, isAgain, signal, intake, stored, owner } = turn;
  const first = (items[0] as Item).message;
  let showing: NodeJS.Timeout | undefined;
  try {
    const task = await gw.tasks.records.open(first);
    await gw.places.live.follow(id, followers(answered, first.taskId, gw), isAgain, newestIn(items));
    gw.tasks.news.tell({ type: 'task:started', taskId: first.taskId, runId: id });
    showing = gw.tasks.records.showRunning(first.taskId, () => gw.tasks.threads.show(first.taskId));
    const end = await run({ task, run: id, items, answered, isAgain, signal, intake, watch, stored, owner }, gw);
    // The answer must not be kept of a message that was not.
    await stored();
    owner.check();
    if (end.kind === 'steered') return end;
    if (end.kind !== 'recorded') {
      crashPoint('run:answered');
      // Whoever stopped it wants no answer, were it steered before or not.
      if (reasonOf(intake) === 'stop') signal.throwIfAborted();
    }
    turn.onSettled();
    return end.kind === 'ended' && end.outcome.state !== 'waiting' ? ended(end.outcome, id, gw) : end;
  } catch (error) {
    return await attemptFailed(error, turn, gw);
  } finally {
    clearTimeout(showing);
  }
}

const ended = (outcome: RunOutcome, id: string, { models }: Gateway): Attempt => ({
  kind: 'ended',
  outcome: { ...outcome, ...models.meter.used(id) },
});

/** What an error means for the turn. Throws what passes. */
async function attemptFailed(error: unknown, turn: Turn, gw: Gateway): Promise<Attempt> {
  const { run: id, signal, intake, onSettled, owner } = turn;
  const { viber, taskId, message, principal } = (turn.items[0] as Item).message;
  const asker = { role: principal.role, messages: messagesFor(message) };
  const task = openTask(gw.home, taskId, viber);
  const settled = (outcome: RunOutcome): Attempt => {
    onSettled();
    return ended(outcome, id, gw);
  };
  const failed = (): Attempt => {
    const kind = kindOf(error);
    gw.features.metrics.count('viber_errors_total', { stage: 'run', kind });
    if (asker.role !== 'owner') tellOwners(error, principal, gw);
    const { error: told, ...outcome } = failure(error, id, asker, gw.log);
    // Words that the built-in model does not understand change nothing about a task that stands.
    const stands = kind === 'offline' && lastState(task) === 'completed';
    const end = stands ? { state: 'completed' as const } : { ...(told !== undefined && { error: told }) };
    return { ...settled({ ...outcome, ...end }), failure: kind };
  };
  if (isLost(owner)) {
    // Whoever owns the lane now answers, and goes on with what stands in the chat.
    gw.places.live.forget(id);
    throw error instanceof LeaseLost
      ? error
      : new LeaseLost(`${taskId} was taken up by somebody else`, { cause: error });
  }
  // Stopped after it was steered, it is stopped, and the newer words go on without it.
  const reason = reasonOf(intake) === 'stop' ? 'stop' : reasonOf(signal);
  const left = () => task.session.run(id);
  if (reason === 'stop') return settled(cutOff(await left()));
  if (reason !== undefined) await gw.places.live.end(id, []);
  if (reason === 'shutdown' || reasonOf(intake) === 'shutdown') return { kind: 'shutdown' };
  if (error instanceof LeaseLost) throw error;
  // A full or failing disk, or no handle to reach the model with, is no answer to anybody: the message is tried again.
  if (isStorageFailure(error) || (!(error instanceof RunError) && errorCode(error) !== undefined)) throw error;
  if (reason === undefined) return failed();
  // Only what stands in the session is there for the next turn to go on from.
  const lines = await left();
  if (reasonOf(intake) === 'stop') return settled(cutOff(lines));
  if (!lines.some((entry) => entry.type === 'message')) return failed();
  // Now it ends with the words that go on from it.
  onSettled();
  const outcome = { ...cutOff(lines), ...gw.models.meter.used(id), error: STEERED };
  await record((turn.items[0] as Item).message, turn, outcome, gw.home);
  gw.log.info({ trace: id, task: taskId }, 'run steered');
  return { kind: 'steered' };
}

/** How the last run ended that stands near the end of the session. */
const lastState = ({ session }: Task): RunOutcome['state'] | undefined =>
  session.tail().findLast((entry) => entry.type === 'result')?.state;

/** What only an owner can mend is told to them, not to others: once for six hours, whoever asks meanwhile. */
function tellOwners(error: unknown, { name }: Principal, { people }: Gateway): void {
  if (!isSetting(error) || error.said === undefined) return;
  const id = `not-set-up-${hashText(error.userMessage).slice(0, 12)}-${Math.floor(Date.now() / TOLD_AGAIN_MS)}`;
  void people.owners.tellOwners(id, say('failures.ownerNeeded', { name: plainName(name), what: error.said }));
}

function isLost(owner: Owner): boolean {
  try {
    owner.check();
    return false;
  } catch (error) {
    if (error instanceof LeaseLost) return true;
    throw error;
  }
}

/** A tool may have had its effect all the same: the runs that follow are told so. */
function cutOff(lines: Parameters<typeof cutCall>[0]): RunOutcome {
  const cut = cutCall(lines);
  return { ...stoppedRun(), ...(cut === undefined ? {} : { text: cutOffWords(cut) }) };
}

/** The newest message of each conversation is the one that is answered there. */
function newestIn(items: readonly Item[]): ReadonlyMap<string, string> {
  return new Map(items.map(({ message: { message } }) => [conversationKey(message.address), message.messageId]));
}

/** A run is seen by the conversations it answers, and by the others that are about its task now. */
function followers(items: readonly Item[], taskId: string, { tasks }: Gateway): Address[] {
  if (items.some(({ message }) => message.job)) return [];
  const keys = new Set(
    items.map(({ message: { message, principal } }) => bindingKey(principal, message.address, message.isDirect)),
  );
  const watching = tasks.conversations.bound(taskId).filter((binding) => !keys.has(binding.key));
  return [...items.map((item) => item.message.message.address), ...watching.map((binding) => binding.address)];
}
