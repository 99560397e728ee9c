/**
 * Computes the cost of recordings and spoken answers that are billed by their length. An unknown price is never guessed
 * but reported as unknown.
 */

import type { Usage } from '../../workspace/types.ts';
import type { CallUsage } from '../contract/call-usage.ts';

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

/** About what models count for sound. */
const TOKENS_PER_SECOND = 10;
const CHARACTERS_PER_TOKEN = 4;
const OGG_PAGE = Buffer.from('OggS');
const OPUS_RATE = 48_000;

/** Counts sound of unknown price in tokens, so that it doesn't appear to be free. */
export const unpricedSound = (seconds: number): CallUsage => ({
  inputTokens: Math.ceil(seconds * TOKENS_PER_SECOND),
  outputTokens: 0,
  isEstimate: true,
  seconds,
});

/** Returns the usage of a spoken text: its length if the sound tells it, else an estimate from the words. */
export function spokenUsage(words: string, sound: Uint8Array): CallUsage {
  const seconds = oggSeconds(sound);
  if (seconds !== undefined) return { inputTokens: 0, outputTokens: 0, seconds };
  return { inputTokens: Math.ceil(words.length / CHARACTERS_PER_TOKEN), outputTokens: 0, isEstimate: true };
}

/** Returns the length of Opus in Ogg from its last page: https://www.rfc-editor.org/rfc/rfc7845#section-4 */
function oggSeconds(sound: Uint8Array): number | undefined {
  const bytes = Buffer.from(sound.buffer, sound.byteOffset, sound.byteLength);
  const page = bytes.lastIndexOf(OGG_PAGE);
  if (page < 0 || page + 14 > bytes.length) return undefined;
  const seconds = Number(bytes.readBigInt64LE(page + 6)) / OPUS_RATE;
  return seconds > 0 && seconds < 86_400 ? Math.round(seconds * 10) / 10 : undefined;
}

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
