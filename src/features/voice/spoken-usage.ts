/** Estimates the cost of a spoken text. */
import type { CallUsage } from '../../runtime/contract/call-usage.ts';

const CHARACTERS_PER_TOKEN = 4;
const OGG_PAGE = Buffer.from('OggS');
const OPUS_RATE = 48_000;

/** Returns the usage of a spoken text: its length if the sound contains it, else an estimate from the words. */
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
