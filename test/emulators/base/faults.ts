/** What goes wrong on demand: faults of single calls, the whole platform being down, and limits on sending. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Listener } from './http.ts';

export interface PlannedFault {
  /** How many calls it affects; 1 by default. */
  times?: number;
  /** Lets this many matching calls through first. */
  skip?: number;
}

export interface Faults<F extends PlannedFault, Call extends unknown[]> {
  add(fault: F): void;
  clear(): void;
  /** Returns the fault for this call, and uses it up. */
  take(...call: Call): F | undefined;
  left(): number;
}

/** The first planned fault that fits a call is its fault. */
export function createFaults<F extends PlannedFault, Call extends unknown[]>(
  fits: (fault: F, ...call: Call) => boolean,
): Faults<F, Call> {
  let planned: { fault: F; left: number; skip: number }[] = [];
  return {
    add(fault) {
      planned.push({ fault, left: fault.times ?? 1, skip: fault.skip ?? 0 });
    },
    clear() {
      planned = [];
    },
    take(...call) {
      const entry = planned.find(({ fault }) => fits(fault, ...call));
      if (!entry) return undefined;
      if (entry.skip > 0) {
        entry.skip -= 1;
        return undefined;
      }
      entry.left -= 1;
      if (entry.left <= 0) planned = planned.filter((other) => other !== entry);
      return entry.fault;
    },
    left: () => planned.reduce((sum, entry) => sum + entry.left, 0),
  };
}

/**
 * The whole platform is down: `refuse` (nothing listens), `reset`, `hang`, or a status with which every call is
 * answered.
 */
export type Outage = 'refuse' | 'reset' | 'hang' | number;

export interface Downtime {
  now(): Outage | undefined;
  /** Returns true if the platform is down and this request has got what it gets then. */
  meets(request: IncomingMessage, response: ServerResponse): boolean;
  /** Begins an outage of these ports, or ends it. */
  set(kind: Outage | undefined, listeners: readonly Listener[]): Promise<void>;
}

/** `answer` writes the answer of a platform that answers everything with one status. */
export function createDowntime(answer: (response: ServerResponse, status: number) => void): Downtime {
  let outage: Outage | undefined;
  return {
    now: () => outage,
    meets(request, response) {
      if (outage === 'reset' || outage === 'refuse') request.socket.resetAndDestroy();
      else if (typeof outage === 'number') {
        request.resume();
        answer(response, outage);
      }
      return outage !== undefined;
    },
    async set(kind, listeners) {
      outage = kind;
      for (const each of listeners) {
        if (kind === 'refuse') each.down();
        else await each.up();
        if (kind === 'reset') each.breakAll();
      }
      // Clients in this process must notice that their idle connections break before they use them again.
      if (kind === 'refuse' || kind === 'reset') await sleep(10);
    },
  };
}

export interface RateCounts {
  /** Calls answered with 429. */
  violations: number;
  /** Those that arrived before an earlier `retry_after` had passed. */
  early: number;
}

/** A bucket of tokens that refills evenly. */
export interface Limit {
  name: string;
  perSecond: number;
  capacity: number;
}

export interface Limiter {
  /**
   * Takes `count` tokens from each bucket; if one lacks them, takes none and returns the whole seconds to wait, which
   * are counted by `key`.
   */
  take(key: string, limits: readonly Limit[], count?: number): number | undefined;
  counts(): RateCounts;
  /** Fills all buckets. */
  fill(): void;
  /** Fills all buckets and forgets what was counted. */
  reset(): void;
}

export function createLimiter(): Limiter {
  let counts: RateCounts = { violations: 0, early: 0 };
  const buckets = new Map<string, { tokens: number; at: number }>();
  const blockedUntil = new Map<string, number>();

  function fill(): void {
    buckets.clear();
    blockedUntil.clear();
  }

  return {
    fill,
    counts: () => ({ ...counts }),
    reset() {
      counts = { violations: 0, early: 0 };
      fill();
    },
    take(key, limits, count = 1) {
      const nowMs = Date.now();
      const asked = limits.map(({ name, perSecond, capacity }) => {
        const { tokens, at } = buckets.get(name) ?? { tokens: capacity, at: nowMs };
        const bucket = { tokens: Math.min(capacity, tokens + ((nowMs - at) / 1000) * perSecond), at: nowMs };
        buckets.set(name, bucket);
        // More than a bucket holds passes if the bucket is full.
        return { bucket, wait: Math.max(0, Math.min(count, capacity) - bucket.tokens) / perSecond };
      });
      const wait = Math.max(0, ...asked.map((each) => each.wait));
      if (wait === 0) {
        for (const { bucket } of asked) bucket.tokens -= count;
        return undefined;
      }
      const seconds = Math.max(1, Math.ceil(wait));
      counts.violations += 1;
      if ((blockedUntil.get(key) ?? 0) > nowMs) counts.early += 1;
      blockedUntil.set(key, nowMs + seconds * 1000);
      return seconds;
    },
  };
}
