/**
 * Ends a turn: writes its result to the session and its answer to the outbox, and does what follows from it. A full
 * disk and an unreachable platform pass: the messages stay accepted and are retried for as long as it takes. Work that
 * fails three times for any other reason is given up: its messages are kept in `dead`, its people are told, and its
 * tasks and runs of jobs count as failed.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { conversationKey, type OutboundMessage } from '../../channels/channel.ts';
import { crashPoint } from '../../crash-points.ts';
import type { Lease } from '../../engine/engine.ts';
import { DeliveryError, errorCode, errorMessage, isStorageFailure } from '../../errors.ts';
import { type Messages, messagesFor, type Text } from '../../messages/messages.ts';
import type { Home } from '../../workspace/home.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { SessionEntry, Usage } from '../../workspace/types.ts';
import { STEERED } from '../context/past-run.ts';
import type { ButtonAction } from '../contract/buttons.ts';
import { type Entry, isFor, isReply, traceOf } from '../contract/entry.ts';
import type { EndedTurn, TurnFacts } from '../contract/feature.ts';
import type { Owner } from '../contract/order.ts';
import type { Answer, Outcome } from '../contract/outcome.ts';
import { holds } from '../contract/when.ts';
import { viberAt } from '../conversations/conversations.ts';
import { escapeMarkdown } from '../conversations/places.ts';
import { buttonsAgain, interruptedRun } from '../reply/failure.ts';
import { renderAnswer } from '../reply/render-answer.ts';
import { type Item, resultAfter } from './batches.ts';
import type { Feature, Gateway } from './gateway.ts';
import { epochOf } from './journal.ts';
import type { Turn } from './turn.ts';

type ResultState = Extract<SessionEntry, { type: 'result' }>['state'];
/** How much of the session is searched for its last results, in bytes. */
const SEARCH_BYTES = 1024 * 1024;

/** Answers are sent with the lane's lease: a process that has lost it sends none. */
interface FinishedTurn extends EndedTurn {
  lease: Lease<Entry>;
}

const firstOf = (items: readonly Item[]): Entry => (items[0] as Item).message;

/** Ends a turn by its outcome; repeating it after a crash does nothing twice. */
export async function conclude(turn: Turn, outcome: Outcome, gw: Gateway): Promise<void> {
  const { taskId } = firstOf(turn.items);
  // The next process continues the run and reads what it has used.
  if (outcome.state === 'shutdown') return;
  if (outcome.state === 'steered') return gw.tasks.records.endRun(turn.run, taskId);
  if (outcome.state === 'void') {
    await gw.tasks.records.endRun(turn.run, taskId);
    await gw.places.live.end(turn.run, []);
    return finish(turn.lease, turn.answered, gw);
  }
  const answer = outcome.recordedAt === undefined ? await record(turn, outcome, gw) : outcome;
  await deliver({ ...turn, items: turn.answered }, answer, gw);
}

function usedBy(run: string, { models }: Gateway): { usage?: Usage } {
  const usage = models.spending.ofRun(run);
  return usage ? { usage } : {};
}

/** Ends messages of steered turns that no turn continues. */
export async function abandon(answered: readonly Item[], lease: Lease<Entry>, gw: Gateway): Promise<void> {
  const run = traceOf(answered[0]?.id ?? '');
  const outcome = { ...interruptedRun(messagesFor(firstOf(answered).message)), ...usedBy(run, gw) };
  await deliver({ run, items: answered, isAgain: true, lease }, outcome, gw);
}

/**
 * Returns the messages of a steered turn that the next turn answers. None if an earlier attempt has already completed
 * them: they were retried alone after a crash to rule out that they caused it. That answer goes to those who haven't
 * received it.
 */
export async function withoutAnswer({ run, answered, isAgain, lease }: Turn, gw: Gateway): Promise<readonly Item[]> {
  const later = isAgain ? resultAfter(gw.home, firstOf(answered), run) : undefined;
  if (!later) return answered;
  const { result, ids } = later;
  const heard = await Promise.all(ids.map((id) => gw.engine.queue.find(id)));
  const told = new Set(heard.flatMap((entry) => (entry ? [conversationKey(entry.message.address)] : [])));
  const others = answered.filter(({ message }) => !told.has(conversationKey(message.message.address)));
  if (others.length > 0) {
    const buttons = buttonsAgain(result, messagesFor(firstOf(others).message));
    const recorded = { ...result, buttons, recordedAt: result.at };
    await deliver({ run: result.run, items: others, isAgain: true, lease }, recorded, gw);
  }
  await finish(
    lease,
    answered.filter((item) => !others.includes(item)),
    gw,
  );
  return [];
}

