/**
 * Loads language models by name, `provider/model`. A provider's library is loaded when one of its models is first used.
 */

import type { LanguageModelMiddleware } from 'ai';
import { ConfigError } from '../../errors.ts';
import { isRecord } from '../../lib/json.ts';
import { addSecret } from '../../log.ts';
import type { HistoryLimits } from '../context/history-window.ts';
import type { Embedder } from '../contract/memory.ts';
import type { CallOptions, ModelV4, OwnModels } from '../contract/model.ts';
import {
  type Dialect,
  dialectOf,
  keySetting,
  knownProvider,
  OFFLINE_MODEL,
  PROVIDERS,
  type ProviderSettings,
  splitModelName,
} from '../contract/providers.ts';
import { STANDING } from '../contract/standing.ts';
import { canEmbed, createEmbedder } from './embeddings.ts';
import type { Shape } from './events.ts';
import { ROWS } from './known.ts';
import { createFetch } from './provider-fetch.ts';
import { detailsExtractor } from './reasoning-details.ts';
import { loadSearching, type Searching } from './search.ts';

export interface Models {
  /** @throws ConfigError that names the setting if the provider is unknown or lacks a key */
  load(
    name: string,
    options?: { /** The limit for connecting to the provider, in ms; 10,000 by default. */ connectMs?: number },
  ): Promise<ModelV4>;
  /** The model to use if none is configured: that of the first provider with a key, else the built-in model if it is on. */
  readonly defaultModel: string;
}

export interface ModelCheck {
  /**
   * Checks the name without loading anything.
   * @throws ConfigError like `load`
   */
  check(name: string): void;
}

export interface NamedModels extends ModelCheck {
  /** The names of the built-in and the configured providers. */
  readonly providers: readonly string[];
}

/** Everything that the configured models offer. */
export type ModelProviders = Models & Embedders & NamedModels & Searches;

export interface Searches {
  /**
   * Returns a model with its provider's own search.
   * @throws ConfigError that names the setting, like `load`
   */
  searching(name: string): Promise<Searching>;
}

export interface Embedders {
  /**
   * Returns the embedder called `provider/model`.
   * @throws ConfigError that names the setting, like `load`
   */
  embedder(name: string): Embedder;
}

/** The context of an unknown model, such as one on this machine, in tokens. */
const SMALL_CONTEXT = 16_000;
const MAX_HISTORY = 100_000;

/** The settings in the section `history`. */
export interface HistorySettings extends Omit<HistoryLimits, 'maxTokens'> {
  maxTokens: number | 'auto';
}

/** @param names the models that may answer, at least one: the smallest of them must have room for the rest too */
export function historyLimits({ maxMessages, maxTokens }: HistorySettings, names: readonly string[]): HistoryLimits {
  if (maxTokens !== 'auto') return { maxMessages, maxTokens };
  let context = 2 * MAX_HISTORY;
  for (const name of names)
    context = Math.min(context, (Object.hasOwn(ROWS, name) ? ROWS[name]?.context : undefined) ?? SMALL_CONTEXT);
  return { maxMessages, maxTokens: Math.floor(context / 2) };
}

const MAX_LOADED = 64;

type Factory = (model: string) => ModelV4;

/** `env` holds provider keys; values in `providers` override it. */
interface Providers {
  providers: Record<string, ProviderSettings>;
  env: NodeJS.ProcessEnv;
  /** Models of the features that are on, by name; the built-in one if absent. */
  own?: OwnModels;
}

function providerSettings(provider: string, { providers, env }: Providers): ProviderSettings {
  const own = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  const base = knownProvider(provider);
  const apiKey = own?.apiKey?.trim() || base?.env.map((name) => env[name]?.trim()).find(Boolean);
  const baseURL = own?.baseURL ?? base?.baseURL;
  return { ...own, ...(apiKey && { apiKey }), ...(baseURL && { baseURL }) };
}

