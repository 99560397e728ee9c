/** Shows live progress on Slack: the shared status message at Slack's pace, streamed where Slack can. */
import type { LiveMode } from '../../channel.ts';
import { createStatus, type Live, type StatusTiming } from '../../shared/status.ts';
import { LiveCalls, type LiveCallsOptions } from './calls.ts';

/** Times in milliseconds. */
export interface LiveTiming extends StatusTiming {
  /** The gap between calls in one channel. Slack accepts one message per second there, answers included. */
  gap: number;
}

export const LIVE_TIMING: LiveTiming = {
  typingAfter: 300,
  typingEvery: 60_000,
  statusAfter: 3000,
  statusEvery: 3000,
  textEvery: 1500,
  gap: 2000,
  longRun: 30_000,
  late: 1500,
};

const MAX_TEXT = 12_000;

export interface LiveOptions extends LiveCallsOptions {
  mode: LiveMode;
  timing?: LiveTiming;
}

export function createLive(options: LiveOptions): Live {
  const { mode, timing = LIVE_TIMING } = options;
  return createStatus({
    calls: new LiveCalls(options),
    mode,
    timing,
    maxText: MAX_TEXT,
    pace: ({ chat }) => ({ key: chat, gapMs: timing.gap }),
  });
}
