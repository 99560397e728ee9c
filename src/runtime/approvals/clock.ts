/**
 * Measures the age of a request. Its file has the expiry by the wall clock; from the time it first saw the request this
 * process counts elapsed time, so that setting the clock neither closes a question early nor keeps it open.
 */
import { steadyNow } from '../../lib/clock.ts';
import type { ApprovalRequest } from '../contract/approval.ts';

export class RequestClock {
  readonly now: () => number;
  readonly #wall: () => number;
  /** The wall clock's lead over steady time when a request was first seen, in ms. */
  readonly #ahead = new WeakMap<ApprovalRequest, number>();

  /** @param now replaces both clocks, in tests */
  constructor(now?: () => number) {
    this.now = now ?? steadyNow;
    this.#wall = now ?? Date.now;
  }

  of(request: ApprovalRequest): number {
    const ahead = this.#ahead.get(request) ?? this.#wall() - this.now();
    this.#ahead.set(request, ahead);
    return this.now() + ahead;
  }

  /** Returns how long until the first request expires, in ms; Infinity if none does. */
  firstDue(requests: readonly ApprovalRequest[]): number {
    const left = requests.flatMap((request) =>
      request.decision || request.expiresAt === undefined ? [] : Date.parse(request.expiresAt) - this.of(request),
    );
    return Math.min(Number.POSITIVE_INFINITY, ...left);
  }
}
