/**
 * Checks the web search with one query. Doesn't test the answering model's own search, because that costs money and the
 * doctor asks the model anyway.
 */
import type { Config } from '../../config.ts';
import { ConfigError, errorMessage } from '../../errors.ts';
import { addSecret } from '../../log.ts';
import { type Finding, wrong } from '../../runtime/contract/finding.ts';
import { splitModelName } from '../../runtime/contract/providers.ts';
import { describeFailure } from '../../runtime/contract/run-error.ts';
import { createModels } from '../../runtime/model/models.ts';
import { canSearch, searchBy } from '../../runtime/model/search.ts';
import { ENGINE_LABELS, engineOf, lackingKey } from './search/chosen.ts';
import { searchEngine } from './search/engines.ts';

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

interface SearchProbe {
  who: string;
  pages: number;
}

async function askEngine({ search }: Config, env: NodeJS.ProcessEnv): Promise<SearchProbe | undefined> {
  const engine = engineOf(search, env);
  if (!engine) return undefined;
  addSecret(engine.apiKey);
  const lacking = lackingKey(engine);
  if (lacking) throw new ConfigError([{ path: 'search.apiKey', message: lacking }]);
  const { results } = await searchEngine(engine.name, engine).search(QUERY, AbortSignal.timeout(TIMEOUT_MS));
  return { who: ENGINE_LABELS[engine.name], pages: results.length };
}

async function askProvider({ search, model, providers }: Config, env: NodeJS.ProcessEnv): Promise<SearchProbe> {
  const models = createModels({ providers, env });
  const name = search.model ?? model ?? models.defaultModel;
  if (!canSearch(splitModelName(name).provider)) {
    const message = `${name} can't search the web: name one of anthropic, openai or google, or set search.by`;
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
