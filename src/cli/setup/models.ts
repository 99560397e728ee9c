/**
 * Sets up the model: with a pasted key, from Ollama on this machine, at a compatible address, or the small built-in
 * one.
 */
import { say, type Wording } from '../../messages/messages.ts';
import { OFFLINE_MODEL, PROVIDERS } from '../../runtime/contract/providers.ts';
import { checkModels } from '../doctor/checks.ts';
import { awayFix, type Finding, inEnglish, isAway } from '../doctor/finding.ts';
import type { Choice, Screen } from './screen.ts';
import type { Change, Settings } from './settings.ts';

const OLLAMA = 'http://127.0.0.1:11434';
const LOOK_MS = 2_000;

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
type KeyedProvider = keyof typeof KEY_PAGES;

export const isKeyed = (text: string): text is KeyedProvider => Object.hasOwn(KEY_PAGES, text);

/** Returns Ollama's address on this machine, from its own variable if set. */
export function ollamaAddress(env: NodeJS.ProcessEnv): string {
  const given = env.OLLAMA_HOST?.trim().replace(/\/+$/, '');
  if (!given) return OLLAMA;
  return /^https?:\/\//.test(given) ? given : `http://${given}`;
}

/** Returns the names of Ollama's models, or undefined if it does not run. */
export async function ollamaModels(address: string): Promise<string[] | undefined> {
  const found = await namesAt(`${address}/api/tags`, 'models', 'name');
  return found;
}