/** Records the answer in the session, with what its run has used. A run that waits for a person has no result yet. */
export async function record(
  { run, items, owner }: { run: string; items: readonly Item[]; owner: Owner },
  given: Answer,
  gw: Gateway,
): Promise<Answer> {
  const { home } = gw;
  const { viber, taskId } = (items[0] as Item).message;
  const { state } = given;
  if (state === 'waiting') return given;
  const answer = { ...given, ...usedBy(run, gw), recordedAt: new Date().toISOString() };
  const { text, summary, artifactRefs, usage, error, providerSaid, decisions = [], recordedAt: at } = answer;
  const result: SessionEntry = {
    type: 'result',
    run,
    ...epochOf(owner),
    at,
    state,
    text,
    summary,
    artifactRefs,
    ...(decisions.length > 0 ? { decisions } : {}),
    ...(usage ? { usage } : {}),
    ...(error === undefined ? {} : { error }),
    ...(providerSaid === undefined ? {} : { providerSaid }),
  };
  owner.check();
  await openTask(home, taskId, viber).session.append([result]);
  crashPoint('run:result-written');
  return answer;
}

/** Sends the answer once its result is recorded, then does what else follows from it. */
async function deliver(turn: FinishedTurn, given: Answer, gw: Gateway): Promise<void> {
  const { run, items, lease } = turn;
  const { viber, taskId } = firstOf(items);
  const { on } = gw.features;
  let answer = given;
  for (const { answers } of on)
    if (answers && holds(answers.when, factsOf(answer, turn, gw), answer, turn))
      answer = await answers.add(answer, turn, gw);
  if (answer.state === 'stopped') await gw.places.live.end(run, []);
  else await sendAnswers(turn, answer, gw);
  crashPoint('run:out-written');
  // The answer is durable in `out`; the session's lines follow within half a second.
  gw.tasks.syncSoon(openTask(gw.home, taskId, viber).session.file);
  // Sending to people takes precedence over notes about it.
  await nextTurn();
  await noteState(turn, answer, gw);
  const { state, error, usage, recordedAt: at = new Date().toISOString() } = answer;
  const facts = factsOf(answer, turn, gw);
  for (const { keeps } of on)
    if (keeps && holds(keeps.when, facts, answer, turn)) await keeps.keep(answer, turn, at, gw);
  await finish(lease, items, gw);
  // Somebody may have begun to wait for the run meanwhile.
  const ended = factsOf(answer, turn, gw);
  for (const { after } of on) if (after && holds(after.when, ended, answer, turn, gw)) after.note(answer, turn, at, gw);
  gw.log.info({ trace: run, task: taskId, state, error, usage }, 'run ended');
}

/** Returns the facts of the turn that decide which features add something to its answer, or do something after it. */
function factsOf({ state, asks = [] }: Answer, { items, isAgain }: EndedTurn, { tasks }: Gateway): TurnFacts {
  const [first, newest] = [items[0]?.message, items.at(-1)?.message.message];
  return {
    state,
    isJob: first?.job !== undefined,
    isContinued: isAgain || first?.resume !== undefined,
    isSpoken: newest?.text === '' && newest.files.some(({ kind }) => kind === 'voice'),
    hasGuest: items.some(({ message }) => message.principal.role === 'guest'),
    hasAsks: asks.length > 0,
    isAwaited: first !== undefined && tasks.lanes.awaited.has(first.taskId),
  };
}

async function noteState(turn: EndedTurn, answer: Answer, { tasks, features, home }: Gateway): Promise<void> {
  const { run } = turn;
  const { taskId } = firstOf(turn.items);
  const { state, text, summary, artifactRefs } = answer;
  await tasks.records.setState(taskId, state === 'waiting' ? 'running' : await stateAfter(turn, state, home), run);
  if (state !== 'waiting')
    tasks.news.emit({ type: 'run:ended', end: { taskId, runId: run, state, text, summary, artifactRefs } });
  tasks.threads.show(taskId);
  features.metrics.count('viber_runs_total', { state });
}

/**
 * Returns the state of the task. Messages that were retried alone after crashes may end after a newer turn has ended.
 */
async function stateAfter(turn: EndedTurn, state: ResultState, home: Home): Promise<ResultState> {
  if (!turn.isAgain) return state;
  const { viber, taskId } = firstOf(turn.items);
  const lines = openTask(home, taskId, viber).session.tail({ maxBytes: SEARCH_BYTES });
  const results = lines.flatMap((line) => (line.type === 'result' && line.error !== STEERED ? [line] : []));
  return results.at(-1)?.state ?? state;
}

/**
 * Sends one answer to each conversation whose messages the turn handled. Resolves when the answers are durable in the
 * outbox; repeating the same items changes nothing.
 */
