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
  /** Where an account is topped up. */
  billing?: string;
}

/** In the order in which a key picks the default model. Those with an address of ours speak OpenAI's Chat Completions. */
export const PROVIDERS: Readonly<Record<string, KnownProvider>> = {
  anthropic: {
    env: ['ANTHROPIC_API_KEY'],
    defaultModel: 'claude-sonnet-5-5',
    billing: 'https://platform.claude.com/settings/billing',
  },
  openai: {
    env: ['OPENAI_API_KEY'],
    defaultModel: 'gpt-6.1-terra',
    billing: 'https://platform.openai.com/settings/organization/billing',
  },
  google: {
    env: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
    defaultModel: 'gemini-flash-latest',
    billing: 'https://aistudio.google.com/billing',
  },
  openrouter: {
    env: ['OPENROUTER_API_KEY'],
    defaultModel: 'openrouter/auto',
    baseURL: 'https://openrouter.ai/api/v1',
    billing: 'https://openrouter.ai/settings/credits',
  },
  deepseek: {
    env: ['DEEPSEEK_API_KEY'],
    defaultModel: 'deepseek-v4-flash',
    baseURL: 'https://api.deepseek.com',
    billing: 'https://platform.deepseek.com/top_up',
  },
  groq: {
    env: ['GROQ_API_KEY'],
    defaultModel: 'openai/gpt-oss-120b',
    baseURL: 'https://api.groq.com/openai/v1',
    billing: 'https://console.groq.com/settings/billing',
  },
  mistral: {
    env: ['MISTRAL_API_KEY'],
    defaultModel: 'mistral-medium-latest',
    baseURL: 'https://api.mistral.ai/v1',
    billing: 'https://admin.mistral.ai/organization/billing',
  },
  xai: {
    env: ['XAI_API_KEY'],
    defaultModel: 'grok-4.3',
    baseURL: 'https://api.x.ai/v1',
    billing: 'https://console.x.ai',
  },
  moonshot: {
    env: ['MOONSHOT_API_KEY'],
    defaultModel: 'kimi-k2.6',
    baseURL: 'https://api.moonshot.ai/v1',
    billing: 'https://platform.moonshot.ai/console',
  },
  ollama: { env: [], baseURL: 'http://127.0.0.1:11434/v1' },
};

/** The name of the built-in model as a setting. */
export const OFFLINE_MODEL = 'offline/viber';

/** One variable a provider, for help texts: those that most people have. */
export const KEY_VARIABLES: readonly string[] = Object.values(PROVIDERS)
  .flatMap(({ env }) => env.slice(0, 1))
  .slice(0, 4);

export function knownProvider(name: string): KnownProvider | undefined {
  return Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined;
}

/** What a person can set to give a provider its key: `OPENAI_API_KEY or providers.openai.apiKey`. */
export function keySetting(provider: string): string {
  return [...(knownProvider(provider)?.env ?? []), `providers.${provider}.apiKey`].join(' or ');
}

/** The part of an address that names the version of the interface is missing, as in `http://127.0.0.1:1234`. */
const lacksVersion = (address: string): boolean =>
  URL.canParse(address) && !/\/v\d[\w.-]*(\/|$)|\/openai(\/|$)/.test(new URL(address).pathname);

const ENDPOINT = /\/+(?:chat\/completions|completions|responses|messages)$/;

/** What an address that nobody answers at was probably to be: without the path of a single request, and with a version. */
export function betterAddress(address: string): string | undefined {
  const given = address.replace(/\/+$/, '');
  const base = given.replace(ENDPOINT, '');
  if (!URL.canParse(base)) return undefined;
  if (lacksVersion(base)) return `${base}/v1`;
  return base === given ? undefined : base;
}

/** `provider` and `model` of a name `provider/model`; the model's own name may hold slashes. */
export function splitModelName(name: string): { provider: string; model: string } {
  const slash = name.indexOf('/');
  return { provider: name.slice(0, Math.max(slash, 0)), model: name.slice(slash + 1) };
}

/** Whose ways an endpoint has. Any other name of a provider stands for the plain interface. */
export type Dialect =
  | 'anthropic'
  | 'openai'
  | 'google'
  | 'openrouter'
  | 'deepseek'
  | 'groq'
  | 'mistral'
  | 'moonshot'
  | 'cerebras'
  | '';

const HOSTS: readonly (readonly [RegExp, Dialect])[] = [
  [/(^|\.)deepseek\.com$/, 'deepseek'],
  [/(^|\.)groq\.com$/, 'groq'],
  [/(^|\.)mistral\.ai$/, 'mistral'],
  [/(^|\.)(moonshot\.(ai|cn)|kimi\.com)$/, 'moonshot'],
  [/(^|\.)cerebras\.ai$/, 'cerebras'],
  [/(^|\.)openrouter\.ai$/, 'openrouter'],
];
const DIALECTS: readonly string[] = ['anthropic', 'openai', 'google', ...HOSTS.map(([, dialect]) => dialect)];

/** Of a provider by its name, or by its address where its owner has named it otherwise. */
export function dialectOf(provider: string, baseURL: string | undefined): Dialect {
  if (DIALECTS.includes(provider)) return provider as Dialect;
  if (baseURL === undefined || !URL.canParse(baseURL)) return '';
  const { hostname } = new URL(baseURL);
  return HOSTS.find(([host]) => host.test(hostname))?.[1] ?? '';
}

/** @param provider the SDK's name of a provider, `anthropic.messages` */
export function dialectIn(provider: string): Dialect {
  const [name = ''] = provider.split('.', 1);
  return DIALECTS.includes(name) ? (name as Dialect) : '';
}

/** What the configuration says of a provider. */
export interface ProviderSettings {
  baseURL?: string;
  apiKey?: string;
  headers?: Record<string, string>;
  maxOutputTokens?: number;
}

/** Which providers' models look at the pages of a PDF themselves; all others are given its text. */
const TAKES_PDF = new Set(['anthropic', 'openai', 'google', 'openrouter']);

/** @param model `provider/model`, or the SDK's name of a provider, `provider.chat` */
export const takesPdf = (model: string): boolean => TAKES_PDF.has(model.split(/[/.]/, 1)[0] ?? '');
