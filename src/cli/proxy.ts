/**
 * The proxy that the environment names, as other programs use it: Node itself asks for a switch beside it. What runs on this machine
 * is asked directly. Not for the pages that a model reads (src/skills/web/request.ts): a proxy would look up their names anew.
 */
import { errorMessage } from '../errors.ts';

const NAMES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'] as const;
const HERE = 'localhost,127.0.0.1,::1,[::1]';

/** Changes `env`, and `process.env`: what opens connections of its own reads it there. Gives a sentence where a proxy cannot be used. */
export async function useProxy(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const named = NAMES.filter((name) => env[name]?.trim());
  // Whoever has set the switch has decided.
  if (named.length === 0 || env.NODE_USE_ENV_PROXY !== undefined) return undefined;
  const wrong = named.find((name) => !isUsable(env[name] ?? ''));
  if (wrong) return `${wrong} is not used: it takes http://HOST:PORT, and nothing but http and https.`;
  const direct = [env.no_proxy || env.NO_PROXY, HERE].filter(Boolean).join(',');
  const proxy = { ...Object.fromEntries(named.map((name) => [name, env[name]])), NO_PROXY: direct, no_proxy: direct };
  const { setGlobalProxyFromEnv }: Partial<typeof import('node:http')> = await import('node:http');
  if (!setGlobalProxyFromEnv)
    return `${named.join(', ')} is not used: set NODE_USE_ENV_PROXY=1 as well, or take Node 24.14 or newer.`;
  try {
    setGlobalProxyFromEnv(proxy);
  } catch (error) {
    return `The proxy of ${named.join(', ')} is not used: ${errorMessage(error)}`;
  }
  for (const each of [env, process.env]) Object.assign(each, proxy, { NODE_USE_ENV_PROXY: '1' });
  return undefined;
}

const isUsable = (address: string): boolean => URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
