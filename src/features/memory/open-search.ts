/** The memory search with its dependencies, opened on first use, and its daily cleanup. */
import type { Config } from '../../config.ts';
import { errorMessage } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { Embedders } from '../../runtime/model/models.ts';
import type { Home } from '../../workspace/home.ts';
import { configOf, perGateway } from '../gateway.ts';
import type { MeteredBy } from './metered-embedder.ts';
import type { MemorySearch } from './store/search.ts';

export interface OpenSearch {
  searchMemory: MemorySearch['searchMemory'];
  /** Removes old daily logs and indexes. Never rejects. */
  sweep(now: Date): Promise<void>;
  close(): Promise<void>;
}

export function openSearch({
  config,
  home,
  embedders,
  costs,
  log,
}: {
  config: Config;
  home: Home;
  embedders: Embedders;
  /** Counts and caps the calls of the embedding model. */
  costs?: MeteredBy | undefined;
  log: Logger;
}): OpenSearch {
  const { memory: settings } = config;
  let opened: Promise<MemorySearch> | undefined;

  function open(): Promise<MemorySearch> {
    opened ??= load();
    return opened;
  }

  async function load(): Promise<MemorySearch> {
    const [{ MemorySearch }, { meteredEmbedder }] = await Promise.all([
      import('./store/search.ts'),
      import('./metered-embedder.ts'),
    ]);
    const embedder = settings.embedding === undefined ? undefined : embedders.embedder(settings.embedding);
    return new MemorySearch({
      home,
      settings,
      log,
      embedder: embedder && costs ? meteredEmbedder(embedder, costs) : embedder,
    });
  }

  const searchMemory: OpenSearch['searchMemory'] = async (...query) => (await open()).searchMemory(...query);
  return {
    searchMemory,
    async sweep(now) {
      try {
        const { sweepAll } = await import('./store/retention.ts');
        const removed = await sweepAll(home, settings.retention, now, (viber, error) =>
          log.error({ viber, err: errorMessage(error) }, 'old daily logs could not be removed'),
        );
        if (removed > 0) log.info({ removed, days: settings.retention.daily_logs_days }, 'old daily logs were removed');
        await (await open()).sweepIndexes(now.getTime());
      } catch (error) {
        log.error({ err: errorMessage(error) }, 'old memory could not be cleared away');
      }
    },
    close: async () => (await opened)?.close(),
  };
}

export const searchOf = perGateway((gw): OpenSearch => {
  const { home, log, models } = gw;
  return openSearch({ config: configOf(gw), home, embedders: models.providers, costs: models.spending, log });
});
