/**
 * The entry point for every event of every channel: gathers its facts, decides what happens, and does it durably before
 * the platform gets an acknowledgement. Nothing here waits for a model. An event that can't be accepted is tried three
 * times and then kept in `dead`, so that it never blocks the others of its platform.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Principal } from '../../access/principal.ts';
import { conversationKey, type InboundMessage, type InboundOutcome } from '../../channels/channel.ts';
import { spoolKey } from '../../engine/engine.ts';
import { isStorageFailure } from '../../errors.ts';
import type { Span } from '../../telemetry/tracing.ts';
import { dedupeId, traceOf, type Visit } from '../contract/entry.ts';
import { bindingKey } from '../conversations/conversations.ts';
import type { Gateway } from '../run/gateway.ts';
import { act } from './act.ts';
import { giveUp, tellGivenUp } from './dead-letters.ts';
import { decide } from './decide.ts';
import { type Arrival, authorise, type Entering, gather } from './gather.ts';

/** Before the second and the third try. */
const PAUSES_MS = [50, 200];
/** An event that fails this soon after another of its conversation is retried without pauses. */
const TROUBLE_MS = 1_000;

/**
 * Resolves when the event is durable, refused or a duplicate. Rejects only if storing fails: the platform then sends it
 * again. `visit` receives what this finds out about the sender.
 */
export async function accept(
  message: InboundMessage,
  raw: unknown,
  gw: Gateway,
  visit: Visit = {},
): Promise<InboundOutcome> {
  const arrival = { message, raw, visit };
  const since = performance.now();
  const span = traceAccept(message, gw);
  const taken = await acceptInTurn(arrival, gw).catch((error: unknown) => tryAgain(error, arrival, gw));
  const outcome = taken === 'duplicate' ? await tellGivenUp(arrival, gw) : taken;
  if (outcome === 'accepted' || outcome === 'begun') {
    const { channel } = message.address;
    gw.features.metrics.observe('viber_acknowledge_seconds', { channel }, (performance.now() - since) / 1000);
    span?.end();
  }
  return outcome;
}

/** Waits for events that came before it in its conversation. */
async function acceptInTurn(arrival: Arrival, gw: Gateway): Promise<InboundOutcome> {
  const entering = authorise(arrival.message, gw, arrival.visit.as);
  const isConcealed = gw.features.on.some(({ conceals }) => conceals?.pattern.test(saidIn(arrival.message)));
  if (isConcealed && entering.entry.allow) await conceal(arrival, gw);
  const { leave, hasWaited } = await gw.tasks.arrivals.turns.take(placesOf(arrival.message, entering.principal));
  try {
    // What came before may have changed who the sender is.
    return await acceptNow(arrival, gw, leave, hasWaited ? undefined : entering);
  } finally {
    leave();
  }
}

/** What the person said in the message, which a feature may want to conceal. */
const saidIn = ({ text, command }: InboundMessage): string => (command ? `${text} ${command.args}` : text);

/** Replaces a message that must not be stored with a command. Removes the text from the arrival before any waiting. */
async function conceal(arrival: Arrival, gw: Gateway): Promise<void> {
  const said = saidIn(arrival.message);
  for (const { conceals } of gw.features.on) {
    if (!conceals?.pattern.test(said)) continue;
    const { editOf: _edit, ...message } = arrival.message;
    const shown = { ...message, kind: 'command' as const, text: '', facts: [], quotes: [], files: [] };
    arrival.message = { ...shown, command: { name: conceals.command, args: '' } };
    arrival.raw = {};
    arrival.message = { ...shown, command: { name: conceals.command, args: await conceals.keep(said, gw) } };
  }
}

/** @param onBegun called when the next events of its conversation may be processed */
async function acceptNow(
  arrival: Arrival,
  gw: Gateway,
  onBegun?: () => void,
  entering?: Entering,
): Promise<InboundOutcome> {
  const facts = await gather(arrival, gw, entering);
  const decision = decide(facts, gw.features.commands);
  if (decision.kind === 'bind' && decision.begins && gw.config.engine.kind !== 'local')
    return acceptAlone(arrival, facts.key, gw);
  const acting = act(decision, facts, arrival.raw, gw);
  // The next event is decided once the conversation is bound to its new task.
  if (!['bind', 'open', 'use'].includes(decision.kind)) onBegun?.();
  return acting;
}

/** Only one process begins something in a conversation; the others then find it bound. */
function acceptAlone(arrival: Arrival, key: string, gw: Gateway): Promise<InboundOutcome> {
  return gw.engine.lock(`begin ${key}`, async () => {
    const facts = await gather(arrival, gw);
    return act(decide(facts, gw.features.commands), facts, arrival.raw, gw);
  });
}

/** Returns where a message counts as sent: a press counts at its message too. */
function placesOf({ address, below, isDirect }: InboundMessage, principal: Principal): Set<string> {
  const places = [address, ...(below ? [below.address] : [])];
  return new Set([conversationKey(address), ...places.map((place) => bindingKey(principal, place, isDirect))]);
}

/** The other events of its conversation wait, so that they keep their order. */
async function tryAgain(cause: unknown, arrival: Arrival, gw: Gateway): Promise<InboundOutcome> {
  if (isStorageFailure(cause)) throw cause;
  const { address } = arrival.message;
  const { turns, troubles } = gw.tasks.arrivals;
  const key = conversationKey(address);
  gw.log.warn({ err: cause, channel: address.channel }, 'could not accept an event; trying again');
  const { leave } = await turns.take(new Set([key]));
  let failed = cause;
  try {
    const isFollowing = Date.now() - (troubles.get(key) ?? 0) < TROUBLE_MS;
    for (const ms of PAUSES_MS) {
      if (!isFollowing) await pause(ms);
      try {
        return await acceptNow(arrival, gw);
      } catch (error) {
        if (isStorageFailure(error)) throw error;
        failed = error;
      }
    }
    return await giveUp(arrival, failed, gw);
  } finally {
    troubles.set(key, Date.now());
    leave();
  }
}

/** Begins the span of a message. If the message isn't accepted, the span never ends, and so is never reported. */
function traceAccept(message: InboundMessage, { features: { tracing } }: Gateway): Span | undefined {
  const trace = spoolKey(dedupeId(message));
  const { address, kind, files } = message;
  const attributes = {
    'viber.trace': traceOf(trace),
    'viber.channel': address.channel,
    'viber.event': kind,
    'viber.files': files.length,
  };
  return tracing?.root(trace, 'accept', { kind: 'consumer', attributes });
}
