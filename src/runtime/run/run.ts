/**
 * One run, from the messages of a turn to its answer.
 *
 *   session: message -> agent (each step with tools into the session) -> session: result -> out -> off the lane
 *
 * Invariants: a message leaves its lane only when its answer is durable in `out` and its result is written to the
 * session. After a crash the run continues where it was: an existing answer is only delivered, and a tool call that was
 * interrupted is reported and never repeated.
 */
import type { Principal } from '../../access/principal.ts';
import { type Address, conversationKey, filesAround, type InboundMessage } from '../../channels/channel.ts';
import { crashPoint } from '../../crash-points.ts';
import { messagesFor } from '../../messages/messages.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { SessionEntry, TaskRecord } from '../../workspace/types.ts';
import { cutCall, STEERED } from '../context/past-run.ts';
import { abortReason } from '../contract/abort.ts';
import type { Waiting } from '../contract/agent.ts';
import { isFor, type JobOrder } from '../contract/entry.ts';
import type { Order, RunVerdicts } from '../contract/order.ts';
import type { Outcome } from '../contract/outcome.ts';
import type { TurnWatch } from '../contract/watch.ts';
import { bindingKey } from '../conversations/conversations.ts';
import { buttonsAgain, errorWord, stoppedRun } from '../reply/failure.ts';
import { unheardVoice } from '../reply/unheard.ts';
import { interruptedWhile } from '../tools/doing.ts';
import { runAgent } from './assemble.ts';
import type { Item } from './batches.ts';
import { conclude } from './conclude.ts';
import { outcomeOfError } from './failed.ts';
import { beforeQuestion, finalize } from './finalize.ts';
import type { Feature, Gateway } from './gateway.ts';
import { takeIn } from './take-in.ts';
import type { Turn } from './turn.ts';
import { noteWait, watchTurn } from './watch-turn.ts';

/** A running turn: its task, the person for whom it runs, and what an earlier process left of it. */
export interface Run extends Turn {
  task: TaskRecord;
  principal: Principal;
  earlier: readonly SessionEntry[];
  watch: TurnWatch;
}

/** @throws errors that pass: a full disk, an unreachable platform, a lost lane */
export async function run(turn: Turn, gw: Gateway): Promise<Outcome> {
  crashPoint('run:claimed');
  noteWait(turn.items, turn.isAgain, gw.features);
  const watch = watchTurn({ ...turn, items: turn.answered }, gw.features);
  try {
    const outcome = await work(turn, watch, gw).catch((error: unknown) => outcomeOfError(error, turn, gw));
    const recorded = watch.stage?.('record');
    await conclude(turn, outcome, gw);
    recorded?.();
    watch.end?.(outcome.state, outcome.failure);
    return outcome;
  } catch (error) {
    watch.end?.('failed', errorWord(error));
    throw error;
  }
}

/** Runs the turn up to its outcome, while people see its progress. */
async function work(turn: Turn, watch: TurnWatch, gw: Gateway): Promise<Outcome> {
  const { run: id, items, answered, isAgain, lease, owner, signal, intake } = turn;
  const { records, threads, news } = gw.tasks;
  const { taskId } = (items[0] as Item).message;
  const task = await records.open((items[0] as Item).message);
  const { addresses, newest } = placesOf(items, answered, gw);
  await gw.places.live.follow(id, addresses, isAgain, newest);
  news.emit({ type: 'task:started', taskId, runId: id });
  const showing = records.showRunning(taskId, () => threads.show(taskId));
  try {
    const outcome = await answerMessages({ ...turn, task, watch, principal: onWhoseWord(turn), earlier: [] }, gw);
    // The answer must not be stored before its message is.
    await lease.stored();
    owner.check();
    if (outcome.state === 'steered') return outcome;
    if (outcome.recordedAt === undefined) {
      crashPoint('run:answered');
      // A person who stopped the turn wants no answer, even if it was steered before.
      if (intake.aborted && abortReason(intake) === 'stop') signal.throwIfAborted();
    }
    turn.onSettled();
    return outcome;
  } finally {
    clearTimeout(showing);
  }
}

