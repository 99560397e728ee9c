/**
 * Converts text to speech with any provider that offers OpenAI's `/audio/speech`, as Opus in Ogg. Loads the libraries
 * on first use.
 */
import { addSecret } from '../../log.ts';
import { knownProvider, splitModelName } from '../../runtime/contract/providers.ts';
import { configOf, type Gateway } from '../gateway.ts';

const TOTAL_MS = 60_000;

/** @throws any failure, within a minute */
export async function speak(text: string, gw: Gateway): Promise<Uint8Array> {
  const { providers, voice } = configOf(gw);
  const { provider, model } = splitModelName(voice.speech);
  const own = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  const known = knownProvider(provider);
  const apiKey = own?.apiKey?.trim() || known?.env.map((key) => gw.features.env[key]?.trim()).find(Boolean);
  const baseURL = own?.baseURL ?? known?.baseURL;
  // Otherwise this provider's key would go to OpenAI.
  if (baseURL === undefined && provider !== 'openai')
    throw new Error(`${provider} has no address: set providers.${provider}.baseURL`);
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
    voice: voice.speaker,
    outputFormat: 'opus',
    maxRetries: 1,
    abortSignal: AbortSignal.timeout(TOTAL_MS),
  });
  return audio.uint8Array;
}
