/**
 * Carries out the decision about an event: the only step that writes. Invariants: whatever it resolves to is durable; a
 * conversation that has a task is bound to the new one before the message that begins it is stored. A conversation
 * without a task is bound at the same time: after a crash in between, the next start binds it by the stored message
 * (`bindLeft`), so that it never gets two tasks.
 */
import { identityText, type Principal, principalText } from '../../access/principal.ts';
import { conversationKey, type InboundMessage, type InboundOutcome } from '../../channels/channel.ts';
import { type Queue, spoolKey } from '../../engine/engine.ts';
import { hashText } from '../../lib/files.ts';
import { cutText, plainLine } from '../../lib/text.ts';
import { messagesFor } from '../../messages/messages.ts';
import { newTaskId } from '../../workspace/tasks/index.ts';
import {
  commandLane,
  dedupeId,
  type Entry,
  orderOf,
  shareOf,
  stoppedBy,
  taskLane,
  traceOf,
} from '../contract/entry.ts';
import { bindingAt, chooseViber, followMove, mayChoose } from '../conversations/conversations.ts';
import { escapeMarkdown } from '../conversations/places.ts';
import { findTask, mayOpen } from '../conversations/visibility.ts';
import type { Gateway } from '../run/gateway.ts';
import type { Decision, Facts } from './decide.ts';
import { reply, replyOnce } from './reply.ts';
import { turnAway } from './strangers.ts';

type EnqueueResult = Awaited<ReturnType<Queue<Entry>['enqueue']>>;
type Of<K extends Decision['kind']> = Extract<Decision, { kind: K }>;

/** The longest time between the arrivals of two parts of an album. */
const GROUP_SETTLE_MS = 600;

/** @param raw in the platform's own form, stored with the entry */
export async function act(decision: Decision, facts: Facts, raw: unknown, gw: Gateway): Promise<InboundOutcome> {
  const { message, principal } = facts;
  switch (decision.kind) {
    case 'refuse':
    case 'pair':
    case 'redeem':
      return turnAway(decision, facts, gw);
    case 'ignore':
      return decision.outcome;
    case 'duplicate':
      countInbound(message, 'duplicate', gw);
      return 'duplicate';
    case 'moved':
      await followMove(gw.tasks.conversations, message, gw.log);
      return 'accepted';
    case 'limit':
      return refuseTooMany(decision, message, principal, gw);
  }
  noteSender(message, principal, gw);
  switch (decision.kind) {
    case 'notice':
      await reply(message, messagesFor(message).said(decision.said), gw);
      return 'answered';
    case 'bind':
      return bindAndStore(decision, facts, raw, gw);
    case 'open':
      return openAndStore(decision, facts, raw, gw);
    case 'use':
      return useAndStore(decision, facts, raw, gw);
    case 'store':
      if (decision.rebind)
        bind(decision.entry, message, gw).catch((error: unknown) =>
          gw.log.warn({ err: error }, 'a binding could not be written'),
        );
      return store(decision.entry, facts, raw, gw);
  }
}

function countInbound({ address }: InboundMessage, outcome: string, { features }: Gateway): void {
  features.metrics.count('viber_inbound_total', { channel: address.channel, outcome });
}

async function refuseTooMany(
  { tell }: Of<'limit'>,
  message: InboundMessage,
  principal: Principal,
  gw: Gateway,
): Promise<InboundOutcome> {
  if (message.interaction === undefined) noteRefused(message, principal, gw);
  countInbound(message, 'rate-limited', gw);
  if (tell === 'nothing') return 'refused';
  const text = messagesFor(message).text('failures.tooMany');
  if (tell === 'notice') await reply(message, text, gw);
  else replyOnce(message, text, gw);
  return 'answered';
}

