/**
 * Why a running turn is aborted: `stop` ends it for good, `steer` makes room for a newer message, `shutdown` pauses it
 * until the next start.
 */

export type AbortReason = 'stop' | 'steer' | 'shutdown';

export class RunAbort extends Error {
  override name = 'RunAbort';
  readonly reason: AbortReason;
  constructor(reason: AbortReason) {
    super(reason);
    this.reason = reason;
  }
}

export const abortReason = (signal: AbortSignal): AbortReason | undefined =>
  signal.reason instanceof RunAbort ? signal.reason.reason : undefined;
