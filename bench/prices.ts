/**
 * `npm run prices -- FILE_OR_URL`: creates `src/runtime/model/known-models.json`, with the prices, context sizes and
 * thinking levels of our providers' models, from a public list: models.dev's `api.json`, or LiteLLM's
 * `model_prices_and_context_window.json`.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { LOCAL_PROVIDERS, PROVIDERS } from '../src/runtime/contract/providers.ts';

const TARGET = path.join(import.meta.dirname, '..', 'src', 'runtime', 'model', 'known-models.json');
const LEVELS = ['low', 'medium', 'high'] as const;
/** OpenRouter lists hundreds; only models younger than this are included, in days before the newest. */
const ROUTED_DAYS = 270;

export interface Row {
  name: string;
  input: number;
  output: number;
  cachedInput?: number;
  context?: number;
  /** Thinking levels that can be chosen, separated by spaces; '' if there are none, absent if unknown. */
  thinking?: string;
  released?: string;
}

export interface List {
  source: string;
  licence: string;
  /** The release day of the newest model in it. */
  asOf: string;
  models: Record<string, Row>;
}

const option = z.object({
  type: z.string(),
  values: z.array(z.string().nullable()).optional(),
  min: z.number().optional(),
});
const devModel = z.object({
  name: z.string(),
  release_date: z.string().optional(),
  status: z.string().optional(),
  tool_call: z.boolean().optional(),
  reasoning: z.boolean().optional(),
  reasoning_options: z.array(option).optional(),
  cost: z.object({ input: z.number(), output: z.number(), cache_read: z.number().optional() }).optional(),
  limit: z.object({ context: z.number().optional() }).optional(),
});
type DevModel = z.infer<typeof devModel>;
const devList = z.record(z.string(), z.object({ models: z.record(z.string(), z.unknown()) }));

const litellmModel = z.object({
  litellm_provider: z.string(),
  mode: z.literal('chat'),
  input_cost_per_token: z.number(),
  output_cost_per_token: z.number(),
  cache_read_input_token_cost: z.number().optional(),
  max_input_tokens: z.number().optional(),
  supports_function_calling: z.literal(true),
  supports_reasoning: z.boolean().optional(),
});

/** Our names for providers that a list names differently. */
const DEV_NAMES: Readonly<Record<string, string>> = { moonshotai: 'moonshot' };
const LITELLM_NAMES: Readonly<Record<string, string>> = { gemini: 'google' };

function ours(name: string, names: Readonly<Record<string, string>>): string | undefined {
  const own = Object.hasOwn(names, name) ? names[name] : name;
  return own !== undefined && Object.hasOwn(PROVIDERS, own) && !LOCAL_PROVIDERS.some((local) => local === own)
    ? own
    : undefined;
}

/** Reads the list in either shape. Throws if it is neither. */
export function toList(data: unknown): List {
  const dev = devList.safeParse(data);
  if (dev.success) return fromModelsDev(dev.data);
  return fromLiteLlm(z.record(z.string(), z.unknown()).parse(data));
}

function fromModelsDev(data: z.infer<typeof devList>): List {
  const rows = Object.entries(data).flatMap(([name, { models }]) => {
    const provider = ours(name, DEV_NAMES);
    if (provider === undefined) return [];
    return Object.entries(models).flatMap(([id, given]): [string, Row][] => {
      const model = devModel.safeParse(given).data;
      if (!model?.cost || !model.tool_call || model.status === 'deprecated') return [];
      return [[`${provider}/${id}`, rowOf(provider, model, model.cost)]];
    });
  });
  return listOf('https://models.dev/api.json', 'MIT, Copyright (c) 2025 models.dev', rows);
}

function rowOf(provider: string, model: DevModel, cost: NonNullable<DevModel['cost']>): Row {
  const thinking = thinkingOf(provider, model);
  return {
    ...{ name: model.name, input: cost.input, output: cost.output },
    ...(cost.cache_read !== undefined && { cachedInput: cost.cache_read }),
    ...(model.limit?.context && { context: model.limit.context }),
    ...(thinking !== undefined && { thinking }),
    ...(model.release_date && { released: model.release_date }),
  };
}

