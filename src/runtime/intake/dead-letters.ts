/**
 * Events that cannot be taken in, whatever is wrong with them: a damaged file of their task, a fault of ours. Invariants: what is
 * returned rejects for an error of storing alone, so that one event never holds up the others of its platform; an event is
 * tried three times and then durable in `dead` before it is acknowledged; a conversation keeps its order meanwhile.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { conversationKey, type InboundMessage, type InboundOutcome } from '../../channels/channel.ts';
import { type Queue, spoolKey } from '../../engine/engine.ts';
import { errorMessage, isStorageFailure } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { commandLane, dedupeId, traceOf, type Visit } from '../contract/entry.ts';
import type { Intake } from '../gateway.ts';

export interface DeadLetterOptions {
  queue: Pick<Queue<unknown>, 'giveUp' | 'reasonOf'>;
  /** The message is kept in `dead`: its sender and the owners should hear of it. The same key again has no effect. */
  tell: (message: InboundMessage, key: string, reason: string) => Promise<void>;
  metrics: Metrics;
  log: Logger;
}

/** Before the second and the third try. */
const PAUSES_MS = [50, 200];
/** Events of which nobody can say whether their sender is let in are kept up to so many an hour: strangers cost nothing. */
const MAX_UNKNOWN = 20;
const HOUR_MS = 3_600_000;

export function withDeadLetters(gateway: Intake, options: DeadLetterOptions): Intake {
  const letters = new DeadLetters(gateway, options);
  return { ...gateway, accept: (message, raw, visit) => letters.accept(message, raw, visit) };
}

class DeadLetters {
  readonly #gateway: Pick<Intake, 'accept'>;
  readonly #options: DeadLetterOptions;
  /** By conversation, the end of what is tried again there: what follows waits for it. */
  readonly #retrying = new Map<string, Promise<unknown>>();
  readonly #unknown = { since: 0, count: 0 };

  constructor(gateway: Pick<Intake, 'accept'>, options: DeadLetterOptions) {
    this.#gateway = gateway;
    this.#options = options;
  }

  async accept(message: InboundMessage, raw: unknown, visit: Visit = {}): Promise<InboundOutcome> {
    if (this.#retrying.has(conversationKey(message.address))) return this.#again(message, raw, visit);
    try {
      return await this.#taken(message, raw, visit);
    } catch (err) {
      if (isStorageFailure(err)) throw err;
      const { channel } = message.address;
      this.#options.log.warn({ err, channel }, 'an event could not be taken in; it is tried again');
      return this.#again(message, raw, visit, err);
    }
  }

  async #taken(message: InboundMessage, raw: unknown, visit: Visit): Promise<InboundOutcome> {
    const outcome = await this.#gateway.accept(message, raw, visit);
    if (outcome !== 'duplicate') return outcome;
    // A crash may have come between giving it up and saying so.
    const key = spoolKey(dedupeId(message));
    const reason = await this.#options.queue.reasonOf(key);
    if (reason === undefined) return outcome;
    await this.#options.tell(message, key, reason);
    return 'answered';
  }

  /** Tried again after others of its conversation. */
  #again(message: InboundMessage, raw: unknown, visit: Visit, cause?: unknown): Promise<InboundOutcome> {
    const place = conversationKey(message.address);
    const done = this.#work(message, raw, visit, { cause, before: this.#retrying.get(place) });
    const end = done.then(
      () => undefined,
      () => undefined,
    );
    this.#retrying.set(place, end);
    void end.then(() => this.#retrying.get(place) === end && this.#retrying.delete(place));
    return done;
  }

  /** Pauses only where there was no trouble just before. */
  async #work(
    message: InboundMessage,
    raw: unknown,
    visit: Visit,
    { cause, before }: { cause: unknown; before: Promise<unknown> | undefined },
  ): Promise<InboundOutcome> {
    await before;
    let failed = cause;
    for (let tries = cause === undefined ? 0 : 1; tries < 3; tries++) {
      if (tries > 0 && !before) await pause(PAUSES_MS[tries - 1]);
      try {
        return await this.#taken(message, raw, visit);
      } catch (error) {
        if (isStorageFailure(error)) throw error;
        failed = error;
      }
    }
    return this.#giveUp(message, raw, visit, failed);
  }

  async #giveUp(message: InboundMessage, raw: unknown, visit: Visit, error: unknown): Promise<InboundOutcome> {
    const { queue, tell, metrics, log } = this.#options;
    const { channel } = message.address;
    const key = spoolKey(dedupeId(message));
    const reason = errorMessage(error);
    const about = { err: error, trace: traceOf(key), channel, kind: message.kind };
    metrics.count('viber_inbound_total', { channel, outcome: 'failed' });
    if (visit.sender === 'refused' || (visit.sender === undefined && !this.#mayKeepUnknown())) {
      log.error(about, 'an event of somebody who is not let in could not be dealt with');
      return 'refused';
    }
    const item = {
      ...{ id: key, dedupeId: dedupeId(message), lane: commandLane(message.address), seq: 0, attempts: 0, raw },
      ...{ message: { message, principal: visit.sender }, acceptedAt: new Date().toISOString() },
    };
    try {
      await queue.giveUp(item, `it could not be taken in: ${reason}`);
    } catch (cause) {
      log.error({ ...about, cause: errorMessage(cause) }, 'an event that cannot be taken in could not be kept either');
      throw cause;
    }
    log.error(about, 'an event could not be taken in and was given up; it is kept in spool/dead');
    if (visit.sender === undefined) return 'refused';
    await tell(message, key, reason);
    return 'answered';
  }

  #mayKeepUnknown(): boolean {
    const now = Date.now();
    if (now - this.#unknown.since > HOUR_MS) Object.assign(this.#unknown, { since: now, count: 0 });
    return ++this.#unknown.count <= MAX_UNKNOWN;
  }
}
