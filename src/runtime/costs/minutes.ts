/** What recordings and spoken answers cost that are paid by their length. Where no price is known none is guessed, and it is said so. */

import type { Usage } from '../../workspace/types.ts';
import type { CallUsage } from '../contract/call-usage.ts';

/** List prices of a minute in US dollars, November 2026. */
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

/** Of an hour of sound about as many as models count for it. */
const TOKENS_PER_SECOND = 10;
const CHARACTERS_PER_TOKEN = 4;
const OGG_PAGE = Buffer.from('OggS');
const OPUS_RATE = 48_000;

/** Sound whose price is not known is counted in tokens, so that it is not taken to be free. */
export const unpricedSound = (seconds: number): CallUsage => ({
  inputTokens: Math.ceil(seconds * TOKENS_PER_SECOND),
  outputTokens: 0,
  isEstimate: true,
  seconds,
});

/** What was spoken: its length where the sound tells it, else its words. */
export function spokenUsage(words: string, sound: Uint8Array): CallUsage {
  const seconds = oggSeconds(sound);
  if (seconds !== undefined) return { inputTokens: 0, outputTokens: 0, seconds };
  return { inputTokens: Math.ceil(words.length / CHARACTERS_PER_TOKEN), outputTokens: 0, isEstimate: true };
}

/** The length of Opus in Ogg, as its last page counts it: https://www.rfc-editor.org/rfc/rfc7845#section-4 */
function oggSeconds(sound: Uint8Array): number | undefined {
  const bytes = Buffer.from(sound.buffer, sound.byteOffset, sound.byteLength);
  const page = bytes.lastIndexOf(OGG_PAGE);
  if (page < 0 || page + 14 > bytes.length) return undefined;
  const seconds = Number(bytes.readBigInt64LE(page + 6)) / OPUS_RATE;
  return seconds > 0 && seconds < 86_400 ? Math.round(seconds * 10) / 10 : undefined;
}

/** Undefined for calls that are paid by the token, and for prices that are not known. */
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
