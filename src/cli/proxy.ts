/**
 * Uses the proxy from the environment, as other programs do; Node itself requires a switch. Connects to this machine
 * directly. Does not apply to pages that a model reads (src/lib/public-request.ts): a proxy would resolve their names
 * again.
 */
import { errorMessage } from '../errors.ts';
import { say, type Wording } from '../messages/messages.ts';

const NAMES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'] as const;
const HERE = 'localhost,127.0.0.1,::1,[::1]';

/**
 * Changes `env` and `process.env`, which libraries with their own connections read. Returns a sentence if a proxy can't
 * be used.
 */
export async function useProxy(env: NodeJS.ProcessEnv): Promise<Wording | undefined> {
  const named = NAMES.filter((name) => env[name]?.trim());
  // Setting Node's own switch is an explicit choice; respect it.
  if (named.length === 0 || env.NODE_USE_ENV_PROXY !== undefined) return undefined;
  const wrong = named.find((name) => !isUsable(env[name] ?? ''));
  if (wrong) return say('cli.proxyForm', { name: wrong });
  const direct = [env.no_proxy || env.NO_PROXY, HERE].filter(Boolean).join(',');
  const proxy = { ...Object.fromEntries(named.map((name) => [name, env[name]])), NO_PROXY: direct, no_proxy: direct };
  const { setGlobalProxyFromEnv }: Partial<typeof import('node:http')> = await import('node:http');
  if (!setGlobalProxyFromEnv) return say('cli.proxyNode', { names: named.join(', ') });
  try {
    setGlobalProxyFromEnv(proxy);
  } catch (error) {
    return say('cli.proxyFailed', { names: named.join(', '), why: errorMessage(error) });
  }
  for (const each of [env, process.env]) Object.assign(each, proxy, { NODE_USE_ENV_PROXY: '1' });
  return undefined;
}

const isUsable = (address: string): boolean => URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
