/**
 * Transcribes recordings with a provider: any endpoint of OpenAI's `/audio/transcriptions`, or Deepgram. Loads the
 * libraries on first use. Waits and retries as the provider requests, for a few minutes at most.
 */
import type { TranscriptionModel } from 'ai';
import { z } from 'zod';
import { readKept } from '../../lib/files/below.ts';
import { formBytes } from '../../lib/form.ts';
import { addSecret } from '../../log.ts';
import { keySetting, knownProvider, type ProviderSettings, splitModelName } from '../../runtime/contract/providers.ts';
import type { ReadableFile } from '../../runtime/contract/reading.ts';
import { Unreadable } from '../../runtime/contract/reading.ts';

export interface Transcript {
  text: string;
  /** The length in seconds, if the provider reports it. */
  seconds?: number | undefined;
}

export interface Transcriber {
  /** `provider/model`, or the program. */
  name: string;
  /**
   * @throws {Unreadable}
   * @throws the signal's reason
   */
  transcribe(sound: ReadableFile, signal: AbortSignal): Promise<Transcript>;
}

export interface TranscriptionSettings {
  providers: Readonly<Record<string, ProviderSettings>>;
  env: NodeJS.ProcessEnv;
  /** ISO 639-1; if absent, the provider detects it. */
  language?: string | undefined;
}

type Model = Extract<TranscriptionModel, { specificationVersion: 'v4' }>;

/**
 * Transcription providers, in the order in which a key selects them. Of OpenAI's models, only `whisper-1` accepts Opus
 * in Ogg, which phones send.
 */
const PICKED = [
  { provider: 'openai', model: 'whisper-1', setting: 'OPENAI_API_KEY' },
  { provider: 'groq', model: 'whisper-large-v3-turbo', setting: 'GROQ_API_KEY' },
  { provider: 'deepgram', model: 'nova-3', setting: 'DEEPGRAM_API_KEY' },
] as const;

const ADDRESSES: Readonly<Record<string, string>> = {
  openai: 'https://api.openai.com/v1',
  deepgram: 'https://api.deepgram.com/v1',
};
const TOTAL_MS = 180_000;

/** Returns the first provider with a key, or undefined. */
export function pickTranscription({ providers, env }: TranscriptionSettings): string | undefined {
  const found = PICKED.find(({ provider, setting }) => (providers[provider]?.apiKey ?? env[setting])?.trim());
  return found && `${found.provider}/${found.model}`;
}

export function createTranscriber(name: string, settings: TranscriptionSettings): Transcriber {
  const { provider, model } = splitModelName(name);
  let loaded: Promise<Model> | undefined;
  return {
    name,
    async transcribe(sound, signal) {
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(TOTAL_MS)]);
      try {
        loaded ??= loadModel(provider, model, settings);
        const { transcribe } = await import('../../runtime/model/sdk.ts');
        const { language } = settings;
        const heard = await transcribe({
          model: await loaded,
          audio: await readKept(sound.path),
          abortSignal: deadline,
          ...(language && { providerOptions: { openai: { language } } }),
        });
        return { text: heard.text.trim(), seconds: heard.durationInSeconds };
      } catch (error) {
        signal.throwIfAborted();
        throw unreadable(error, name);
      }
    },
  };
}

async function loadModel(provider: string, model: string, settings: TranscriptionSettings): Promise<Model> {
  const own = Object.hasOwn(settings.providers, provider) ? settings.providers[provider] : undefined;
  const variables = provider === 'deepgram' ? ['DEEPGRAM_API_KEY'] : (knownProvider(provider)?.env ?? []);
  const apiKey = own?.apiKey?.trim() || variables.map((key) => settings.env[key]?.trim()).find(Boolean);
  const baseURL = own?.baseURL ?? knownProvider(provider)?.baseURL ?? ADDRESSES[provider];
  const setting = `providers.${provider}.baseURL`;
  if (baseURL === undefined) throw new Unreadable('key', `${provider} has no address: set ${setting}.`, { setting });
  addSecret(apiKey);
  const headers = own?.headers ?? {};
  if (provider === 'deepgram') return deepgram(model, { baseURL, apiKey, headers, language: settings.language });
  const { createOpenAI } = await import('@ai-sdk/openai');
  return createOpenAI({ baseURL, apiKey: apiKey ?? 'none', headers, fetch: straight }).transcription(model);
}

