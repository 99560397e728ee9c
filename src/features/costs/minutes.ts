/**
 * Computes the cost of recordings and spoken answers that are billed by their length. An unknown price is never
 * guessed; it is reported as unknown.
 */

import type { CallUsage } from '../../runtime/contract/call-usage.ts';
import type { Usage } from '../../workspace/types.ts';

/** List prices per minute in US dollars, November 2026. */
const PER_MINUTE: Readonly<Record<string, number>> = {
  'openai/whisper-1': 0.006,
  'openai/gpt-4o-transcribe': 0.006,
  'openai/gpt-4o-mini-transcribe': 0.003,
  'groq/whisper-large-v3-turbo': 0.04 / 60,
  'groq/whisper-large-v3': 0.111 / 60,
  'deepgram/nova-3': 0.0043,
  'openai/gpt-4o-mini-tts': 0.015,
};

export const hasMinutePrice = (model: string, currency: string): boolean =>
  currency === 'USD' && Object.hasOwn(PER_MINUTE, model);

/** Estimates how many tokens models count for sound. */
const TOKENS_PER_SECOND = 10;

/** Counts sound with an unknown price in tokens, so that it doesn't appear to be free. */
export const unpricedSound = (seconds: number): CallUsage => ({
  inputTokens: Math.ceil(seconds * TOKENS_PER_SECOND),
  outputTokens: 0,
  isEstimate: true,
  seconds,
});

/** Returns undefined for calls that are billed by the token, and for unknown prices. */
export function minutePrice(
  { model, seconds }: { model: string; seconds?: number | undefined },
  { inputTokens, outputTokens }: Usage,
  currency: string,
): { cost: number; currency: string } | undefined {
  if (seconds === undefined || inputTokens + outputTokens > 0) return undefined;
  if (model.startsWith('command/')) return { cost: 0, currency };
  const price = hasMinutePrice(model, currency) ? PER_MINUTE[model] : undefined;
  return price === undefined ? undefined : { cost: (seconds / 60) * price, currency };
}
