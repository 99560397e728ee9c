/**
 * Does what was decided for an event; the only place of the gateway that writes. Invariants: what it resolves to is durable; a
 * conversation that has a task is bound to another before what begins that is stored. One that has none is bound meanwhile: after a
 * crash in between a start binds it by what is stored (`bindLeft`), so that there are never two tasks to it.
 */
import type { Ownership } from '../../access/pairing.ts';
import { identityText, principalText } from '../../access/principal.ts';
import type { InboundMessage, InboundOutcome } from '../../channels/channel.ts';
import { type Queue, spoolKey } from '../../engine/engine.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { type Messages, messagesFor, type Text } from '../../messages/messages.ts';
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
import { bindingAt, follow } from '../conversations/conversations.ts';
import { choose, mayChoose } from '../conversations/vibers.ts';
import type { Action } from './decide.ts';
import type { Gathered, IntakeState } from './gather.ts';
import type { IntakeServices } from './services.ts';

type Enqueued = Awaited<ReturnType<Queue<Entry>['enqueue']>>;

/** How long an album's parts may be apart. */
const GROUP_SETTLE_MS = 600;

type Who = Pick<Gathered, 'message' | 'messages' | 'principal' | 'key' | 'newTaskId'>;
type TurnedAway = Extract<Action, { kind: 'refuse' | 'pair' | 'redeem' }>;

export async function act(
  action: Action,
  who: Who,
  raw: unknown,
  services: IntakeServices,
  state: IntakeState,
): Promise<InboundOutcome> {
  const { message, messages, principal, key } = who;
  const { access, replies, gw } = services;
  const { log, people, places } = gw;
  const { conversations } = gw.tasks;
  const isTaken = ['notice', 'bind', 'open', 'use', 'store'].includes(action.kind);
  if (isTaken)
    people.languages.note(principal, message.isDirect ? message.address : undefined, message.sender.language);
  if (isTaken) people.zones.learn(principal, message.sender.timezone);
  if (isTaken && principal.role === 'owner' && message.isDirect) access.onOwner(principal, message.address);
  // The limit is not the owners'.
  if (isTaken && principal.role !== 'owner') state.tooFast.took(message, principal);
  if ('begins' in action && action.begins) state.beginners.set(action.entry.taskId, identityText(principal));
  switch (action.kind) {
    case 'refuse':
    case 'pair':
    case 'redeem':
      return turnAway(action, who, services);
    case 'ignore':
      return action.outcome;
    case 'duplicate':
      count(message, 'duplicate', services);
      return 'duplicate';
    case 'moved':
      await follow(conversations, message, log);
      return 'accepted';
    case 'limit':
      if (message.interaction === undefined) state.tooFast.refused(message, principal, messages, replies);
      return limit(action.tell, who, services);
    case 'notice':
      await replies.notice(message, messages.said(action.said));
      return 'answered';
    case 'bind':
      return state.changes.run(key, async () => {
        const bound = bind(who, action.entry, services, action.chooses);
        if (!action.begins) await bound;
        const [outcome] = await Promise.all([store(action.entry, raw, services, begins(action.entry, who)), bound]);
        return outcome;
      });
    case 'open':
      return state.changes.run(key, async () => {
        const { viber: here } = action.entry;
        const found = await services.lookups.findTask(action.id, message, { principal, viber: here });
        if (!found) return store(action.entry, raw, services, begins(action.entry, who));
        const entry: Entry = { ...action.entry, taskId: found.id, viber: found.viber, moves: true };
        // Whoever goes on with a task has its viber as well, until they choose another.
        if (!message.opensThread) await bind(who, entry, services, found.viber !== here);
        return store(entry, raw, services, false);
      });
    case 'use':
      return state.changes.run(key, async () => {
        const { entry, name } = action;
        const standing = { principal, address: message.address, isDirect: message.isDirect };
        const viber = name.trim().toLowerCase();
        // What the answer says is found out in the same way.
        if (!mayChoose(standing, viber, places.vibers)) return store(entry, raw, services, false);
        const { taskId, bound } = choose(standing, viber, conversations, () => newTaskId(new Date()));
        await bound;
        return store({ ...entry, viber, taskId }, raw, services, false);
      });
    case 'store':
      if (action.rebind)
        bind(who, action.entry, services).catch((error: unknown) =>
          log.warn({ err: error }, 'a binding could not be written'),
        );
      return store(action.entry, raw, services, begins(action.entry, who));
  }
}

function count({ address }: InboundMessage, outcome: string, { gw }: IntakeServices): void {
  gw.features.metrics.count('viber_inbound_total', { channel: address.channel, outcome });
}

