/**
 * Sends the result of a scheduled job to its `deliver` addresses through the outbox, once each. Sends nothing if the
 * result is routine, if the run has sent something itself, or if it failed: the scheduler reports failures to the
 * owner.
 */

import { conversationKey, type OutboundMessage } from '../../channels/channel.ts';
import type { QueueItem } from '../../engine/engine.ts';
import { DeliveryError, UserError } from '../../errors.ts';
import { hashText } from '../../lib/files.ts';
import { lines, say, type Wording } from '../../messages/messages.ts';
import { toolValues, usesOf } from '../../runtime/context/past-run.ts';
import type { Entry, JobOrder } from '../../runtime/contract/entry.ts';
import type { EndedTurn } from '../../runtime/contract/feature.ts';
import type { Answer } from '../../runtime/contract/outcome.ts';
import { placesToAsk, quotedName } from '../../runtime/conversations/asked-places.ts';
import { plainName } from '../../runtime/conversations/places.ts';
import { saysHealthy } from '../../runtime/reply/healthy.ts';
import { renderAnswer } from '../../runtime/reply/render-answer.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { Json } from '../../workspace/types.ts';
import type { Gateway } from '../gateway.ts';
import { continueDigest, markDigest } from './digest.ts';
import { notify } from './notify.ts';