async function namesAt(url: string, list: string, key: string, secret = ''): Promise<string[] | undefined> {
  try {
    const headers = secret === '' ? {} : { authorization: `Bearer ${secret}` };
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(LOOK_MS), redirect: 'error' });
    const body: unknown = response.ok ? await response.json() : {};
    const items: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, list) : undefined;
    if (!Array.isArray(items)) return undefined;
    return items
      .map((item: unknown) => (typeof item === 'object' && item !== null ? Reflect.get(item, key) : undefined))
      .filter((name): name is string => typeof name === 'string' && /^\S{1,200}$/.test(name))
      .slice(0, 200);
  } catch (error) {
    // Nothing listens there, or it is another kind of server.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** Returns the settings that choose a model, and the secret for its key if one is given. */
export function modelChange(model: string, env: NodeJS.ProcessEnv, more: { key?: string; baseURL?: string }): Change {
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

/** Returns the doctor's findings for the model alone. */
export async function checkModel(settings: Settings, change: Change): Promise<Finding[]> {
  const { config, env } = await settings.with(change);
  const findings = await checkModels({ ...config, fallback: [] }, env);
  // The note about the built-in model's size is dropped: the person has just chosen it.
  return findings.filter(({ state, detail }) => state !== 'note' || !inEnglish(detail).startsWith(OFFLINE_MODEL));
}

/** Returns what to do about a refusal, or undefined if its own text already says it. */
export function modelFix(detail: string, page: string | undefined): Wording | undefined {
  // If nothing was reached, the key and the address are not to blame.
  if (isAway(detail)) return page === undefined ? say('setup.orAddress', { what: awayFix(detail) }) : awayFix(detail);
  if (/401|403|api key|unauthori[sz]ed|authentication/i.test(detail))
    return page ? say('setup.keyRefusedPage', { page }) : say('setup.keyRefused');
  if (/cannot use tools|more memory|ollama pull|does not know the model|does not serve|no credit/.test(detail))
    return undefined;
  return say('setup.checkAddress');
}

const BUILT_IN: Change = { settings: [{ path: ['model'], value: OFFLINE_MODEL }], secrets: {} };

const detailsOf = (findings: readonly Finding[], wanted: Finding['state']): Finding['detail'][] =>
  findings.filter(({ state }) => state === wanted).map(({ detail }) => detail);

interface ModelChange {
  change: Change;
  page?: string;
}

/** Asks until a model answers or the person accepts the problem. */
export async function chooseModel(
  screen: Screen,
  settings: Settings,
  ask: () => Promise<ModelChange> = () => askModel(screen, settings),
): Promise<void> {
  for (;;) {
    const { change, page } = await ask();
    // The built-in model needs no question to answer.
    if (change === BUILT_IN) return settings.save(change);
    screen.say(say('setup.askingModel'));
    const findings = await checkModel(settings, change);
    const wrong = findings.filter(({ state }) => state === 'wrong');
    if (wrong.length === 0) {
      await settings.save(change);
      screen.good(...detailsOf(findings, 'ok'));
      const notes = detailsOf(findings, 'note');
      if (notes.length > 0) screen.say(...notes);
      return;
    }
    const details = detailsOf(findings, 'wrong');
    const fix = modelFix(details.map(inEnglish).join('; '), page);
    screen.bad(...details, ...(fix ? [fix] : []));
    const next = await screen.select(say('setup.whatNow'), [
      { value: 'again', label: say('setup.tryAgain') },
      { value: 'keep', label: say('setup.keepIt') },
    ]);
    if (next === 'again') continue;
    await settings.save(change);
    return;
  }
}

async function askModel(screen: Screen, settings: Settings): Promise<ModelChange> {
  const { env } = settings;
  const local = await ollamaModels(ollamaAddress(env));
  const choices: Choice<string>[] = [
    ...Object.entries(KEY_PAGES).map(([value, { label }]) => ({ value, label })),
    {
      value: 'ollama',
      label: say('setup.ollama'),
      hint: local === undefined ? say('setup.noOllama') : say('setup.found', { n: local.length }),
    },
    { value: 'custom', label: say('setup.otherAddress'), hint: say('setup.compatible') },
    { value: 'offline', label: say('setup.noneYet'), hint: say('setup.builtIn') },
  ];
  const found = Object.keys(KEY_PAGES).find((name) => PROVIDERS[name]?.env.some((variable) => env[variable]));
  const chosen = await screen.select(
    say('setup.whichModel'),
    choices,
    found ?? (local?.length ? 'ollama' : 'anthropic'),
  );
  if (isKeyed(chosen)) return askKey(screen, chosen, env);
  if (chosen === 'ollama') {
    if (!local?.length) {
      screen.say(say('setup.startOllama'));
      return askModel(screen, settings);
    }
    const names = local.map((name) => ({ value: name, label: name }));
    return { change: modelChange(`ollama/${await screen.select(say('setup.whichOfIts'), names)}`, env, {}) };
  }
  if (chosen === 'custom') return askAddress(screen, env);
  return { change: BUILT_IN };
}

async function askKey(
  screen: Screen,
  provider: KeyedProvider,
  env: NodeJS.ProcessEnv,
): Promise<{ change: Change; page: string }> {
  const { page } = KEY_PAGES[provider];
  const { env: variables = [], defaultModel = '' } = PROVIDERS[provider] ?? {};
  const model = `${provider}/${defaultModel}`;
  const there = variables.find((name) => env[name]);
  const kept = there === undefined ? undefined : env[there];
  if (there !== undefined && kept && (await screen.confirm(say('setup.useKey', { variable: there }))))
    return { change: modelChange(model, env, { key: kept }), page };
  screen.say(say('setup.makeKey', { page }));
  return { change: modelChange(model, env, { key: await screen.secret(say('setup.pasteKey')) }), page };
}

/**
 * Completes a typed address; returns undefined if it is not one. Public names get https, so that no key is sent in the
 * clear.
 */
function wholeAddress(typed: string): string | undefined {
  const scheme = /^[\w-]+(\.[\w-]+)*\.[a-z]{2,}(\/|$)/i.test(typed) ? 'https' : 'http';
  const address = (/^[a-z][\w+.-]*:\/\//i.test(typed) ? typed : `${scheme}://${typed}`).replace(/\/+$/, '');
  return /^https?:\/\//i.test(address) && URL.canParse(address) ? address : undefined;
}

const addressProblem = (typed: string): Wording | undefined =>
  wholeAddress(typed) === undefined ? say('setup.badAddress') : undefined;

/** Many servers answer below /v1, which copied addresses often lack. */
async function modelsAt(address: string, key: string): Promise<{ baseURL: string; names: string[] }> {
  for (const baseURL of address.endsWith('/v1') ? [address] : [address, `${address}/v1`]) {
    const names = await namesAt(`${baseURL}/models`, 'data', 'id', key);
    if (names?.length) return { baseURL, names };
  }
  return { baseURL: address, names: [] };
}

async function askAddress(screen: Screen, env: NodeJS.ProcessEnv): Promise<{ change: Change }> {
  const typed = await screen.text(say('setup.itsAddress'), 'http://127.0.0.1:8080/v1', addressProblem);
  const key = await screen.secret(say('setup.pasteItsKey'), true);
  const { baseURL, names } = await modelsAt(wholeAddress(typed) ?? typed, key);
  const name = names.length
    ? await screen.select(
        say('setup.whichOfIts'),
        names.map((value) => ({ value, label: value })),
      )
    : await screen.text(say('setup.modelName'));
  return { change: modelChange(`custom/${name}`, env, { key, baseURL }) };
}