export function createModels(options: Providers): ModelProviders {
  // Keyed by provider and connection timeout: both come from the configuration, so there are few.
  const factories = new Map<string, Promise<Factory>>();

  const settingsOf = (provider: string) => providerSettings(provider, options);
  const checkedSettings = (provider: string): ProviderSettings => {
    const settings = settingsOf(provider);
    checkSettings(provider, settings, options.providers);
    addSecret(settings.apiKey);
    return settings;
  };
  const hasBuiltIn = options.own === undefined || Object.hasOwn(options.own, OFFLINE_MODEL);

  function factoryOf(provider: string, connectMs: number): Promise<Factory> {
    const key = `${provider} ${connectMs}`;
    const made = factories.get(key);
    if (made) return made;
    const making = createFactory(provider, checkedSettings(provider), connectMs);
    factories.set(key, making);
    return making;
  }

  async function make(name: string, connectMs: number): Promise<ModelV4> {
    const own = options.own?.[name];
    if (own) return own();
    const { provider, model } = splitFullName(name);
    const made = (await factoryOf(provider, connectMs))(model);
    const maxOutputTokens = settingsOf(provider).maxOutputTokens ?? outputLimitOf(provider, model);
    if (maxOutputTokens === undefined) return made;
    const { defaultSettingsMiddleware, wrapLanguageModel } = await import('./sdk.ts');
    return wrapLanguageModel({ model: made, middleware: defaultSettingsMiddleware({ settings: { maxOutputTokens } }) });
  }

  // Creating a model costs as much as a small call. The size is limited because names come from settings and job files,
  // and an attacker must not be able to fill the memory.
  const loaded = new Map<string, ModelV4>();

  return {
    async load(name, { connectMs = 10_000 } = {}) {
      const key = `${name} ${connectMs}`;
      const known = loaded.get(key);
      if (known) return known;
      const model = await make(name, connectMs);
      if (loaded.size >= MAX_LOADED) loaded.clear();
      loaded.set(key, model);
      return model;
    },
    check(name) {
      if (name === OFFLINE_MODEL && hasBuiltIn) return;
      checkedSettings(splitFullName(name).provider);
    },
    async searching(name) {
      const { provider, model } = splitFullName(name);
      return loadSearching(provider, model, checkedSettings(provider), createFetch(10_000));
    },
    embedder(name) {
      const { provider, model } = embeddingNamed(name);
      return createEmbedder({ provider, model, settings: checkedSettings(provider), fetch: createFetch(10_000) });
    },
    get providers() {
      return providerNames(options.providers);
    },
    get defaultModel() {
      const usual = Object.entries(PROVIDERS).filter(([, { defaultModel }]) => defaultModel);
      const keyed = usual.find(([provider]) => settingsOf(provider).apiKey);
      if (!keyed && hasBuiltIn) return OFFLINE_MODEL;
      // Without a key its error names the setting that is missing.
      const [provider, { defaultModel }] = keyed ?? (usual[0] as (typeof usual)[number]);
      return `${provider}/${defaultModel}`;
    },
  };
}

function splitFullName(name: string): { provider: string; model: string } {
  const { provider, model } = splitModelName(name);
  if (provider && model) return { provider, model };
  const message = `"${name}" is not of the form provider/model, for example openai/gpt-5-mini`;
  throw new ConfigError([{ path: 'model', message }]);
}

function embeddingNamed(name: string): { provider: string; model: string } {
  const { provider, model } = splitModelName(name);
  if (provider && model && canEmbed(provider)) return { provider, model };
  const message = `"${name}" isn't an embedding model, for example openai/text-embedding-3-small`;
  throw new ConfigError([{ path: 'memory.embedding', message }]);
}

const providerNames = (given: Record<string, ProviderSettings>): string[] => [
  ...new Set([...Object.keys(PROVIDERS), ...Object.keys(given), 'offline']),
];

function checkSettings(provider: string, settings: ProviderSettings, given: Record<string, ProviderSettings>): void {
  const { apiKey, baseURL } = settings;
  const known = knownProvider(provider);
  const wrong = (key: string, message: string) => new ConfigError([{ path: `providers.${provider}.${key}`, message }]);
  if (!known && !baseURL) {
    const need = `"${provider}" is not built in, so the address of its OpenAI-compatible endpoint is needed here`;
    const others = providerNames(given).filter((name) => name !== provider);
    throw wrong('baseURL', `${need} (known names: ${others.join(', ')})`);
  }
  if (baseURL && !/^https?:\/\/[^/]/.test(baseURL))
    throw wrong('baseURL', `"${baseURL}" is not an http or https address`);
  // Without a key, these providers only work behind the user's own proxy, which adds it.
  if (known?.env.length && !apiKey && !given[provider]?.baseURL) {
    throw wrong('apiKey', `no key for ${provider}: set ${keySetting(provider)}`);
  }
}

async function createFactory(provider: string, settings: ProviderSettings, connectMs: number): Promise<Factory> {
  const { baseURL, apiKey, headers } = settings;
  const common = (shape: Shape) => ({
    fetch: createFetch(connectMs, shape),
    ...(headers && { headers }),
    ...(baseURL && { baseURL }),
  });
  const withKey = (shape: Shape) => ({ ...common(shape), apiKey: apiKey ?? 'none' });
  switch (provider) {
    case 'anthropic':
      return (await import('@ai-sdk/anthropic')).createAnthropic(withKey('messages'));
    case 'google':
      return (await import('@ai-sdk/google')).createGoogle(withKey('gemini'));
    case 'openai':
      return createOpenAIFactory(withKey(baseURL ? 'chat' : 'responses'), baseURL);
    default: {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const dialect = dialectOf(provider, baseURL);
      const compatible = createOpenAICompatible({
        ...common('chat'),
        name: dialect || provider,
        baseURL: baseURL ?? '',
        ...(apiKey && { apiKey }),
        // Mistral counts tokens without being asked, and refuses unknown fields.
        includeUsage: dialect !== 'mistral',
        transformRequestBody(given) {
          const body = withThinking(dialect, given);
          return dialect === 'openrouter' ? withBreakpoints(body) : body;
        },
        ...(dialect === 'openrouter' && { metadataExtractor: detailsExtractor }),
      });
      return (model) => compatible.chatModel(model);
    }
  }
}