async function sendAnswers(turn: FinishedTurn, outcome: Answer, gw: Gateway): Promise<void> {
  const { run, items, isAgain, lease } = turn;
  const { places, consent, features } = gw;
  // The answer refers to the newest message of a conversation.
  const newest = new Map<string, Item>();
  for (const item of items) {
    const delivers = deliveredBy(item, gw);
    if (delivers) await delivers.send(outcome, item, turn, gw);
    else newest.set(conversationKey(item.message.message.address), item);
  }
  const addresses = items.map((item) => item.message.message.address);
  const placeholders = await places.live.end(run, addresses);
  const facts = factsOf(outcome, turn, gw);
  for (const [key, { id, acceptedAt, message: entry }] of newest) {
    const { address, messageId } = entry.message;
    const messages = messagesFor(entry.message);
    const shown = await renderAnswer(outcome, entry.taskId, address, messages, { home: gw.home, ...places });
    const texts: string[] = [speakerOf(entry, messages, gw), shown.text];
    const rows: ButtonAction[][] = [];
    for (const feature of features.on) {
      if (!feature.below || !holds(feature.belowWhen ?? {}, facts)) continue;
      const part = feature.below(entry, outcome, messages, gw);
      texts.push(part?.text ?? '');
      rows.push(...(part?.buttons ?? []));
    }
    rows.push(...shown.buttons);
    const text = texts.filter(Boolean).join('\n\n');
    const outbound: OutboundMessage = { id, address, text, files: shown.files, language: messages.language };
    if (rows.length > 0) outbound.buttons = await consent.buttons.offer(address, rows);
    if (outcome.state === 'error' || outcome.state === 'waiting') outbound.ended = outcome.state;
    outbound.askedAt = Date.parse(acceptedAt);
    if (places.channelOf(address)?.takesResults && outcome.state !== 'waiting') {
      const { state, text: said, summary, artifactRefs } = outcome;
      outbound.result = { taskId: entry.taskId, runId: run, state, text: said, summary, artifactRefs };
    }
    if (isReply(entry.message)) outbound.replyTo = messageId;
    const placeholder = placeholders.get(key);
    if (placeholder !== undefined) outbound.placeholder = placeholder;
    await gw.delivery.add(outbound, run, isAgain, lease);
  }
}

/** Returns the feature's part that delivers the answer to an item elsewhere than to its conversation. */
function deliveredBy({ message }: Item, { features }: Gateway): Feature['delivers'] {
  for (const { delivers } of features.on) if (delivers && isFor(delivers.when, message)) return delivers;
  return undefined;
}

/** Names the viber that speaks, if the conversation is now with another one. */
function speakerOf({ principal, viber, message }: Entry, messages: Messages, { places, tasks }: Gateway): Text | '' {
  const { address, isDirect } = message;
  const now = viberAt({ principal, address, isDirect }, places.vibers, tasks.conversations, message.viber);
  return now === viber ? '' : messages.text('vibers.says', { name: escapeMarkdown(viber) });
}

const RETRY_MS = 2_000;
const MAX_RETRY_MS = 300_000;
const MAX_TRIES = 3;
/**
 * About four minutes: the program is being replaced on disk, and this process continues as the new one once that is
 * complete.
 */
const MAX_TRIES_WITHOUT_PARTS = 8;

const passes = (error: unknown): boolean =>
  isStorageFailure(error) || errorCode(error) === 'EIO' || error instanceof DeliveryError;

const maxTries = (error: unknown): number =>
  errorCode(error) === 'ERR_MODULE_NOT_FOUND' ? MAX_TRIES_WITHOUT_PARTS : MAX_TRIES;

/**
 * Hands a lane back, to be retried later, or without the messages that are given up. Rejects if the engine doesn't
 * accept it.
 */
export async function handBack(lease: Lease<Entry>, error: unknown, gw: Gateway): Promise<void> {
  const { queue } = gw.engine;
  const { failures } = gw.tasks.lanes;
  const { lane, items } = lease;
  const tries = (failures.get(lane) ?? 0) + 1;
  failures.set(lane, tries);
  const isOver = tries >= maxTries(error) && !passes(error);
  if (isOver && (await isGivenUp(lease, errorMessage(error), gw))) {
    await finish(lease, items, gw);
    return queue.release(lease);
  }
  gw.log.error({ err: error, trace: traceOf(items[0]?.id ?? ''), tries }, 'work failed and will be tried again');
  await queue.release(lease, { retryAt: Date.now() + Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** (tries - 1)) });
}

/** Removes answered messages from the lane and resets its count of failures. */
export async function finish(lease: Lease<Entry>, items: readonly Item[], { engine, tasks }: Gateway): Promise<void> {
  tasks.lanes.failures.delete(lease.lane);
  await engine.queue.ack(
    lease,
    items.map(({ id }) => id),
  );
}

async function isGivenUp({ lane, items }: Lease<Entry>, reason: string, gw: Gateway): Promise<boolean> {
  try {
    for (const item of items) {
      await gw.engine.queue.giveUp(item, reason);
      await reportGivenUp(item, reason, gw);
    }
    return true;
  } catch (error) {
    gw.log.error({ err: error, lane }, 'work that failed could not be given up');
    return false;
  }
}

/**
 * Reports that a message was given up, as the end of its run. Repeating it tells nobody twice.
 * @throws a system error if the disk fails
 */
export async function reportGivenUp(item: Item, reason: string, gw: Gateway): Promise<void> {
  const { message: entry } = item;
  const takesResults = gw.places.channelOf(entry.message.address)?.takesResults === true;
  const end = await gw.people.owners.tellGivenUp(item, reason, takesResults);
  await gw.tasks.records.fail(entry.taskId);
  gw.tasks.news.emit({ type: 'run:ended', end });
  for (const { gaveUp } of gw.features.on) gaveUp?.(entry, reason, gw);
}
