/**
 * One run of a task from claim to answer.
 *
 *   session: message -> agent (each step with tools into the session) -> outcome
 *
 * Invariants: a finished step is never run again; a side-effecting call whose outcome is unknown is told, not repeated.
 */
import type { Principal } from '../../access/principal.ts';
import { filesAround } from '../../channels/channel.ts';
import type { QueueItem } from '../../engine/engine.ts';
import { messagesFor } from '../../messages/messages.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { SessionEntry, TaskRecord } from '../../workspace/types.ts';
import type { SuspendedRun } from '../approvals/suspend.ts';
import { cutCall, STEERED } from '../context/past-run.ts';
import type { Waiting } from '../contract/agent.ts';
import type { Entry, JobOrder } from '../contract/entry.ts';
import type { Decided, Order, Owner, TakenTurn } from '../contract/order.ts';
import type { RunOutcome } from '../contract/outcome.ts';
import type { TurnWatch } from '../contract/watch.ts';
import { buttonsAgain, stoppedRun } from '../reply/failure.ts';
import { unheardVoice } from '../reply/unheard.ts';
import { interruptedWhile } from '../tools/doing.ts';
import { beforeQuestion, finalize } from './finalize.ts';
import type { Feature, Gateway } from './gateway.ts';
import { runAgent } from './run-agent.ts';
import { takeIn } from './take-in.ts';

export interface RunTurn {
  task: TaskRecord;
  run: string;
  items: readonly QueueItem<Entry>[];
  /** Everybody's messages that this run answers; `items` are among them. */
  answered: readonly QueueItem<Entry>[];
  /** An earlier attempt at it may have left something in the session. */
  isAgain: boolean;
  signal: AbortSignal;
  /** Aborts with `signal`, but for a newer message: what was said before it is still taken in. */
  intake: AbortSignal;
  watch?: TurnWatch;
  /** Resolves once its messages are durable: waited for before the first effect that cannot be taken back. Throws LeaseLost. */
  stored: () => Promise<void>;
  owner: Owner;
}

export type RunEnd =
  | { kind: 'ended'; outcome: RunOutcome }
  /** An earlier process has recorded its result: only the delivery is left. */
  | { kind: 'recorded'; outcome: RunOutcome; at: string }
  /** An earlier process has ended it for newer words: the next turn goes on from it. */
  | { kind: 'steered' }
  /** There was nothing to go on with. */
  | { kind: 'void' };

/** The run as it goes on, with what an earlier process has left of it. */
type Begun = RunTurn & Pick<SuspendedRun, 'earlier' | 'principal'> & Pick<TakenTurn, 'messages'> & { spoken: string[] };

/** Skills called in one task. */
const MAX_CALLED = 50;

/** Throws RunError, or a system error when the disk fails. */
export async function run(turn: RunTurn, gw: Gateway): Promise<RunEnd> {
  const first = (turn.items[0] as QueueItem<Entry>).message;
  const messages = messagesFor(first.message);
  const isBegun = turn.isAgain || first.resume !== undefined;
  if (isBegun || takenIn(turn, gw)) await turn.stored();
  const earlier = isBegun ? openTask(gw.home, first.taskId, first.viber).session.run(turn.run) : [];
  // What was answered is only delivered.
  const result = earlier.find((entry) => entry.type === 'result');
  if (result?.error === STEERED) return { kind: 'steered' };
  if (result)
    return { kind: 'recorded', outcome: { ...result, buttons: buttonsAgain(result, messages) }, at: result.at };
  // A side effect that a crash cut is told, never repeated.
  const cut = cutCall(earlier);
  if (cut) return ended(interruptedWhile(cut, messages));

  const waiting: Begun = { ...turn, messages, earlier, principal: onWhoseWord(turn), spoken: spokenIn(earlier) };
  const decided = await decisionsFor(waiting, first, gw);
  if (decided === 'void') return { kind: 'void' };
  if (decided === 'stop') return ended(stoppedRun());
  // A decision may have changed the record.
  const begun: Begun = { ...waiting, task: openTask(gw.home, turn.task).record() ?? turn.task };

  if (!earlier.some((entry) => entry.type === 'message')) {
    const taken = await takeIn(begun, gw);
    if (taken.unheard) return ended(unheardVoice(taken.unheard, begun.principal, first.message.sender.language));
    begun.spoken = spokenIn([taken.line]);
  }
  await rememberCalled(begun, gw);
  const order = await orderOf(begun, decided, gw);
  const taken = takenIn(begun, gw);
  if (taken) return ended(await takeOver(begun, order, taken, gw));

  const { outcome, made, tools } = await runAgent(order, gw);
  const below = outcome.parked?.[0]?.below;
  if (below) return ended(await suspendInner(begun, below, gw));
  if (outcome.parked)
    return ended(
      await gw.consent.suspension.suspend(begun, outcome, tools, await beforeQuestion(outcome, made, begun, gw)),
    );
  return ended(await finalize(outcome, made, { ...begun, tools }, gw));
}