/**
 * Reads the messages, runs the agent on them, and returns the answer.
 * @throws RunError, or a system error if the disk fails
 */
async function answerMessages(begun: Run, gw: Gateway): Promise<Outcome> {
  const { message, resume, viber, taskId } = (begun.items[0] as Item).message;
  const messages = messagesFor(message);
  const isBegun = begun.isAgain || resume !== undefined;
  const taken = takenBy(begun, gw);
  if (isBegun || taken) await begun.lease.stored();
  const earlier = isBegun ? openTask(gw.home, taskId, viber).session.run(begun.run) : [];
  const waiting = { ...begun, earlier };
  // An answer that exists is only delivered.
  const result = earlier.find((entry) => entry.type === 'result');
  if (result?.error === STEERED) return { state: 'steered' };
  if (result) return { ...result, buttons: buttonsAgain(result, messages), recordedAt: result.at };
  // A side effect that a crash interrupted is reported and never repeated.
  const cut = cutCall(earlier);
  if (cut) return interruptedWhile(cut, messages);

  const decided = resume ? await gw.consent.suspension.resume(waiting, resume.approval) : undefined;
  if (decided === 'void') return { state: 'void' };
  if (decided === 'stop') return stoppedRun();
  // A person who wrote instead of pressing has answered the pending question.
  if (!resume) await gw.consent.suspension.supersede(waiting);
  // The run keeps the record that it began with; only a decision changes it in between.
  const task = resume ? openTask(gw.home, begun.task).record() : undefined;
  const run: Run = task ? { ...waiting, task } : waiting;

  let spoken = spokenIn(earlier);
  if (!earlier.some((entry) => entry.type === 'message')) {
    const { line, unheard } = await takeIn(run, gw);
    if (unheard) return unheardVoice(unheard, run.principal, message.sender.language);
    spoken = spokenIn([line]);
  }
  await rememberCalled(run, gw);
  const order = await orderOf(run, decided, spoken, gw);
  if (taken) return takeOver(run, order, taken, gw);

  const { outcome, made, tools } = await runAgent(order, gw);
  const below = outcome.parked?.[0]?.below;
  if (below) return suspendBelow(run, below, gw);
  if (!outcome.parked) return finalize(outcome, made, { ...run, messages, tools }, gw);
  const handed = await beforeQuestion(outcome, made, { ...run, messages }, gw);
  return gw.consent.suspension.suspend(run, outcome, tools, handed);
}

/** Asks, in the name of this run, the question of an agent that it asked. */
async function suspendBelow(run: Run, below: Waiting, gw: Gateway, more: { play?: true } = {}): Promise<Outcome> {
  const messages = messagesFor((run.items[0] as Item).message.message);
  const handed = await beforeQuestion(below.waiting, undefined, { ...run, messages, earlier: below.earlier }, gw);
  return gw.consent.suspension.suspend({ ...run, inner: below, ...more }, below.waiting, below.tools, handed);
}

const MAX_CALLED = 50;

/** Keeps called skills available for the rest of the task, whatever its own rules are. */
async function rememberCalled({ task, items }: Run, { home }: Gateway): Promise<void> {
  const known = task.called ?? [];
  const called = items.flatMap(({ message: { skill } }) =>
    skill === undefined || known.includes(skill) ? [] : [skill],
  );
  if (called.length === 0) return;
  task.called = [...known, ...called].slice(-MAX_CALLED);
  const all = task.called;
  await openTask(home, task).update((record) => ({ ...record, called: all }), { sync: false });
}

/** Returns the person who wrote last; if it answers a guest too, with a guest's permissions at most. */
function onWhoseWord({ items, answered }: Turn): Principal {
  const { principal } = (items[0] as Item).message;
  return answered.some(({ message }) => message.principal.role === 'guest')
    ? { ...principal, role: 'guest' }
    : principal;
}

