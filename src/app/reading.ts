/** What takes the words out of files: recordings by whoever is set up for it. Nothing of it is loaded before the first such file. */
import type { Config } from '../config.ts';
import type { Logger } from '../log.ts';
import type { Reading } from '../runtime/contract/reading.ts';
import type { Meter } from '../runtime/costs/meter.ts';
import { kindOf } from '../runtime/reading/kinds.ts';
import { createSpeak, type Speak } from '../runtime/run/speak.ts';
import type { Home } from '../workspace/home.ts';

export interface AppReadingOptions {
  config: Pick<Config, 'voice' | 'providers'>;
  env: NodeJS.ProcessEnv;
  home: Home;
  meter: Meter;
  log: Logger;
}

export function openReading(options: AppReadingOptions): Reading {
  let opened: Promise<Reading['read']> | undefined;
  return {
    kindOf,
    async read(file, by) {
      opened ??= load(options);
      return (await opened)(file, by);
    },
  };
}

export function openSpeak({ config, env, home, meter, log }: AppReadingOptions): Speak | undefined {
  const { reply, speech: model, speaker } = config.voice;
  if (reply === 'off') return undefined;
  return createSpeak({ home, meter, log, speech: { model, speaker, providers: config.providers, env } });
}

async function load({ config, env, home, meter, log }: AppReadingOptions): Promise<Reading['read']> {
  const [{ createReading }, { createTranscriber, pickTranscription }, { createWhisper }] = await Promise.all([
    import('../runtime/reading/reading.ts'),
    import('../runtime/model/transcription.ts'),
    import('../runtime/model/whisper.ts'),
  ]);
  const { model, command, language, max_seconds: maxSeconds } = config.voice;
  const settings = { providers: config.providers, env, language };
  const name = model ?? pickTranscription(settings);
  const transcribers = [
    ...(name === undefined ? [] : [createTranscriber(name, settings)]),
    ...(command.length > 0 ? [createWhisper(command, env)] : []),
  ];
  // What somebody has set up on this machine goes before what a key happens to allow.
  if (model === undefined) transcribers.reverse();
  return createReading({ home, meter, log, maxSeconds, transcribers });
}