/** Tells a stranger what there is to tell, if anything. */
async function turnAway(
  action: TurnedAway,
  { message, messages, principal }: Who,
  services: IntakeServices,
): Promise<InboundOutcome> {
  const { access, replies, gw } = services;
  const { reason } = action;
  count(message, reason, services);
  gw.log.debug({ channel: message.address.channel, reason }, 'event refused');
  if (action.kind === 'redeem') {
    const answer = await access.redeem(action.code, principal);
    if (answer !== undefined) {
      replies.sendOnce(message, messages.said(answer));
      return 'answered';
    }
  }
  const pairs = action.kind === 'pair' || (action.kind === 'redeem' && action.pairs);
  const code = pairs ? access.pair(principal, message) : undefined;
  if (code === undefined) return 'refused';
  replies.sendOnce(message, firstWords(messages, code, access.ownership()));
  access.onPairing(code, principal);
  return 'answered';
}

/** How to be let in, by a command that works where this process was started while nobody is here to ask. */
function firstWords(messages: Messages, code: string, ownership: Ownership): Text {
  if (ownership === 'somebody') return messages.text('contact.stranger', { code });
  if (ownership === 'nobody')
    return messages.text('contact.nobodys', { command: viberCommand(`pair approve ${code}`) });
  return messages.text('contact.lost', { command: viberCommand(`pair approve ${code} owner`) });
}

async function limit(
  tell: Extract<Action, { kind: 'limit' }>['tell'],
  { message, messages }: Who,
  services: IntakeServices,
): Promise<InboundOutcome> {
  count(message, 'rate-limited', services);
  if (tell === 'nothing') return 'refused';
  if (tell === 'notice') await services.replies.notice(message, messages.text('failures.tooMany'));
  else services.replies.sendOnce(message, messages.text('failures.tooMany'));
  return 'answered';
}

/** Binds the conversation to the entry's task; in force at once. */
function bind(
  { message, principal }: Who,
  { taskId, viber }: Entry,
  { gw }: IntakeServices,
  chooses = false,
): Promise<void> {
  const { address, isDirect } = message;
  const isChosen = chooses || message.viber !== undefined;
  const place = bindingAt(principal, address, isDirect);
  return gw.tasks.conversations.bind({ ...place, taskId, viber, ...(isChosen && { isChosen }) });
}

/** Whether it is the first message of a task. */
const begins = (entry: Entry, { newTaskId }: Who): boolean => !entry.command && entry.taskId === newTaskId;

async function store(entry: Entry, raw: unknown, services: IntakeServices, isFirst: boolean): Promise<InboundOutcome> {
  const { replies, gw } = services;
  const { config, engine, tasks, log } = gw;
  const { queue } = engine;
  const { message } = entry;
  const lane = entry.command ? commandLane(message.address) : taskLane(entry.taskId);
  const group = message.group === undefined ? {} : { group: message.group, notBefore: Date.now() + GROUP_SETTLE_MS };
  const id = dedupeId(message);
  const order = orderOf(message);
  const about = { dedupeId: id, by: shareOf(entry), raw, maxDepth: config.limits.queue, ...order, ...group };
  const held = services.stopping.over(lane);
  const outcome = await noted(entry, spoolKey(id), services, () => queue.enqueue(lane, entry, about));
  // What waits is seen; its run may have begun the record already.
  if (outcome === 'accepted' && isFirst) await tasks.records.note(entry);
  if (outcome === 'full') {
    count(message, 'queue-full', services);
    await replies.notice(message, messagesFor(message).text('failures.queueFull', { n: config.limits.queue }));
    return 'answered';
  }
  const steer = async () => {
    if (held) await held;
    await queue.signal(lane, 'steer');
  };
  const steerSoon = () =>
    void steer().catch((error: unknown) => log.warn({ err: error, lane }, 'nothing could be steered'));
  // An album steers once it is whole.
  if (entry.mode === 'steer' && message.group !== undefined) setTimeout(steerSoon, GROUP_SETTLE_MS + 20).unref();
  else if (entry.mode === 'steer') steerSoon();
  // Whatever they do next, a short question of before is answered by it, or not to be answered any more.
  if (entry.command && outcome === 'accepted') tasks.expected.clear(message.address, principalText(entry.principal));
  count(message, outcome, services);
  const trace = traceOf(spoolKey(id));
  log.info({ trace, channel: message.address.channel, task: entry.taskId, kind: message.kind }, outcome);
  const isWords = message.interaction !== undefined && !entry.command;
  return outcome === 'accepted' && isWords ? 'begun' : outcome;
}

/** A stop is known from before it is stored until it is carried out, so that nothing that comes after it steers before that. */
async function noted(
  entry: Entry,
  id: string,
  { stopping }: Pick<IntakeServices, 'stopping'>,
  enqueue: () => Promise<Enqueued>,
): Promise<Enqueued> {
  const stopped = stoppedBy(entry);
  if (stopped === undefined) return enqueue();
  stopping.begin(stopped, id);
  let isStored = false;
  try {
    const outcome = await enqueue();
    isStored = outcome === 'accepted';
    return outcome;
  } finally {
    if (!isStored) stopping.end(stopped, id);
  }
}
