/** What recordings cost that are paid by their length. Where no price is known none is guessed. */
import type { Usage } from '../../workspace/types.ts';

/** List prices of a minute in US dollars, November 2026. */
const PER_MINUTE: Readonly<Record<string, number>> = {
  'openai/whisper-1': 0.006,
  'openai/gpt-4o-transcribe': 0.006,
  'openai/gpt-4o-mini-transcribe': 0.003,
  'groq/whisper-large-v3-turbo': 0.04 / 60,
  'groq/whisper-large-v3': 0.111 / 60,
  'deepgram/nova-3': 0.0043,
};

/** Undefined for calls that are paid by the token, and for prices that are not known. */
export function minutePrice(
  { model, seconds }: { model: string; seconds?: number | undefined },
  { inputTokens, outputTokens }: Usage,
  currency: string,
): { cost: number; currency: string } | undefined {
  if (seconds === undefined || inputTokens + outputTokens > 0) return undefined;
  if (model.startsWith('command/')) return { cost: 0, currency };
  const price = currency === 'USD' && Object.hasOwn(PER_MINUTE, model) ? PER_MINUTE[model] : undefined;
  return price === undefined ? undefined : { cost: (seconds / 60) * price, currency };
}
