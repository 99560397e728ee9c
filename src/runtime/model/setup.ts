/**
 * Sets up a model, in a terminal or on the Board: the providers and where their keys are made, what is at an address,
 * and what a choice writes.
 */
import { say, type Wording } from '../../messages/messages.ts';
import { type Finding, reachFix } from '../contract/finding.ts';
import { PROVIDERS } from '../contract/providers.ts';
import { askJson, itemsUnder, namesOf, OLLAMA, ollamaAddress } from './local-servers.ts';

/** Providers whose key can be pasted, and the page that creates one. */
export const KEY_PAGES = {
  anthropic: { label: 'Anthropic (Claude)', page: 'https://platform.claude.com/settings/keys' },
  openai: { label: 'OpenAI (GPT)', page: 'https://platform.openai.com/api-keys' },
  google: { label: 'Google (Gemini)', page: 'https://aistudio.google.com/apikey' },
  openrouter: { label: 'OpenRouter', page: 'https://openrouter.ai/settings/keys' },
  deepseek: { label: 'DeepSeek', page: 'https://platform.deepseek.com/api_keys' },
  groq: { label: 'Groq', page: 'https://console.groq.com/keys' },
  mistral: { label: 'Mistral', page: 'https://console.mistral.ai/api-keys' },
  xai: { label: 'xAI (Grok)', page: 'https://console.x.ai' },
  moonshot: { label: 'Moonshot (Kimi)', page: 'https://platform.moonshot.ai/console/api-keys' },
} as const;
export type KeyedProvider = keyof typeof KEY_PAGES;

export const isKeyed = (text: string): text is KeyedProvider => Object.hasOwn(KEY_PAGES, text);

async function namesAt(url: string, secret: string): Promise<string[] | undefined> {
  const { body } = (await askJson(url, secret)) ?? {};
  const items = itemsUnder(body, 'data');
  return items && namesOf(items, 'id');
}

/** Settings of the configuration, and secrets by the name of their variable. */
interface ModelChange {
  settings: { path: (string | number)[]; value: unknown }[];
  secrets: Record<string, string>;
}

export function modelChange(
  model: string,
  env: NodeJS.ProcessEnv,
  more: { key?: string; baseURL?: string },
): ModelChange {
  const provider = model.split('/')[0] ?? '';
  const variable = PROVIDERS[provider]?.env[0];
  const name = variable ?? `${provider.toUpperCase().replace(/[^A-Z0-9]/g, '_')}_API_KEY`;
  const ollama = provider === 'ollama' && ollamaAddress(env) !== OLLAMA ? `${ollamaAddress(env)}/v1` : undefined;
  const baseURL = more.baseURL ?? ollama;
  return {
    settings: [
      { path: ['model'], value: model },
      ...(baseURL === undefined ? [] : [{ path: ['providers', provider, 'baseURL'], value: baseURL }]),
      ...(more.key && variable === undefined
        ? [{ path: ['providers', provider, 'apiKey'], value: `\${${name}}` }]
        : []),
    ],
    secrets: more.key ? { [name]: more.key } : {},
  };
}

/** Returns what to do about failed checks, or undefined if they say it themselves. */
export function modelFix(wrong: readonly Finding[], page: string | undefined): Wording | undefined {
  const reasons = new Set(wrong.map(({ why, isSetting }) => (isSetting ? 'told' : why)));
  for (const away of ['unknown-host', 'away'] as const) {
    // If nothing was reached, the key and the address are not to blame.
    if (reasons.has(away))
      return page === undefined ? say('setup.orAddress', { what: reachFix(away) }) : reachFix(away);
  }
  if (reasons.has('key')) return page ? say('setup.keyRefusedPage', { page }) : say('setup.keyRefused');
  return reasons.has(undefined) ? say('setup.checkAddress') : undefined;
}

/**
 * Completes a typed address; returns undefined if it is not one. Public names get https, so that no key is sent in the
 * clear.
 */
export function wholeAddress(typed: string): string | undefined {
  const scheme = /^[\w-]+(\.[\w-]+)*\.[a-z]{2,}(\/|$)/i.test(typed) ? 'https' : 'http';
  const address = (/^[a-z][\w+.-]*:\/\//i.test(typed) ? typed : `${scheme}://${typed}`).replace(/\/+$/, '');
  return /^https?:\/\//i.test(address) && URL.canParse(address) ? address : undefined;
}

export const addressProblem = (typed: string): Wording | undefined =>
  wholeAddress(typed) === undefined ? say('setup.badAddress') : undefined;

/** Many servers answer below /v1, which copied addresses often lack. */
export async function modelsAt(address: string, key: string): Promise<{ baseURL: string; names: string[] }> {
  for (const baseURL of address.endsWith('/v1') ? [address] : [address, `${address}/v1`]) {
    const names = await namesAt(`${baseURL}/models`, key);
    if (names?.length) return { baseURL, names };
  }
  return { baseURL: address, names: [] };
}
