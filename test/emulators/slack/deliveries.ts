/**
 * Deliveries that the app must acknowledge. An event that isn't acknowledged in time is sent again after each pause of
 * the schedule, and then lost; a command or press gets one try. A late acknowledgement ends the repetitions.
 */
import { EventEmitter } from 'node:events';
import { performance } from 'node:perf_hooks';
import type { Json } from './state.ts';
import type { Ack } from './types.ts';

export type Kind = 'events_api' | 'slash_commands' | 'interactive';

export interface Outcome {
  ok: boolean;
  status: number;
  body?: unknown;
  reason?: string;
  /** The app asked not to get this again. */
  noRetry?: boolean;
}

export interface Outgoing {
  kind: Kind;
  payload: Json;
  /** 0 for the first try. */
  attempt: number;
  reason: string | undefined;
  /** May be called several times; only the first decisive call counts. */
  settle(outcome: Outcome): void;
}

export interface Deliveries {
  /** Resolves when it is acknowledged or given up. */
  send(kind: Kind, payload: Json): Promise<Ack>;
  /** Holds back the next `count` events until all have occurred, and sends them in reverse. */
  reverseNext(count: number): void;
  /** From now on, sends every event twice, or once. */
  duplicate(isOn: boolean): void;
  /** Sends an earlier event again. Throws if it isn't known. */
  redeliver(eventId: string): void;
  counts(): Counts;
  /** Counts those that the app has and those that are sent soon, not those that wait for a later attempt. */
  underWay(): number;
  ackMs(): { events: number[]; interactions: number[] };
  /** Emits `settled` when nothing is pending. */
  changes: EventEmitter;
  reset(): void;
}

export interface Counts {
  events: number;
  commands: number;
  presses: number;
  acknowledged: number;
  redelivered: number;
  lost: number;
  pending: number;
}

interface Entry {
  kind: Kind;
  payload: Json;
  sent: number;
  over: boolean;
  /** Its next attempt is far off. */
  rests: boolean;
  timers: Set<NodeJS.Timeout>;
  done(ack: Ack): void;
}

const KEEP_EVENTS = 2000;
const REST_MS = 10_000;
const KEEP_LATENCIES = 100_000;

export function createDeliveries(
  transport: (outgoing: Outgoing) => void,
  options: { ackTimeoutMs: number; retryDelaysMs: number[] },
): Deliveries {
  const changes = new EventEmitter().setMaxListeners(0);
  const pending = new Set<Entry>();
  const known = new Map<string, Json>();
  let reversing = 0;
  let held: Entry[] = [];
  let isDoubling = false;
  let counts = { events: 0, commands: 0, presses: 0, acknowledged: 0, redelivered: 0, lost: 0 };
  let latencies: { events: number[]; interactions: number[] } = { events: [], interactions: [] };

  function later(entry: Entry, ms: number, act: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      entry.timers.delete(timer);
      act();
    }, ms);
    // An event that is unacknowledged when a test ends must not keep its process alive.
    timer.unref();
    entry.timers.add(timer);
    return timer;
  }

  function finish(entry: Entry, ack: Ack): void {
    entry.over = true;
    for (const timer of entry.timers) clearTimeout(timer);
    pending.delete(entry);
    if (ack.ok) counts.acknowledged += 1;
    else counts.lost += 1;
    entry.done(ack);
    if (pending.size === 0) changes.emit('settled');
  }

  function attempt(entry: Entry, reason?: string): void {
    const sentAt = performance.now();
    const number = entry.sent;
    entry.sent += 1;
    entry.rests = false;
    if (number > 0) counts.redelivered += 1;
    let hasFailed = false;
    const settle = (outcome: Outcome) => {
      if (entry.over) return;
      const latencyMs = performance.now() - sentAt;
      const { status, body } = outcome;
      if (outcome.ok) {
        const list = entry.kind === 'events_api' ? latencies.events : latencies.interactions;
        if (list.length < KEEP_LATENCIES) list.push(latencyMs);
        finish(entry, { ok: true, status, ...(body !== undefined && { body }), latencyMs });
        return;
      }
      if (hasFailed) return;
      hasFailed = true;
      clearTimeout(timeout);
      entry.timers.delete(timeout);
      const pause = options.retryDelaysMs[number];
      if (entry.kind !== 'events_api' || outcome.noRetry || pause === undefined) {
        finish(entry, { ok: false, status, ...(body !== undefined && { body }), latencyMs });
      } else {
        entry.rests = pause >= REST_MS;
        later(entry, pause, () => attempt(entry, outcome.reason));
      }
    };
    const timeout = later(entry, options.ackTimeoutMs, () => settle({ ok: false, status: 0, reason: 'timeout' }));
    const { kind, payload } = entry;
    transport({ kind, payload, attempt: number, reason: number > 0 ? (reason ?? 'timeout') : undefined, settle });
  }

  function enter(kind: Kind, payload: Json, sent: number): Promise<Ack> {
    return new Promise((done) => {
      const entry: Entry = { kind, payload, sent, over: false, rests: false, timers: new Set(), done };
      pending.add(entry);
      if (held.length >= reversing || kind !== 'events_api') return attempt(entry);
      held.push(entry);
      if (held.length < reversing) return;
      const all = held.reverse();
      held = [];
      reversing = 0;
      for (const each of all) attempt(each);
    });
  }

  return {
    changes,
    send(kind, payload) {
      if (kind === 'events_api') {
        counts.events += 1;
        if (typeof payload.event_id === 'string') known.set(payload.event_id, payload);
        const oldest = known.size > KEEP_EVENTS ? known.keys().next().value : undefined;
        if (oldest !== undefined) known.delete(oldest);
      } else if (kind === 'slash_commands') counts.commands += 1;
      else counts.presses += 1;
      const ack = enter(kind, payload, 0);
      if (isDoubling && kind === 'events_api') void enter(kind, payload, 1);
      return ack;
    },
    reverseNext(count) {
      reversing = count;
    },
    duplicate(isOn) {
      isDoubling = isOn;
    },
    redeliver(eventId) {
      const payload = known.get(eventId);
      if (!payload) throw new Error(`there is no event ${eventId}`);
      void enter('events_api', payload, 1);
    },
    counts: () => ({ ...counts, pending: pending.size }),
    underWay: () => [...pending].filter(({ rests }) => !rests).length,
    ackMs: () => ({ events: [...latencies.events], interactions: [...latencies.interactions] }),
    reset() {
      for (const entry of pending) {
        entry.over = true;
        for (const timer of entry.timers) clearTimeout(timer);
        entry.done({ ok: false, status: 0, latencyMs: 0 });
      }
      pending.clear();
      held = [];
      reversing = 0;
      isDoubling = false;
      known.clear();
      counts = { events: 0, commands: 0, presses: 0, acknowledged: 0, redelivered: 0, lost: 0 };
      latencies = { events: [], interactions: [] };
    },
  };
}
