/** Why a turn is ended from outside: `stop` for good, `steer` for a newer message, `shutdown` until the next start. */

export type AbortReason = 'stop' | 'steer' | 'shutdown';

export class RunAbort extends Error {
  override name = 'RunAbort';
  readonly reason: AbortReason;
  constructor(reason: AbortReason) {
    super(reason);
    this.reason = reason;
  }
}

/** Undefined while nothing of ours has aborted it. */
export const reasonOf = (signal: AbortSignal): AbortReason | undefined =>
  signal.reason instanceof RunAbort ? signal.reason.reason : undefined;
