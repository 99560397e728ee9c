/**
 * Gives up events that can't be accepted, because of a damaged file of their task or a bug of ours. Invariant: an event
 * is durable in `dead` before it is acknowledged, and its sender is informed once.
 */
import type { InboundOutcome } from '../../channels/channel.ts';
import { spoolKey } from '../../engine/engine.ts';
import { errorMessage } from '../../errors.ts';
import { commandLane, dedupeId, traceOf } from '../contract/entry.ts';
import type { Gateway } from '../run/gateway.ts';
import { type Arrival, authorise } from './gather.ts';

/** Events per hour whose sender can't be authorised: strangers must not cost anything. */
const MAX_UNKNOWN = 20;
const HOUR_MS = 3_600_000;

/** Rejects if the event can't be stored. */
export async function giveUp({ message, raw, visit }: Arrival, error: unknown, gw: Gateway): Promise<InboundOutcome> {
  const { channel } = message.address;
  const id = dedupeId(message);
  const key = spoolKey(id);
  const reason = errorMessage(error);
  const about = { err: error, trace: traceOf(key), channel, kind: message.kind };
  const sender = senderOf({ message, raw, visit }, gw);
  gw.features.metrics.count('viber_inbound_total', { channel, outcome: 'failed' });
  if (sender === 'refused' || (sender === undefined && !mayKeepUnknown(gw))) {
    gw.log.error(about, 'could not handle an event of somebody without access');
    return 'refused';
  }
  const item = {
    id: key,
    dedupeId: id,
    lane: commandLane(message.address),
    seq: 0,
    attempts: 0,
    raw,
    message: { message, principal: sender },
    acceptedAt: new Date().toISOString(),
  };
  try {
    await gw.engine.queue.giveUp(item, `it could not be accepted: ${reason}`);
  } catch (cause) {
    gw.log.error(
      { ...about, cause: errorMessage(cause) },
      'an event that could not be accepted could not be stored either',
    );
    throw cause;
  }
  gw.log.error(about, 'an event could not be accepted and was given up; it is kept in spool/dead');
  if (sender === undefined) return 'refused';
  await gw.people.owners.tellNotTaken(message, key, reason);
  return 'answered';
}

/** A crash may have come between giving an event up and the notice. */
export async function tellGivenUp({ message }: Arrival, { engine, people }: Gateway): Promise<InboundOutcome> {
  const key = spoolKey(dedupeId(message));
  const reason = await engine.queue.reasonOf(key);
  if (reason === undefined) return 'duplicate';
  await people.owners.tellNotTaken(message, key, reason);
  return 'answered';
}

/** Returns undefined if the sender can't be determined. */
function senderOf({ message, visit }: Arrival, gw: Gateway) {
  try {
    const { principal, entry } = authorise(message, gw, visit.as);
    return entry.allow ? principal : 'refused';
  } catch (error) {
    gw.log.warn({ err: error }, 'could not determine who sent an event');
    return undefined;
  }
}

function mayKeepUnknown({ tasks }: Gateway): boolean {
  const { unknown } = tasks.arrivals;
  const now = Date.now();
  if (now - unknown.since > HOUR_MS) Object.assign(unknown, { since: now, count: 0 });
  return ++unknown.count <= MAX_UNKNOWN;
}
