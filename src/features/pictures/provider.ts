/** Finds the provider that draws, with its address and key. A key is never sent to another provider. Pure. */
import { say } from '../../messages/messages.ts';
import type { Finding } from '../../runtime/contract/finding.ts';
import { keySetting, knownProvider, type ProviderSettings, splitModelName } from '../../runtime/contract/providers.ts';

/** Providers whose address the libraries know. */
const OWN_ADDRESS: ReadonlySet<string> = new Set(['openai', 'google']);

interface DrawingProvider {
  /** Without an address of its own, a provider's key would go to OpenAI. */
  canDraw: boolean;
  apiKey: string | undefined;
  baseURL: string | undefined;
  headers: Record<string, string>;
}

export function drawingProvider(
  provider: string,
  providers: Readonly<Record<string, ProviderSettings>>,
  env: NodeJS.ProcessEnv,
): DrawingProvider {
  const own = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  const known = knownProvider(provider);
  const apiKey = own?.apiKey?.trim() || known?.env.map((key) => env[key]?.trim()).find(Boolean) || undefined;
  const baseURL = own?.baseURL ?? known?.baseURL;
  return { canDraw: baseURL !== undefined || OWN_ADDRESS.has(provider), apiKey, baseURL, headers: own?.headers ?? {} };
}

/** Reports the settings to the doctor. Draws nothing, because that costs money. */
export function checkPictures(
  model: string | undefined,
  providers: Readonly<Record<string, ProviderSettings>>,
  env: NodeJS.ProcessEnv,
): Finding[] {
  if (model === undefined) return [];
  const { provider } = splitModelName(model);
  const { canDraw, apiKey } = drawingProvider(provider, providers, env);
  const wrong = (path: string, what: ReturnType<typeof say>): Finding[] => [
    { name: 'pictures', state: 'wrong', detail: say('doctor.setting', { path, what }), isSetting: true },
  ];
  if (!canDraw) return wrong('pictures.model', say('doctor.noPictures', { provider }));
  if (!apiKey && OWN_ADDRESS.has(provider)) return wrong(keySetting(provider), say('doctor.noPictureKey'));
  return [{ name: 'pictures', state: 'ok', detail: say('doctor.pictures', { model }) }];
}