/** A tool must return this word alone and in capitals, since its output isn't written for a job. */
const HEALTHY = /^[\s>*_`"'~#-]*HEALTHY[\s.!*_`"'~]*$/;

/** Returns true if a monitoring tool returns only the word, or has it in its result field. */
function isToolHealthy(value: Json | undefined): boolean {
  if (typeof value === 'string') return HEALTHY.test(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const isFailed = typeof value.exitCode === 'number' && value.exitCode !== 0;
  return !isFailed && SAYING.some((field) => typeof value[field] === 'string' && HEALTHY.test(value[field]));
}

/** Returns true if the run found nothing wrong and produced nothing: nobody needs such a result. */
function saysNothingElse({ text, artifactRefs, isCutShort }: Answer, values: readonly (Json | undefined)[]): boolean {
  const isHealthy = saysHealthy(text) || (values.length > 0 && values.every(isToolHealthy));
  return isHealthy && artifactRefs.length === 0 && !isCutShort;
}

const SAYING = ['status', 'result', 'output', 'stdout', 'text', 'state', 'health'];

/** As long as the outbox tries to send a message, in ms. */
const AWAY_MS = 24 * 3_600_000;

interface Result {
  outcome: Answer;
  item: QueueItem<Entry>;
  turn: EndedTurn;
  /** The conversations that have the result, by key. */
  sent: Set<string>;
}

/**
 * Resolves once everything to send is durable in the outbox.
 * @throws {DeliveryError} while a chat can't be looked up
 */
export async function deliverResult(
  outcome: Answer,
  item: QueueItem<Entry>,
  turn: EndedTurn,
  gw: Gateway,
): Promise<void> {
  const { job, viber, taskId } = item.message;
  const { run } = turn;
  const { home, log, people } = gw;
  const { tellOwners } = people.owners;
  if (!job) return;
  if (outcome.state === 'waiting') return askOwnerOfJob(item, run, outcome, gw);
  if (outcome.state !== 'completed') return;
  const lines = openTask(home, taskId, viber).session.run(run);
  const isRoutine = saysNothingElse(outcome, toolValues(lines));
  const hasNotified = usesOf(lines, notify.name) > 0;
  if (outcome.isCutShort)
    await tellOwners(`job-${job.id}-steps-${job.slot}`, say('jobs.maxSteps', { name: quotedName(job.name) }));
  log.info({ trace: run, job: job.id, result: outcome.summary, isRoutine, hasNotified }, 'a job has a result');
  if (isRoutine || hasNotified) return;
  const isLate = Date.now() - Date.parse(item.acceptedAt) > AWAY_MS;
  const result: Result = { outcome, item, turn, sent: new Set() };
  let away: unknown;
  // Sends in parallel: a platform that is slow to look up a chat does not delay the others.
  const attempts = await Promise.allSettled(job.deliver.map((to) => sendResult(to, result, job, gw)));
  for (const [index, attempt] of attempts.entries()) {
    if (attempt.status === 'fulfilled') continue;
    const to = job.deliver[index] ?? '';
    const error: unknown = attempt.reason;
    if (!(error instanceof UserError || error instanceof DeliveryError)) throw error;
    const mayCome = error instanceof DeliveryError && error.retryAfterMs !== undefined;
    if (mayCome && !isLate) {
      away = error;
      continue;
    }
    log.warn({ err: error, trace: run, job: job.id, to }, 'a result could not be sent');
    const refused = say(mayCome ? 'jobs.away' : 'jobs.refused');
    await reportUnsent(tellOwners, job, to, error instanceof UserError ? error.said : refused);
  }
  if (away !== undefined) throw away;
}

/** Sends the question wherever an owner can be asked; their conversation there continues with its own task. */
async function askOwnerOfJob(
  { id, message: { taskId, message, job } }: QueueItem<Entry>,
  run: string,
  outcome: Answer,
  gw: Gateway,
): Promise<void> {
  const places = placesToAsk(message, job);
  if (places.length === 0)
    gw.log.warn({ trace: run, job: job?.id }, 'a job has a question and no owner to ask: write to me once as an owner');
  for (const [index, { address }] of places.entries()) {
    const messages = gw.say(address);
    const shown = await renderAnswer(outcome, taskId, address, messages, { home: gw.home, ...gw.places });
    const rows = shown.buttons.length > 0 ? { buttons: await gw.consent.buttons.offer(address, shown.buttons) } : {};
    const given = { name: plainName(job?.name ?? ''), task: taskId };
    const heading = messages.text(places.length > 1 ? 'jobs.asksSeveral' : 'jobs.asks', given);
    const text = lines(heading, '', shown.text);
    const own = index === 0 ? id : `${id}-${hashText(conversationKey(address)).slice(0, 16)}`;
    await gw.delivery.add({ id: own, address, text, files: shown.files, ...rows }, run, true);
  }
}

/**
 * @throws {UserError}
 * @throws {DeliveryError} while the chat can't be looked up
 */
async function sendResult(
  to: string,
  { outcome, item, turn, sent }: Result,
  job: JobOrder,
  gw: Gateway,
): Promise<void> {
  const { taskId, viber, principal } = item.message;
  const address = await gw.places.targets.find(to, principal);
  // Two addresses may be one chat; the first one found names the message.
  const key = hashText(conversationKey(address)).slice(0, 16);
  if (sent.has(key)) return;
  sent.add(key);
  const messages = gw.say(address);
  const said = { text: outcome.text, refs: outcome.artifactRefs };
  const digest = await markDigest({ taskId, viber, job }, said, address, gw);
  const rendering = { home: gw.home, ...gw.places };
  const shown = await renderAnswer({ ...outcome, buttons: [] }, digest.taskId, address, messages, rendering);
  const rows = [...shown.buttons, ...continueDigest(digest.taskId, messages)];
  const { text, files } = shown;
  const buttons = await gw.consent.buttons.offer(address, rows);
  const message: OutboundMessage = { id: `${item.id}-${key}`, address, text, files, digest, buttons };
  await gw.delivery.add(message, turn.run, turn.isAgain);
}

type TellOwners = Gateway['people']['owners']['tellOwners'];

async function reportUnsent(tellOwners: TellOwners, { id, name }: JobOrder, to: string, why: Wording): Promise<void> {
  const said = say('jobs.unsent', { name: quotedName(name), place: to, why });
  await tellOwners(`job-${id}-unsent-${hashText(`${to} ${JSON.stringify(why)}`).slice(0, 16)}`, said);
}