function thinkingOf(provider: string, { reasoning, reasoning_options: options }: DevModel): string | undefined {
  if (reasoning === false) return '';
  if (!options) return reasoning === undefined ? undefined : '';
  const effort = options.find(({ type }) => type === 'effort')?.values;
  const budget = options.find(({ type }) => type === 'budget_tokens');
  const toggle = options.some(({ type }) => type === 'toggle');
  // Anthropic's models with a budget think only when told to.
  const isOff = toggle || effort?.includes('none') || (budget && (budget.min === 0 || provider === 'anthropic'));
  const chosen = effort ? LEVELS.filter((level) => effort.includes(level)) : budget ? LEVELS : toggle ? ['high'] : [];
  return [...(isOff ? ['off'] : []), ...chosen].join(' ');
}

function fromLiteLlm(data: Record<string, unknown>): List {
  const million = (price: number) => Number((price * 1_000_000).toPrecision(6));
  const rows = Object.entries(data).flatMap(([id, given]): [string, Row][] => {
    const model = litellmModel.safeParse(given).data;
    const provider = model && ours(model.litellm_provider, LITELLM_NAMES);
    if (!model || provider === undefined) return [];
    const name = id.startsWith(`${model.litellm_provider}/`) ? id.slice(model.litellm_provider.length + 1) : id;
    const { cache_read_input_token_cost: cached, max_input_tokens: context } = model;
    const row: Row = {
      ...{ name, input: million(model.input_cost_per_token), output: million(model.output_cost_per_token) },
      ...(cached !== undefined && { cachedInput: million(cached) }),
      ...(context && { context }),
      ...(model.supports_reasoning === false && { thinking: '' }),
    };
    return [[`${provider}/${name}`, row]];
  });
  return listOf(
    'https://github.com/BerriAI/litellm/blob/main/model_prices_and_context_window.json',
    'MIT, Copyright (c) 2023 Berri AI',
    rows,
  );
}

function listOf(source: string, licence: string, rows: [string, Row][]): List {
  const asOf = rows.reduce((newest, [, { released = '' }]) => (released > newest ? released : newest), '');
  const oldest = asOf && new Date(Date.parse(asOf) - ROUTED_DAYS * 86_400_000).toISOString().slice(0, 10);
  const kept = rows.filter(([id, { released = '', input }]) => {
    return !id.startsWith('openrouter/') || (released >= oldest && input > 0);
  });
  kept.sort(([one], [other]) => (one < other ? -1 : 1));
  return { source, licence, asOf, models: Object.fromEntries(kept) };
}

/** Writes one model per line, so that a new list is easy to compare with the previous one. */
export function printList({ source, licence, asOf, models }: List): string {
  const head = Object.entries({ source, licence, asOf }).map(([key, value]) => `  "${key}": ${JSON.stringify(value)},`);
  const lines = Object.entries(models).map(([id, row]) => `    ${JSON.stringify(id)}: ${spaced(row)}`);
  return `{\n${head.join('\n')}\n  "models": {\n${lines.join(',\n')}\n  }\n}\n`;
}

const spaced = (row: Row): string =>
  `{ ${Object.entries(row)
    .map(([key, value]) => `"${key}": ${JSON.stringify(value)}`)
    .join(', ')} }`;

async function main(from: string | undefined): Promise<void> {
  if (from === undefined) throw new Error('say where the list is: npm run prices -- FILE_OR_URL');
  const isAddress = /^https?:/.test(from);
  const text = isAddress ? await (await fetch(from)).text() : await readFile(from, 'utf8');
  const list = toList(JSON.parse(text));
  if (Object.keys(list.models).length === 0) throw new Error(`${from} lists no model of a provider that we know`);
  await writeFile(TARGET, printList(list));
  process.stdout.write(`${Object.keys(list.models).length} models as of ${list.asOf || 'now'}: ${TARGET}\n`);
}

if (import.meta.main) await main(process.argv[2]);