/** Refuses redirects, which would carry the key and the recording elsewhere. */
const straight: typeof fetch = async (input, init) => {
  const plain = { ...init, redirect: 'error' } as const;
  if (!(init?.body instanceof FormData)) return fetch(input, plain);
  const { bytes, type } = await formBytes(init.body);
  const headers = new Headers(init.headers);
  headers.set('content-type', type);
  return fetch(input, { ...plain, body: bytes, headers });
};

const deepgramAnswer = z.looseObject({
  metadata: z.looseObject({ duration: z.number() }).exactOptional(),
  results: z.looseObject({
    channels: z.array(z.looseObject({ alternatives: z.array(z.looseObject({ transcript: z.string() })) })),
  }),
});

interface Deepgram {
  baseURL: string;
  apiKey: string | undefined;
  headers: Record<string, string>;
  language: string | undefined;
}

/** https://developers.deepgram.com/reference/speech-to-text/listen-pre-recorded */
function deepgram(modelId: string, { baseURL, apiKey, headers, language }: Deepgram): Model {
  const url = new URL(`${baseURL.replace(/\/$/, '')}/listen`);
  url.searchParams.set('model', modelId);
  url.searchParams.set('smart_format', 'true');
  if (language === undefined) url.searchParams.set('detect_language', 'true');
  else url.searchParams.set('language', language);
  return {
    specificationVersion: 'v4',
    provider: 'deepgram',
    modelId,
    async doGenerate({ audio, mediaType, abortSignal }) {
      const { APICallError } = await import('../../runtime/model/sdk.ts');
      const failed = (message: string, given: { statusCode?: number; cause?: unknown; isRetryable?: boolean }) =>
        new APICallError({ message, url: url.href, requestBodyValues: {}, ...given });
      const bytes = typeof audio === 'string' ? Buffer.from(audio, 'base64') : audio;
      const sent = { authorization: `Token ${apiKey ?? ''}`, 'content-type': mediaType, ...headers };
      const answer = await straight(url, {
        method: 'POST',
        headers: sent,
        body: new Uint8Array(bytes),
        ...(abortSignal && { signal: abortSignal }),
      }).catch((cause: unknown) => {
        abortSignal?.throwIfAborted();
        throw failed('no answer', { cause, isRetryable: true });
      });
      if (!answer.ok) {
        await answer.body?.cancel();
        throw failed('refused', { statusCode: answer.status });
      }
      const { results, metadata } = deepgramAnswer.parse(await answer.json());
      const text = results.channels[0]?.alternatives[0]?.transcript ?? '';
      const response = { timestamp: new Date(), modelId, headers: {} };
      const durationInSeconds = metadata?.duration;
      return { text, segments: [], language: undefined, durationInSeconds, warnings: [], response };
    },
  };
}

/** Interprets a failed call. Passes on nothing that the provider wrote. */
export function unreadable(given: unknown, name: string): Unreadable {
  if (given instanceof Unreadable) return given;
  const { provider } = splitModelName(name);
  const error = given instanceof Error && 'lastError' in given ? given.lastError : given;
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  const cause = { cause: error };
  if (status === 401 || status === 403 || status === 402 || status === 404) {
    const setting =
      status === 404 ? 'voice.model' : provider === 'deepgram' ? 'DEEPGRAM_API_KEY' : keySetting(provider);
    return new Unreadable('key', `${provider} refused the recording (status ${status}).`, { setting, ...cause });
  }
  if (status === 413) return new Unreadable('long', `${provider} doesn't accept a recording of this size.`, cause);
  if (status === 400 || status === 415 || status === 422)
    return new Unreadable('unreadable', `${provider} cannot read this recording.`, cause);
  return new Unreadable('busy', `${provider} didn't transcribe the recording in time.`, cause);
}