/**
 * Uses the Responses API for OpenAI's own endpoint, and Chat Completions for any other address, because all of them
 * support it.
 */
async function createOpenAIFactory(
  settings: { fetch: typeof fetch; apiKey: string },
  baseURL: string | undefined,
): Promise<Factory> {
  const [{ createOpenAI }, { wrapLanguageModel }] = await Promise.all([import('@ai-sdk/openai'), import('./sdk.ts')]);
  const openai = createOpenAI(settings);
  if (baseURL) return (model) => openai.chat(model);
  return (model) => wrapLanguageModel({ model: openai.responses(model), middleware: KEEPING_NOTHING });
}

/** Routes requests of one task to where its prompt is cached. */
function cacheKey({ providerOptions }: CallOptions): { promptCacheKey?: string } {
  const id = providerOptions?.task?.id;
  return typeof id === 'string' ? { promptCacheKey: id } : {};
}

/** The provider stores nothing: the history we send must be complete. */
const KEEPING_NOTHING: LanguageModelMiddleware = {
  specificationVersion: 'v4',
  transformParams: async ({ params }) => ({
    ...params,
    providerOptions: {
      ...params.providerOptions,
      openai: { store: false, ...cacheKey(params), ...params.providerOptions?.openai },
    },
  }),
};

type Body = Record<string, unknown>;

const BREAKPOINT = { type: 'ephemeral' };

/**
 * Anthropic's models cache only what is marked, also through OpenRouter: the system part by a mark on its block, the
 * conversation by a mark on the message before the current state, and everything up to the last message by a mark on
 * the request (https://openrouter.ai/docs/client-sdks/typescript/models/anthropiccachecontroldirective).
 */
function withBreakpoints(body: Body): Body {
  const { model, messages } = body;
  if (typeof model !== 'string' || !model.startsWith('anthropic/') || !Array.isArray(messages)) return body;
  const [first, ...rest]: unknown[] = messages;
  const isSystem = isRecord(first) && first.role === 'system' && typeof first.content === 'string';
  const told = rest.findLastIndex((message) => isRecord(message) && isStanding(message.content));
  const said = rest.map((message, at) => (at === told - 1 ? withMark(message) : message));
  return { ...body, messages: [isSystem ? withMark(first) : first, ...said], cache_control: BREAKPOINT };
}

const isStanding = (content: unknown): boolean => typeof content === 'string' && content.startsWith(STANDING);

/** Tool results don't accept parts. */
function withMark(message: unknown): unknown {
  if (!isRecord(message) || typeof message.content !== 'string' || message.content === '' || message.role === 'tool')
    return message;
  return { ...message, content: [{ type: 'text', text: message.content, cache_control: BREAKPOINT }] };
}

/**
 * Output limits of Anthropic models that Anthropic's library doesn't know: it would default to 4,096 tokens, less than
 * one file of code.
 */
const FAMILIES: readonly (readonly [RegExp, number])[] = [
  [/claude-(instant|v?[12](?=$|[-.:])|3-(opus|sonnet|haiku))/, 4_096],
  [/claude-3-5-/, 8_192],
  [/claude-3-7-/, 64_000],
  [/opus|sonnet|haiku|fable|claude/, 128_000],
];
/** The output limit of other models that use Anthropic's API. */
const USUAL_OUTPUT = 32_000;

/** Returns undefined where the library or the provider has a better default. */
function outputLimitOf(provider: string, model: string): number | undefined {
  if (provider !== 'anthropic' || KNOWN_TO_LIBRARY.test(model)) return undefined;
  return FAMILIES.find(([family]) => family.test(model))?.[1] ?? USUAL_OUTPUT;
}

const KNOWN_TO_LIBRARY = /claude-(opus|sonnet|haiku|fable)-[45]/;

/**
 * Sets how long to think in the provider's terms: DeepSeek and Moonshot have a switch apart from the level, OpenRouter
 * combines both.
 */
function withThinking(provider: Dialect, { reasoning_effort: effort, ...body }: Body): Body {
  if (effort === undefined) return body;
  const thinking = { type: effort === 'none' ? 'disabled' : 'enabled' };
  if (provider === 'moonshot' || (provider === 'deepseek' && effort === 'none')) return { ...body, thinking };
  if (provider === 'deepseek') return { ...body, thinking, reasoning_effort: effort };
  if (provider === 'openrouter') return { ...body, reasoning: effort === 'none' ? { enabled: false } : { effort } };
  return { ...body, reasoning_effort: effort };
}
