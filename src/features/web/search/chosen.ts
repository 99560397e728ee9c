/** Chooses the search engine from the settings, with its address and key. Pure. */
import type { Config } from '../../../config.ts';
import type { EngineName } from './engines.ts';

export interface ChosenEngine {
  name: EngineName;
  url?: string;
  apiKey?: string;
}

export const ENGINE_LABELS: Readonly<Record<EngineName, string>> = {
  searxng: 'SearXNG',
  brave: 'Brave',
  tavily: 'Tavily',
};

/** Returns undefined if no engine is named or has an address or a key. */
export function engineOf({ by, url, apiKey }: Config['search'], env: NodeJS.ProcessEnv): ChosenEngine | undefined {
  const brave = env.BRAVE_API_KEY?.trim() || undefined;
  const tavily = env.TAVILY_API_KEY?.trim() || undefined;
  const at = url === undefined ? {} : { url };
  const keyed = (name: EngineName, key: string | undefined) => ({ name, ...at, ...(key && { apiKey: key }) });
  if (by === 'searxng') return { name: by, ...at };
  if (by === 'brave') return keyed(by, apiKey ?? brave);
  if (by === 'tavily') return keyed(by, apiKey ?? tavily);
  if (by !== 'auto') return undefined;
  if (url !== undefined) return { name: 'searxng', url };
  if (brave) return { name: 'brave', apiKey: brave };
  return tavily ? { name: 'tavily', apiKey: tavily } : undefined;
}

/** Returns what to set if the engine needs a key and has none. */
export const lackingKey = ({ name, apiKey }: ChosenEngine): string | undefined =>
  name === 'searxng' || apiKey
    ? undefined
    : `There is no key for ${ENGINE_LABELS[name]}: set search.apiKey or ${ENGINE_LABELS[name].toUpperCase()}_API_KEY.`;
