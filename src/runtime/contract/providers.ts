/** The built-in model providers, and the settings that fix one. */

export interface KnownProvider {
  /** Environment variables that may hold the key; messages name the first. */
  env: readonly string[];
  /** Used if a provider's key is set while no model is named. From the catalogues, November 2026. */
  defaultModel?: string;
  baseURL?: string;
  /** The page where an account is topped up. */
  billing?: string;
}

/** The first with a key gives the default model. Those with a `baseURL` speak OpenAI's Chat Completions. */
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
  lmstudio: { env: [], baseURL: 'http://127.0.0.1:1234/v1' },
  llamacpp: { env: [], baseURL: 'http://127.0.0.1:8080/v1' },
  vllm: { env: [], baseURL: 'http://127.0.0.1:8000/v1' },
};

/** Those that run on this machine, and have no prices. */
export const LOCAL_PROVIDERS = ['ollama', 'lmstudio', 'llamacpp', 'vllm'] as const;

export const OFFLINE_MODEL = 'offline/viber';

export function knownProvider(name: string): KnownProvider | undefined {
  return Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined;
}

/** `OPENAI_API_KEY or providers.openai.apiKey` */
export function keySetting(provider: string): string {
  return [...(knownProvider(provider)?.env ?? []), `providers.${provider}.apiKey`].join(' or ');
}

/** Whether an address lacks the API version, as in `http://127.0.0.1:1234`. */
const lacksVersion = (address: string): boolean =>
  URL.canParse(address) && !/\/v\d[\w.-]*(\/|$)|\/openai(\/|$)/.test(new URL(address).pathname);

const ENDPOINT = /\/+(?:chat\/completions|completions|responses|messages)$/;

/** Corrects an address where nothing answers: without the path of a single request, or with a version. */
export function betterAddress(address: string): string | undefined {
  const given = address.replace(/\/+$/, '');
  const base = given.replace(ENDPOINT, '');
  if (!URL.canParse(base)) return undefined;
  if (lacksVersion(base)) return `${base}/v1`;
  return base === given ? undefined : base;
}

export function splitModelName(name: string): { provider: string; model: string } {
  const slash = name.indexOf('/');
  return { provider: name.slice(0, Math.max(slash, 0)), model: name.slice(slash + 1) };
}

/** The provider whose quirks an endpoint has; empty: the plain interface. */
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

/** Goes by the provider's name, or by its address if the owner gave it another name. */
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

export interface ProviderSettings {
  baseURL?: string;
  apiKey?: string;
  headers?: Record<string, string>;
  maxOutputTokens?: number;
}

/** Providers whose models read the pages of a PDF themselves; all others get its text. */
const TAKES_PDF = new Set(['anthropic', 'openai', 'google', 'openrouter']);

/** @param model `provider/model`, or the SDK's name of a provider, `provider.chat` */
export const takesPdf = (model: string): boolean => TAKES_PDF.has(model.split(/[/.]/, 1)[0] ?? '');
