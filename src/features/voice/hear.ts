/**
 * Transcribes a recording: uses the platform's transcript, or the first transcriber that succeeds. Each call is
 * counted, and none starts once a daily cap is reached.
 */
import { errorMessage } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { CallUsage } from '../../runtime/contract/call-usage.ts';
import type { ReadableFile, ReadFor } from '../../runtime/contract/reading.ts';
import { Unreadable } from '../../runtime/contract/reading.ts';
import type { Metering } from '../../runtime/contract/spending.ts';
import { configOf, perGateway } from '../gateway.ts';
import { createTranscriber, pickTranscription, type Transcriber, type Transcript } from './transcription.ts';
import { createWhisper } from './whisper.ts';

export interface HearingOptions {
  /** Tried in this order. */
  transcribers: readonly Transcriber[];
  /** Longer recordings are sent to nobody. */
  maxSeconds: number;
  meter: Metering;
  log: Logger;
}

/** Returns the configured transcribers in the order in which they are tried. */
export const hearingOf = perGateway((gw): HearingOptions => {
  const { env } = gw.features;
  const { voice, providers } = configOf(gw);
  const settings = { providers, env, language: voice.language };
  const name = voice.model ?? pickTranscription(settings);
  const transcribers = [
    ...(name === undefined ? [] : [createTranscriber(name, settings)]),
    ...(voice.command.length > 0 ? [createWhisper(voice.command, env)] : []),
  ];
  // A local program that somebody configured takes precedence over a model for which there happens to be a key.
  if (voice.model === undefined) transcribers.reverse();
  return { transcribers, maxSeconds: voice.maxSeconds, meter: gw.models.spending, log: gw.log };
});

/**
 * @throws {Unreadable}
 * @throws {RunError} at a daily cap
 * @throws the signal's reason
 */
export async function hear(sound: ReadableFile, by: ReadFor, to: HearingOptions): Promise<string> {
  const { transcribers, maxSeconds, meter, log } = to;
  if (sound.transcript) return sound.transcript;
  if (transcribers.length === 0) throw new Unreadable('unset', 'No transcription is set up.');
  if ((sound.seconds ?? 0) > maxSeconds)
    throw new Unreadable('long', `It is longer than ${Math.round(maxSeconds / 60)} minutes.`);
  const { signal, ...metered } = by;
  const { beforeCall, onUsage } = meter.hooks(metered);
  let first: Unreadable | undefined;
  for (const transcriber of transcribers) {
    beforeCall();
    const began = performance.now();
    try {
      const heard = await transcriber.transcribe(sound, signal);
      onUsage(transcriber.name, soundUsage(heard, sound), Math.round(performance.now() - began));
      if (heard.text === '') throw new Unreadable('empty', 'It contains no speech.');
      return heard.text;
    } catch (error) {
      if (!(error instanceof Unreadable) || error.reason === 'empty') throw error;
      log.warn(
        { run: by.run, by: transcriber.name, reason: error.reason, err: cause(error) },
        'a recording could not be transcribed',
      );
      first ??= error;
    }
  }
  throw first;
}

const cause = (error: Unreadable): string => errorMessage(error.cause ?? error).slice(0, 200);

function soundUsage({ seconds }: Transcript, sound: ReadableFile): CallUsage {
  const length = seconds ?? sound.seconds;
  return { inputTokens: 0, outputTokens: 0, ...(length === undefined ? {} : { seconds: length }) };
}
