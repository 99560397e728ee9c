/**
 * Shows live progress on Discord: the shared status message at Discord's pace.
 * https://discord.com/developers/docs/resources/channel#trigger-typing-indicator
 */
import type { Logger } from '../../../log.ts';
import type { LiveMode } from '../../channel.ts';
import { createStatus, type Live, type StatusTiming } from '../../shared/status.ts';
import type { DiscordApi } from '../connect/api.ts';
import { channelOf } from '../send/send.ts';
import { createLiveCalls } from './calls.ts';

export interface LiveTiming extends StatusTiming {
  /** The gap between calls in one channel. Discord accepts five in five seconds there, answers included. */
  gap: number;
}

export const LIVE_TIMING: LiveTiming = {
  typingAfter: 400,
  typingEvery: 8000,
  statusAfter: 3000,
  statusEvery: 3000,
  textEvery: 1500,
  gap: 2500,
  longRun: 30_000,
  late: 1500,
};

const MAX_TEXT = 1900;

export function createLive(options: { api: DiscordApi; mode: LiveMode; log: Logger; timing?: LiveTiming }): Live {
  const { mode, timing = LIVE_TIMING } = options;
  return createStatus({
    calls: createLiveCalls(options),
    mode,
    timing,
    maxText: MAX_TEXT,
    pace: (address) => ({ key: channelOf({ address }), gapMs: timing.gap }),
  });
}