async function orderOf(
  run: Run,
  decided: RunVerdicts | undefined,
  spoken: readonly string[],
  gw: Gateway,
): Promise<Order> {
  const { task, items, answered, principal, lease } = run;
  const { message: first, job } = (items[0] as Item).message;
  const messages = answered.map((item) => item.message.message);
  return {
    ...run,
    decided,
    stored: () => lease.stored(),
    tellsMemory: principal.role !== 'guest' && (await gw.places.tellsMemory({ principal, answered: messages, job })),
    query: first.text || (spoken[0] ?? ''),
    others: answered.map(({ message }) => message.principal),
    words: [...items.map((item) => item.message.message.text), ...spoken].filter(Boolean),
    called: task.called,
    names: items.flatMap(({ message: { message } }) => filesAround(message).map((file) => file.name)),
    place: job ? jobPlace(job) : `${first.address.channel}, ${first.isDirect ? 'direct message' : 'group'}`,
    address: first.address,
    isDirect: first.isDirect,
    language: first.language,
    job,
    own: job?.own,
    given: givenIn(messages),
  };
}

/** Takes each from the newest of all answered messages that contains it. */
function givenIn(messages: readonly InboundMessage[]): Order['given'] {
  const found: NonNullable<Order['given']> = {};
  for (const { given } of messages) {
    if (given?.memory !== undefined) found.memory = given.memory;
    if (given?.instructions !== undefined) found.instructions = given.instructions;
    if (given?.artifacts) found.artifacts = given.artifacts;
  }
  return found;
}

const spokenIn = (entries: readonly SessionEntry[]): string[] =>
  entries.flatMap((entry) => (entry.type === 'message' && entry.spoken ? [entry.text] : []));

const jobPlace = ({ name, deliver }: JobOrder): string =>
  `the scheduled job ${JSON.stringify(name)}; nobody is there to answer questions${deliver.length > 0 ? '; your answer is sent to a chat as it stands. Answer only HEALTHY when there is nothing worth a message' : ''}`;

interface TakenItem {
  item: Item;
  takes: NonNullable<Feature['takes']>;
}

/** Finds the newest entry that a feature handles in place of the model. */
function takenBy({ answered }: Turn, { features }: Gateway): TakenItem | undefined {
  for (const item of answered.toReversed())
    for (const { takes } of features.on) if (takes && isFor(takes.when, item.message)) return { item, takes };
  return undefined;
}

async function takeOver(run: Run, order: Order, { item, takes }: TakenItem, gw: Gateway): Promise<Outcome> {
  // Messages that arrived while the feature was working.
  const added = run.items
    .flatMap(({ message }) => (isFor(takes.when, message) ? [] : [message.message.text]))
    .join('\n\n');
  const messages = messagesFor((run.items[0] as Item).message.message);
  const end = await takes.run({ ...order, messages, entry: item.message, id: item.id, added }, gw);
  return 'waiting' in end ? suspendBelow(run, end, gw, { play: true }) : end;
}

/**
 * Returns where a run is shown: the conversations that it answers, with the newest message of each, and others that are
 * bound to its task.
 */
function placesOf(items: readonly Item[], answered: readonly Item[], { tasks }: Gateway) {
  const newest = new Map<string, string>();
  const addresses: Address[] = [];
  for (const { message } of items) newest.set(conversationKey(message.message.address), message.message.messageId);
  const keys = new Set<string>();
  for (const { message: entry } of answered) {
    const { message, principal, job } = entry;
    if (job) return { newest, addresses: [] };
    keys.add(bindingKey(principal, message.address, message.isDirect));
    addresses.push(message.address);
  }
  for (const { key, address } of tasks.conversations.bound((items[0] as Item).message.taskId))
    if (!keys.has(key)) addresses.push(address);
  return { newest, addresses };
}
