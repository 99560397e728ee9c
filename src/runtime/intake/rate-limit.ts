/** More messages of one person in a minute than are taken: told once, and nothing of it is kept. */
import type { RateLimiter } from '../../access/limits.ts';
import { type Principal, principalText } from '../../access/principal.ts';
import type { InboundMessage, InboundOutcome } from '../../channels/channel.ts';
import type { Metrics } from '../../metrics.ts';

export interface TooMuchOptions {
  limiter: RateLimiter;
  metrics: Metrics;
  sendOnce: (message: InboundMessage, text: string) => void;
}

const TEXT = 'That was too many messages in a minute; I did not take the last one. Wait a moment and send it again.';

/** Undefined where the message is taken. @param notice tells it so that it arrives */
export async function refuseTooMuch(
  message: InboundMessage,
  principal: Principal,
  { limiter, metrics, sendOnce }: TooMuchOptions,
  notice: (message: InboundMessage, text: string) => Promise<void>,
): Promise<InboundOutcome | undefined> {
  const { sentAt, group, interaction, address } = message;
  const rate = limiter.take(principalText(principal), Math.min(sentAt, Date.now()), group);
  if (rate.ok) return undefined;
  metrics.count('viber_inbound_total', { channel: address.channel, outcome: 'rate-limited' });
  if (rate.first) await notice(message, TEXT);
  // The platform shows an answer to each of these, and without one of ours it would be a wrong one.
  else if (interaction !== undefined) sendOnce(message, TEXT);
  else return 'refused';
  return 'answered';
}
