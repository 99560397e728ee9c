/**
 * Shows live progress on Telegram: the shared status message at Telegram's pace.
 * https://core.telegram.org/bots/api#sendchataction, #editmessagetext
 */
import type { Logger } from '../../../log.ts';
import type { Address, LiveMode } from '../../channel.ts';
import type { Live } from '../../shared/live-runs.ts';
import { createStatus, type StatusTiming } from '../../shared/status.ts';
import type { TelegramApi } from '../connect/api.ts';
import { LiveCalls } from './calls.ts';

/** Times in milliseconds. */
export interface LiveTiming extends StatusTiming {
  /**
   * The gap between calls in one chat. Telegram accepts one message per second there, 20 per minute in a group, answers
   * included.
   */
  chatGap: number;
  groupGap: number;
}

export const LIVE_TIMING: LiveTiming = {
  typingAfter: 400,
  typingEvery: 5000,
  statusAfter: 3000,
  statusEvery: 3000,
  textEvery: 1500,
  chatGap: 2000,
  groupGap: 6000,
  longRun: 30_000,
  late: 1500,
};

const MAX_TEXT = 4000;
const isGroup = ({ chat }: Address): boolean => chat.startsWith('-');

export function createLive(options: { api: TelegramApi; mode: LiveMode; log: Logger; timing?: LiveTiming }): Live {
  const { mode, timing = LIVE_TIMING } = options;
  return createStatus({
    calls: new LiveCalls(options),
    mode,
    timing,
    maxText: MAX_TEXT,
    // Everybody in a group would read along with a draft.
    maySeeText: (address) => !isGroup(address),
    // The topics of a chat share its limits.
    pace: (address) => ({ key: address.chat, gapMs: isGroup(address) ? timing.groupGap : timing.chatGap }),
  });
}