/** What an agent waits for that this run has asked. */
async function suspendInner(
  begun: Begun,
  below: Waiting,
  gw: Gateway,
  more: Pick<SuspendedRun, 'play'> = {},
): Promise<RunOutcome> {
  const handed = await beforeQuestion(below.waiting, undefined, { ...begun, earlier: below.earlier }, gw);
  return gw.consent.suspension.suspend({ ...begun, inner: below, ...more }, below.waiting, below.tools, handed);
}

/** What was called stays at hand for the rest of the task, whatever its own rules are. */
async function rememberCalled({ task, items }: Begun, { home }: Gateway): Promise<void> {
  const known = task.called ?? [];
  const called = items.flatMap(({ message: { skill } }) =>
    skill === undefined || known.includes(skill) ? [] : [skill],
  );
  if (called.length === 0) return;
  task.called = [...known, ...called].slice(-MAX_CALLED);
  const all = task.called;
  await openTask(home, task).update((record) => ({ ...record, called: all }), { sync: false });
}

const ended = (outcome: RunOutcome): RunEnd => ({ kind: 'ended', outcome });

/** What a person has decided; else they wrote instead, and what waits for them is superseded. */
async function decisionsFor(
  begun: Begun,
  { resume }: Entry,
  { consent: { suspension } }: Gateway,
): Promise<Decided | undefined | 'void' | 'stop'> {
  if (resume) return suspension.resume(begun, resume.approval);
  await suspension.supersede(begun);
  return undefined;
}

/** Of whoever wrote last; with a guest among those it answers, with no more rights than a guest has. */
function onWhoseWord({ items, answered }: RunTurn): Principal {
  const { principal } = (items[0] as QueueItem<Entry>).message;
  return answered.some(({ message }) => message.principal.role === 'guest')
    ? { ...principal, role: 'guest' }
    : principal;
}

async function orderOf(
  { task, run, items, answered, principal, earlier, signal, watch, spoken, stored, owner }: Begun,
  decided: Decided | undefined,
  { places }: Gateway,
): Promise<Order> {
  const { message: first, job } = (items[0] as QueueItem<Entry>).message;
  const tellsMemory = await places.tellsMemory({
    principal,
    answered: answered.map((item) => item.message.message),
    job,
  });
  return {
    ...{ task, run, principal, tellsMemory, earlier, signal, stored, owner, query: first.text || (spoken[0] ?? '') },
    ...(decided && { decided }),
    ...(watch && { watch }),
    others: answered.map(({ message }) => message.principal),
    words: [...items.map((item) => item.message.message.text), ...spoken].filter(Boolean),
    ...(task.called ? { called: task.called } : {}),
    names: items.flatMap(({ message: { message } }) => filesAround(message).map((file) => file.name)),
    place: job ? jobPlace(job) : `${first.address.channel}, ${first.isDirect ? 'direct message' : 'group'}`,
    address: first.address,
    isDirect: first.isDirect,
    ...(first.language !== undefined && { language: first.language }),
    ...(job ? { job, own: job.own } : {}),
    ...givenIn(answered),
  };
}

/** Of everybody's messages that it answers, the newest that says so. */
function givenIn(answered: RunTurn['answered']): Pick<Order, 'given'> {
  const all = answered.flatMap(({ message: { message } }) => message.given ?? []);
  const memory = all.findLast((given) => given.memory !== undefined)?.memory;
  const artifacts = all.findLast((given) => given.artifacts)?.artifacts;
  if (memory === undefined && !artifacts) return {};
  return { given: { ...(memory !== undefined && { memory }), ...(artifacts && { artifacts }) } };
}

/** The words of messages that were said, not written. */
const spokenIn = (entries: readonly SessionEntry[]): string[] =>
  entries.flatMap((entry) => (entry.type === 'message' && entry.spoken ? [entry.text] : []));

const jobPlace = ({ name, deliver }: JobOrder): string =>
  `the scheduled job ${JSON.stringify(name)}; nobody is there to answer questions${deliver.length > 0 ? '; your answer is sent to a chat as it stands. Answer only HEALTHY when there is nothing worth a message' : ''}`;

/** The newest entry whose work a feature does in place of the model. */
function takenIn({ answered }: Pick<RunTurn, 'answered'>, { features }: Gateway): Taken | undefined {
  for (const item of answered.toReversed()) {
    const takes = features.on.find((feature) => feature.takes?.when(item.message))?.takes;
    if (takes) return { item, takes };
  }
  return undefined;
}

interface Taken {
  item: QueueItem<Entry>;
  takes: NonNullable<Feature['takes']>;
}

async function takeOver(
  begun: Begun,
  { task, run, principal, tellsMemory, address, earlier, signal, watch, decided }: Order,
  { item: { id, message: entry }, takes }: Taken,
  gw: Gateway,
): Promise<RunOutcome> {
  // What was written while the feature was at work.
  const added = begun.items.flatMap(({ message }) => (takes.when(message) ? [] : [message.message.text])).join('\n\n');
  const about = { task, run, principal, tellsMemory, earlier, signal, messages: begun.messages, entry, id, added };
  const end = await takes.run(
    { ...about, ...(address && { address }), ...(watch && { watch }), ...(decided && { decided }) },
    gw,
  );
  if (!('waiting' in end)) return end;
  return suspendInner(begun, end, gw, { play: true });
}
