/** Tells by its form alone whose secret a text is, so that one in the wrong place is named. Shows none of it. */
import { channelKinds } from '../channels/index.ts';
import { say, type Wording } from '../messages/messages.ts';
import { variable } from './environment.ts';
import type { Config } from './schema.ts';

interface ProviderKeys {
  name: string;
  label: string;
  variables: readonly string[];
  /** The form of its keys; absent if others have the same. */
  form?: RegExp;
}

/** https://platform.claude.com/docs, https://openrouter.ai/docs, https://console.groq.com/docs and so on. */
const PROVIDER_KEYS: readonly ProviderKeys[] = [
  { name: 'anthropic', label: 'Anthropic', variables: ['ANTHROPIC_API_KEY'], form: /^sk-ant-/ },
  { name: 'openrouter', label: 'OpenRouter', variables: ['OPENROUTER_API_KEY'], form: /^sk-or-/ },
  { name: 'openai', label: 'OpenAI', variables: ['OPENAI_API_KEY'], form: /^sk-(proj|svcacct|admin)-/ },
  {
    name: 'google',
    label: 'Google',
    variables: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
    form: /^AIza[\w-]{30,}$/,
  },
  { name: 'groq', label: 'Groq', variables: ['GROQ_API_KEY'], form: /^gsk_/ },
  { name: 'xai', label: 'xAI', variables: ['XAI_API_KEY'], form: /^xai-/ },
  { name: 'deepseek', label: 'DeepSeek', variables: ['DEEPSEEK_API_KEY'] },
  { name: 'mistral', label: 'Mistral', variables: ['MISTRAL_API_KEY'] },
  { name: 'moonshot', label: 'Moonshot', variables: ['MOONSHOT_API_KEY'] },
];

interface Owner {
  what: Wording | string;
  /** The setting that it belongs to; absent if it belongs nowhere here. */
  place?: string;
}

function likelyOwner(text: string): Owner | undefined {
  for (const { name, usual = {}, lookalikes = [] } of channelKinds()) {
    for (const [key, { pattern, what }] of Object.entries(usual))
      if (what !== undefined && pattern.test(text)) return { what, place: `channels.${name}.${key}` };
    const other = lookalikes.find(({ pattern }) => pattern.test(text));
    if (other) return { what: other.what };
  }
  const provider = PROVIDER_KEYS.find(({ form }) => form?.test(text));
  return (
    provider && { what: say('config.keyOf', { name: provider.label }), place: `providers.${provider.name}.apiKey` }
  );
}

/** Returns what is odd about a channel's setting; undefined if it has its usual form, or none is known. */
export function oddToken(channel: string, key: string, value: unknown): Wording | undefined {
  const form = channelKinds().find(({ name }) => name === channel)?.usual?.[key];
  if (form === undefined || typeof value !== 'string' || form.pattern.test(value)) return undefined;
  const about = { channel, key, looks: form.looks };
  const owner = likelyOwner(value);
  if (owner === undefined) return say('config.odd', about);
  const { what, place } = owner;
  return place === undefined
    ? say('config.oddWhat', { ...about, what })
    : say('config.oddPlace', { ...about, what, place });
}

/** Returns a sentence for each provider's key that another provider has made. An address of one's own may take any. */
export function oddKeys({ providers }: { providers: Config['providers'] }, env: NodeJS.ProcessEnv): Wording[] {
  return PROVIDER_KEYS.flatMap(({ name, variables, form }) => {
    const section = providers[name];
    if (section?.baseURL !== undefined) return [];
    const given: [string, string | undefined][] = [
      [`providers.${name}.apiKey`, section?.apiKey],
      ...variables.map((each): [string, string | undefined] => [each, variable(env, each)]),
    ];
    return given.flatMap(([place, key]) => {
      const maker = PROVIDER_KEYS.find((other) => key !== undefined && other.form?.test(key));
      return maker === undefined || maker.name === name || (key !== undefined && form?.test(key))
        ? []
        : [say('config.otherKey', { place, name: maker.label, right: `providers.${maker.name}.apiKey` })];
    });
  });
}
