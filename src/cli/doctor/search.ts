/**
 * Whether the web can be searched as the settings say, by one search, and whether what models and voices cost is known. A search by the
 * provider of the model that answers anyway is not tried: it costs money, and the model itself was asked.
 */
import type { Config } from '../../config.ts';
import { ConfigError, errorMessage } from '../../errors.ts';
import { addSecret } from '../../log.ts';
import { knownProvider, OFFLINE_MODEL, splitModelName } from '../../runtime/contract/providers.ts';
import { describeFailure } from '../../runtime/contract/run-error.ts';
import { hasMinutePrice } from '../../runtime/costs/minutes.ts';
import { priceOf } from '../../runtime/costs/prices.ts';
import { createModels } from '../../runtime/model/models.ts';
import { canSearch, searchBy } from '../../runtime/model/search.ts';
import { ENGINE_LABELS, engineOf, lackingKey } from '../../runtime/tools/search/chosen.ts';
import { searchEngine } from '../../runtime/tools/search/engines.ts';
import { wrong } from './checks.ts';
import type { Finding } from './finding.ts';

const QUERY = 'Wikipedia';
const TIMEOUT_MS = 30_000;

export async function checkSearch(config: Config, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const { search } = config;
  if (search.by === 'off') return [];
  const isByProvider = search.by === 'provider' || (search.by === 'auto' && search.model !== undefined);
  try {
    const found = isByProvider ? await askProvider(config, env) : await askEngine(config, env);
    if (!found) return [];
    const isEmpty = found.pages === 0;
    const detail = `${found.who} ${isEmpty ? 'answers, but found nothing' : 'finds pages'}`;
    return [{ name: 'search', state: isEmpty ? 'note' : 'ok', detail }];
  } catch (error) {
    return wrong('search', error);
  }
}

interface Found {
  who: string;
  pages: number;
}

async function askEngine({ search }: Config, env: NodeJS.ProcessEnv): Promise<Found | undefined> {
  const engine = engineOf(search, env);
  if (!engine) return undefined;
  addSecret(engine.apiKey);
  const lacking = lackingKey(engine);
  if (lacking) throw new ConfigError([{ path: 'search.apiKey', message: lacking }]);
  const { results } = await searchEngine(engine.name, engine).search(QUERY, AbortSignal.timeout(TIMEOUT_MS));
  return { who: ENGINE_LABELS[engine.name], pages: results.length };
}

async function askProvider({ search, model, providers }: Config, env: NodeJS.ProcessEnv): Promise<Found> {
  const models = createModels({ providers, env });
  const name = search.model ?? model ?? models.defaultModel;
  if (!canSearch(splitModelName(name).provider)) {
    const message = `${name} has no search of its own: name one of anthropic, openai or google, or set search.by`;
    throw new ConfigError([{ path: 'search.model', message }]);
  }
  try {
    const { results } = await searchBy(await models.searching(name), QUERY, AbortSignal.timeout(TIMEOUT_MS));
    return { who: name, pages: results.length };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { kind, userMessage } = describeFailure(error, name).error;
    const why = kind === 'quota' || kind === 'key' ? userMessage : errorMessage(error);
    throw new Error(`${name} does not search: ${why}`, { cause: error });
  }
}

/** Models that somebody is charged for, and whose price nobody knows: their tokens are counted, and limits in money do not hold them. */
export function checkPrices(config: Config, env: NodeJS.ProcessEnv): Finding[] {
  const { prices, currency, limits, voice } = config;
  const models = createModels({ providers: config.providers, env });
  const isLimited = limits.costPerDay > 0 || limits.costPerPersonPerDay > 0;
  const small = config.small_model === undefined ? [] : [config.small_model];
  const used = [config.model ?? models.defaultModel, ...config.fallback, ...config.models, ...small];
  const isPaid = (name: string) => isLimited || (knownProvider(splitModelName(name).provider)?.env.length ?? 0) > 0;
  const unpriced = [...new Set(used)].filter(
    (name) => name !== OFFLINE_MODEL && isPaid(name) && priceOf(name, prices, currency) === undefined,
  );
  const isSpeechUnknown =
    voice.reply === 'same' && !hasMinutePrice(voice.speech, currency) && !priceOf(voice.speech, prices, currency);
  const unknown = isSpeechUnknown ? [...unpriced, voice.speech] : unpriced;
  return unknown.map((name) => ({
    name: 'prices',
    state: 'note',
    detail: `no price is known for ${name}: its tokens are counted, and limits in money do not hold it; set prices.${name}`,
  }));
}
