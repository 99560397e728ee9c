/**
 * Measures the age of a request. Its file holds the expiry by the wall clock at the time of the question; this process
 * counts elapsed time from when it first saw the request, so that setting the clock neither closes a question early nor
 * keeps it open.
 */
import { steadyNow } from '../../lib/clock.ts';
import type { ApprovalRequest } from '../contract/approval.ts';

export class RequestClock {
  /** Steady: setting the clock doesn't change it. */
  readonly now: () => number;
  readonly #wall: () => number;
  /** The difference, for each request, between wall clock and steady time when it was first seen, in ms. */
  readonly #ahead = new WeakMap<ApprovalRequest, number>();

  /** @param now replaces both clocks, in tests */
  constructor(now?: () => number) {
    this.now = now ?? steadyNow;
    this.#wall = now ?? Date.now;
  }

  /** Returns what the wall clock would say now if it hadn't been set since the request was first seen here. */
  of(request: ApprovalRequest): number {
    const ahead = this.#ahead.get(request) ?? this.#wall() - this.now();
    this.#ahead.set(request, ahead);
    return this.now() + ahead;
  }

  /** Returns the ms until the first request expires; Infinity if none does. */
  firstDue(requests: readonly ApprovalRequest[]): number {
    const left = requests.flatMap((request) =>
      request.decision || request.expiresAt === undefined ? [] : Date.parse(request.expiresAt) - this.of(request),
    );
    return Math.min(Number.POSITIVE_INFINITY, ...left);
  }
}
