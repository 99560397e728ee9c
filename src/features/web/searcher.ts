/**
 * Chooses the web search of a run: by the model's provider, or with a configured engine. Loaded for the first search.
 */
import { principalText } from '../../access/principal.ts';
import type { Config } from '../../config.ts';
import { UserError } from '../../errors.ts';
import { addSecret } from '../../log.ts';
import { usageOf } from '../../runtime/contract/call-usage.ts';
import type { Order } from '../../runtime/contract/order.ts';
import { splitModelName } from '../../runtime/contract/providers.ts';
import { describeFailure } from '../../runtime/contract/run-error.ts';
import type { OwnSettings } from '../../runtime/contract/settings.ts';
import type { Metering } from '../../runtime/contract/spending.ts';
import type { Searches } from '../../runtime/model/models.ts';
import { canSearch, searchBy } from '../../runtime/model/search.ts';
import { configOf, type Gateway, perGateway } from '../gateway.ts';
import { type ChosenEngine, ENGINE_LABELS, engineOf, lackingKey } from './search/chosen.ts';
import type { Searcher } from './search/engines.ts';

export interface SearchOptions {
  config: Pick<Config, 'search' | 'providers'>;
  env: NodeJS.ProcessEnv;
  models: Searches;
  /** Returns the model that answers an order. */
  modelOf: (order: Order, own: OwnSettings) => string;
  meter: Metering;
}

/** Returns a function that provides a run's web search, or undefined if there is none. */
export const searcherFor = perGateway((gw) =>
  openSearch({
    config: configOf(gw),
    env: gw.features.env,
    models: gw.models.providers,
    meter: gw.models.spending,
    modelOf: (order, own) => modelOf(order, own, gw.models),
  }),
);

function modelOf(
  { address, job, asked, own: ordered }: Order,
  own: OwnSettings,
  { chosen, modelName }: Gateway['models'],
): string {
  const here = address && !job && !asked ? chosen(address).model : undefined;
  return ordered?.model ?? here ?? own.model ?? modelName();
}

const NAMES: Readonly<Record<string, string>> = { anthropic: 'Anthropic', openai: 'OpenAI', google: 'Google' };
const TIMEOUT_MS = 60_000;

export function openSearch(options: SearchOptions): (order: Order, own: OwnSettings) => Searcher | undefined {
  const { search, providers } = options.config;
  const engine = engineOf(search, options.env);
  addSecret(engine?.apiKey);

  /**
   * Returns the model whose provider searches. An endpoint that replaces OpenAI's is assumed to have no search unless
   * it is configured.
   */
  function providerModel(order: Order, own: OwnSettings): string | undefined {
    const name = search.model ?? options.modelOf(order, own);
    const { provider } = splitModelName(name);
    const isOther = provider === 'openai' && providers.openai?.baseURL !== undefined && search.by === 'auto';
    return canSearch(provider) && !isOther ? name : undefined;
  }

  return (order, own) => {
    if (search.by === 'off') return undefined;
    const name = search.by === 'auto' || search.by === 'provider' ? providerModel(order, own) : undefined;
    if (name !== undefined) return byProvider(name, order, options);
    return engine && byEngine(engine);
  };
}

function byEngine(engine: ChosenEngine): Searcher {
  return {
    name: ENGINE_LABELS[engine.name],
    async search(query, signal) {
      const lacking = lackingKey(engine);
      if (lacking) throw new UserError(lacking);
      const { searchEngine } = await import('./search/engines.ts');
      return searchEngine(engine.name, engine).search(query, signal);
    },
  };
}

/** Searches with one separate model call, counted like every other call of the run. */
function byProvider(name: string, { run, task, principal, asked }: Order, { models, meter }: SearchOptions): Searcher {
  const { provider } = splitModelName(name);
  const metered = meter.hooks({ run: asked?.root ?? run, task: task.id, person: principalText(principal) });
  return {
    name: NAMES[provider] ?? provider,
    async search(query, signal) {
      const begun = performance.now();
      const late = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
      try {
        metered.beforeCall();
        const { answer, results, usage } = await searchBy(await models.searching(name), query, late);
        metered.onUsage(name, usageOf(usage, []), Math.floor(performance.now() - begun));
        return { answer, results };
      } catch (error) {
        signal.throwIfAborted();
        throw new UserError(describeFailure(error, name).error.userMessage || 'A daily limit is reached.');
      }
    },
  };
}