/** Records the sender's language and time zone, where an owner can be asked, and how fast they write. */
function noteSender(message: InboundMessage, principal: Principal, gw: Gateway): void {
  const { address, isDirect, sender } = message;
  const { languages, zones, owners } = gw.people;
  languages.note(principal, isDirect ? address : undefined, sender.language);
  zones.learn(principal, sender.timezone);
  if (principal.role !== 'owner') noteTaken(message, principal, gw);
  else if (isDirect) owners.noteOwner(principal, address);
}

async function bindAndStore(
  { entry, begins, chooses = false }: Of<'bind'>,
  facts: Facts,
  raw: unknown,
  gw: Gateway,
): Promise<InboundOutcome> {
  const bound = bind(entry, facts.message, gw, chooses);
  if (!begins) await bound;
  const [outcome] = await Promise.all([store(entry, facts, raw, gw), bound]);
  return outcome;
}

/** Opens the task of the typed ID, if the person may see it, and stores the message there. */
async function openAndStore(
  { entry, id }: Of<'open'>,
  facts: Facts,
  raw: unknown,
  gw: Gateway,
): Promise<InboundOutcome> {
  const { message, principal } = facts;
  const { address, isDirect } = message;
  const view = { principal, viber: entry.viber, address, isDirect };
  const found = await findTask(gw.home, id, (task) => mayOpen(view, task));
  if (!found) return store(entry, facts, raw, gw);
  const moved: Entry = { ...entry, taskId: found.id, viber: found.viber, moves: true };
  // A person who continues a task gets its viber too, until they choose another.
  if (!message.opensThread) await bind(moved, message, gw, found.viber !== entry.viber);
  return store(moved, facts, raw, gw);
}

/** Chooses a viber and stores the message for it. The reply checks in the same way whether the person may. */
async function useAndStore(
  { entry, name }: Of<'use'>,
  facts: Facts,
  raw: unknown,
  gw: Gateway,
): Promise<InboundOutcome> {
  const { principal, message } = facts;
  const standing = { principal, address: message.address, isDirect: message.isDirect };
  const viber = name.trim().toLowerCase();
  if (!mayChoose(standing, viber, gw.places.vibers)) return store(entry, facts, raw, gw);
  const { taskId, bound } = chooseViber(standing, viber, gw.tasks.conversations, () => newTaskId(new Date()));
  await bound;
  return store({ ...entry, viber, taskId }, facts, raw, gw);
}

function bind(entry: Entry, message: InboundMessage, { tasks }: Gateway, chooses = false): Promise<void> {
  const { principal, taskId, viber } = entry;
  const { address, isDirect } = message;
  const isChosen = chooses || message.viber !== undefined;
  const place = bindingAt(principal, address, isDirect);
  return tasks.conversations.bind({ ...place, taskId, viber, ...(isChosen && { isChosen }) });
}

async function store(entry: Entry, facts: Facts, raw: unknown, gw: Gateway): Promise<InboundOutcome> {
  const { message } = entry;
  const lane = entry.command ? commandLane(message.address) : taskLane(entry.taskId);
  const stopped = gw.tasks.arrivals.stopping.over(lane);
  const outcome = await enqueue(lane, entry, raw, gw);
  if (outcome === 'full') {
    countInbound(message, 'queue-full', gw);
    await reply(message, messagesFor(message).text('failures.queueFull', { n: gw.config.limits.queue }), gw);
    return 'answered';
  }
  // Shows a pending message; its run may have created the record already.
  const beginsTask = !entry.command && entry.taskId === facts.newTaskId;
  if (outcome === 'accepted' && beginsTask) await gw.tasks.records.note(entry);
  if (entry.mode === 'steer') steer(lane, message, stopped, gw);
  // Any command either answers a pending short question, or makes it obsolete.
  if (entry.command && outcome === 'accepted') gw.tasks.expected.clear(message.address, principalText(entry.principal));
  countInbound(message, outcome, gw);
  const trace = traceOf(spoolKey(dedupeId(message)));
  gw.log.info({ trace, channel: message.address.channel, task: entry.taskId, kind: message.kind }, outcome);
  const isWords = message.interaction !== undefined && !entry.command;
  return outcome === 'accepted' && isWords ? 'begun' : outcome;
}

