/**
 * Converts text to speech with any provider of OpenAI's `/audio/speech`, as Opus in Ogg. Loads the libraries on first
 * use.
 */
import { addSecret } from '../../log.ts';
import { knownProvider, type ProviderSettings, splitModelName } from '../../runtime/contract/providers.ts';

export interface SpeechSettings {
  /** `provider/model` */
  model: string;
  speaker: string;
  providers: Readonly<Record<string, ProviderSettings>>;
  env: NodeJS.ProcessEnv;
}

const TOTAL_MS = 60_000;

/** @throws any failure, within a minute */
export async function speak(text: string, settings: SpeechSettings): Promise<Uint8Array> {
  const { provider, model } = splitModelName(settings.model);
  const own = Object.hasOwn(settings.providers, provider) ? settings.providers[provider] : undefined;
  const known = knownProvider(provider);
  const apiKey = own?.apiKey?.trim() || known?.env.map((key) => settings.env[key]?.trim()).find(Boolean);
  const baseURL = own?.baseURL ?? known?.baseURL;
  addSecret(apiKey);
  const [{ generateSpeech }, { createOpenAI }] = await Promise.all([
    import('../../runtime/model/sdk.ts'),
    import('@ai-sdk/openai'),
  ]);
  const openai = createOpenAI({
    apiKey: apiKey ?? 'none',
    headers: own?.headers ?? {},
    ...(baseURL === undefined ? {} : { baseURL }),
    fetch: (input, init) => fetch(input, { ...init, redirect: 'error' }),
  });
  const { audio } = await generateSpeech({
    model: openai.speech(model),
    text,
    voice: settings.speaker,
    outputFormat: 'opus',
    maxRetries: 1,
    abortSignal: AbortSignal.timeout(TOTAL_MS),
  });
  return audio.uint8Array;
}
