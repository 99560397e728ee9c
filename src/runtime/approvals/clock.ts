/**
 * The time of a request. Its file says the end by the clock as it was when it was asked; how much of it has gone by is counted from
 * when this process first saw it, so that a clock that is set while somebody thinks neither closes a question nor keeps it open.
 */
import { steadyNow } from '../../lib/steady.ts';
import type { ApprovalRequest } from '../contract/approval.ts';

export class RequestClock {
  /** Steady: a clock that is set does not change it. */
  readonly now: () => number;
  readonly #wall: () => number;
  /** By request, what the clock was ahead of the steady time when it was first seen. */
  readonly #ahead = new WeakMap<ApprovalRequest, number>();

  /** @param now both, in tests */
  constructor(now?: () => number) {
    this.now = now ?? steadyNow;
    this.#wall = now ?? Date.now;
  }

  /** What the clock would say now, had it not been set since the request was first seen here. */
  of(request: ApprovalRequest): number {
    const ahead = this.#ahead.get(request) ?? this.#wall() - this.now();
    this.#ahead.set(request, ahead);
    return this.now() + ahead;
  }

  /** Milliseconds until the time of the first is up; Infinity: of none. */
  firstDue(requests: readonly ApprovalRequest[]): number {
    const left = requests.flatMap((request) =>
      request.decision || request.expiresAt === undefined ? [] : Date.parse(request.expiresAt) - this.of(request),
    );
    return Math.min(Number.POSITIVE_INFINITY, ...left);
  }
}