/** Records stops and edits first, and drops them if the entry isn't stored. */
async function enqueue(lane: string, entry: Entry, raw: unknown, gw: Gateway): Promise<EnqueueResult> {
  const { message } = entry;
  const id = dedupeId(message);
  const stopped = stoppedBy(entry);
  const forgetStop = stopped === undefined ? undefined : noteStop(stopped, spoolKey(id), gw);
  const forgetEdit = message.editOf === undefined ? undefined : noteEdit(message, message.editOf, gw);
  let isStored = false;
  try {
    const outcome = await gw.engine.queue.enqueue(lane, entry, {
      dedupeId: id,
      by: shareOf(entry),
      raw,
      maxDepth: gw.config.limits.queue,
      ...orderOf(message),
      ...(message.group !== undefined && { group: message.group, notBefore: Date.now() + GROUP_SETTLE_MS }),
    });
    isStored = outcome === 'accepted';
    return outcome;
  } finally {
    if (!isStored) {
      forgetStop?.();
      forgetEdit?.();
    }
  }
}

/** Later messages don't steer before the stop has taken effect. */
function noteStop(lane: string, id: string, { tasks }: Gateway): () => void {
  const { stopping } = tasks.arrivals;
  stopping.begin(lane, id);
  return () => stopping.end(lane, id);
}

/**
 * The next edit is compared with the words of this one: people who restore the first wording mean it. After a restart
 * the original words count.
 */
function noteEdit(message: InboundMessage, editOf: string, { tasks }: Gateway): () => void {
  const { edits } = tasks.arrivals;
  const key = spoolKey(dedupeId(message, editOf));
  const [before, words] = [edits.get(key), hashText(message.text)];
  edits.set(key, words);
  return () => {
    if (edits.get(key) !== words) return;
    if (before === undefined) edits.delete(key);
    else edits.set(key, before);
  };
}

/** Earlier stops take effect first; an album steers once it is complete. */
function steer(lane: string, message: InboundMessage, stopped: Promise<unknown> | undefined, gw: Gateway): void {
  const tell = async () => {
    try {
      await stopped;
      await gw.engine.queue.signal(lane, 'steer');
    } catch (error) {
      gw.log.warn({ err: error, lane }, 'nothing could be steered');
    }
  };
  if (message.group === undefined) void tell();
  else setTimeout(() => void tell(), GROUP_SETTLE_MS + 20).unref();
}

/** Somebody who got no refusal for this long has paused. */
const PAUSE_MS = 3_000;
const SHOWN = 80;

const senderKey = ({ address }: InboundMessage, principal: Principal) =>
  `${identityText(principal)} ${conversationKey(address)}`;

export function noteTaken(message: InboundMessage, principal: Principal, { tasks }: Gateway): void {
  const { writers } = tasks.arrivals;
  const key = senderKey(message, principal);
  const writer = writers.get(key) ?? { refused: 0 };
  writer.last = cutText(plainLine(message.text), SHOWN);
  writers.set(key, writer);
}

/**
 * Reports refused messages of somebody who writes too fast in one message once they pause, with the last accepted one.
 * The first refusal is reported at once and durably; this report may be lost.
 */
function noteRefused(message: InboundMessage, principal: Principal, gw: Gateway): void {
  const { writers } = gw.tasks.arrivals;
  const key = senderKey(message, principal);
  const writer = writers.get(key) ?? { refused: 0 };
  clearTimeout(writer.timer);
  writer.refused += 1;
  writer.timer = setTimeout(() => {
    const { refused: n, last } = writer;
    writer.refused = 0;
    // The first notice, which is a reply to it, reported this one.
    if (n < 2) return;
    const messages = messagesFor(message);
    const said = last
      ? messages.text('failures.tooFastAfter', { n, text: escapeMarkdown(last) })
      : messages.text('failures.tooFast', { n });
    replyOnce(message, said, gw);
  }, PAUSE_MS).unref();
  writers.set(key, writer);
}
