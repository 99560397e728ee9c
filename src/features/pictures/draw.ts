/**
 * Requests a picture from the provider, and explains in a sentence if there is none. Loads the libraries on first use.
 */
import { UserError } from '../../errors.ts';
import { formBytes } from '../../lib/form.ts';
import { addSecret } from '../../log.ts';
import type { CallUsage } from '../../runtime/contract/call-usage.ts';
import { keySetting, splitModelName } from '../../runtime/contract/providers.ts';
import { configOf, type Gateway } from '../gateway.ts';
import { drawingProvider } from './provider.ts';

export interface PictureOrder {
  model: string;
  words: string;
  size: keyof typeof SHAPES;
  /** The picture to change. */
  source?: Uint8Array;
}

export interface Picture {
  bytes: Uint8Array;
  type: string;
  usage: CallUsage;
}

/** OpenAI's models take sizes, Google's take ratios. */
const SHAPES = {
  square: { size: '1024x1024', aspectRatio: '1:1' },
  landscape: { size: '1536x1024', aspectRatio: '3:2' },
  portrait: { size: '1024x1536', aspectRatio: '2:3' },
} as const;
const TOTAL_MS = 180_000;
/** The number of tokens of a picture, for providers that don't report it. */
const TOKENS = 1_290;
const CHARACTERS_PER_TOKEN = 4;

/**
 * @throws UserError with the provider's refusal in a sentence
 * @throws the signal's reason
 */
export async function drawPicture(
  { model, words, size, source }: PictureOrder,
  gw: Gateway,
  signal: AbortSignal,
): Promise<Picture> {
  const { provider, model: name } = splitModelName(model);
  const { generateImage } = await import('../../runtime/model/sdk.ts');
  const shape = SHAPES[size];
  try {
    const { image, usage } = await generateImage({
      model: await pictureModel(provider, name, gw),
      prompt: source ? { images: [source], text: words } : words,
      ...(provider === 'google' ? { aspectRatio: shape.aspectRatio } : { size: shape.size }),
      // A second try might be charged as well.
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, AbortSignal.timeout(TOTAL_MS)]),
    });
    const { inputTokens = 0, outputTokens = 0 } = usage;
    const told = { inputTokens, outputTokens };
    const guess = { inputTokens: Math.ceil(words.length / CHARACTERS_PER_TOKEN), outputTokens: TOKENS };
    return {
      bytes: image.uint8Array,
      type: image.mediaType,
      usage: outputTokens > 0 ? told : { ...guess, isEstimate: true },
    };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UserError) throw error;
    throw new UserError(drawingFailure(error, provider), { cause: error });
  }
}

async function pictureModel(provider: string, name: string, gw: Gateway) {
  const { providers } = configOf(gw);
  const { canDraw, apiKey, baseURL, headers } = drawingProvider(provider, providers, gw.features.env);
  if (!canDraw) throw new UserError(`${provider} can't draw pictures: check pictures.model.`);
  addSecret(apiKey);
  const settings = {
    apiKey: apiKey ?? 'none',
    headers,
    ...(baseURL !== undefined && { baseURL }),
    fetch: fetchInPlace,
  };
  if (provider === 'google') return (await import('@ai-sdk/google')).createGoogle(settings).image(name);
  return (await import('@ai-sdk/openai')).createOpenAI(settings).image(name);
}

/** Refuses redirects, which would carry the key and the words elsewhere. */
const fetchInPlace: typeof fetch = async (given, init) => {
  const plain = { ...init, redirect: 'error' } as const;
  if (!(init?.body instanceof FormData)) return fetch(given, plain);
  const { bytes, type } = await formBytes(init.body);
  const headers = new Headers(init.headers);
  headers.set('content-type', type);
  return fetch(given, { ...plain, body: bytes, headers });
};

/** Interprets a failed call. Passes on nothing that the provider wrote. */
export function drawingFailure(error: unknown, provider: string): string {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  const body = error instanceof Error && 'responseBody' in error ? String(error.responseBody) : '';
  if (/moderation_blocked|content_policy|safety/i.test(body))
    return `${provider} refuses to draw this: it goes against its rules. Describe it differently.`;
  if (/insufficient_quota|billing/i.test(body) || status === 402)
    return `The account at ${provider} has no credit for pictures.`;
  if (status === 401 || status === 403) return `${provider} refused the key: check ${keySetting(provider)}.`;
  if (status === 404) return `${provider} doesn't have this model: check pictures.model.`;
  if (status === 429) return `${provider} won't draw any more pictures right now: try again later.`;
  if (status === 400 || status === 422) return `${provider} can't draw this: it didn't accept the request.`;
  if (error instanceof Error && error.name === 'AI_NoImageGeneratedError')
    return `${provider} returned no picture: its rules may not allow this one. Describe it differently.`;
  return `${provider} didn't draw the picture in time, or can't be reached: try again later.`;
}
