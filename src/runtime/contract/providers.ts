/** The built-in model providers, and what a person can set to mend one. */

export interface KnownProvider {
  /** Environment variables that may hold the key; the first is the one we name to people. */
  env: readonly string[];
  /**
   * The model picked when the provider's key is set and no model is named. Ids from the providers' catalogues, November
   * 2026.
   */
  defaultModel?: string;
  baseURL?: string;
}

/** In the order in which a key picks the default model. */
export const PROVIDERS: Readonly<Record<string, KnownProvider>> = {
  anthropic: { env: ['ANTHROPIC_API_KEY'], defaultModel: 'claude-sonnet-5-5' },
  openai: { env: ['OPENAI_API_KEY'], defaultModel: 'gpt-6.1-terra' },
  google: { env: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'], defaultModel: 'gemini-flash-latest' },
  openrouter: { env: ['OPENROUTER_API_KEY'], defaultModel: 'openrouter/auto', baseURL: 'https://openrouter.ai/api/v1' },
  ollama: { env: [], baseURL: 'http://127.0.0.1:11434/v1' },
};

/** The name of the built-in model as a setting. */
export const OFFLINE_MODEL = 'offline/viber';

/** One variable a provider, for help texts. */
export const KEY_VARIABLES: readonly string[] = Object.values(PROVIDERS).flatMap(({ env }) => env.slice(0, 1));

export function knownProvider(name: string): KnownProvider | undefined {
  return Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined;
}

/** What a person can set to give a provider its key: `OPENAI_API_KEY or providers.openai.apiKey`. */
export function keySetting(provider: string): string {
  const [variable] = knownProvider(provider)?.env ?? [];
  return `${variable ? `${variable} or ` : ''}providers.${provider}.apiKey`;
}

/** `provider` and `model` of a name `provider/model`; the model's own name may hold slashes. */
export function splitModelName(name: string): { provider: string; model: string } {
  const slash = name.indexOf('/');
  return { provider: name.slice(0, Math.max(slash, 0)), model: name.slice(slash + 1) };
}

/** What the configuration says of a provider. */
export interface ProviderSettings {
  baseURL?: string;
  apiKey?: string;
  headers?: Record<string, string>;
}
