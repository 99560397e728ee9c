/** The memory search with its dependencies, opened on first use, and its daily cleanup. */
import { errorMessage } from '../../errors.ts';
import { configOf, perGateway } from '../gateway.ts';
import type { MemorySearch } from './store/search.ts';

export interface OpenSearch {
  searchMemory: MemorySearch['searchMemory'];
  /** Removes old daily logs and indexes. Never rejects. */
  sweep(now: Date): Promise<void>;
  close(): Promise<void>;
}

export const searchOf = perGateway((gw): OpenSearch => {
  const { home, log, models } = gw;
  const { memory: settings } = configOf(gw);
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
    const embedder = settings.embedding === undefined ? undefined : models.providers.embedder(settings.embedding);
    return new MemorySearch({
      home,
      settings,
      log,
      embedder: embedder && meteredEmbedder(embedder, models.spending),
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
        if (removed > 0) log.info({ removed, days: settings.retention.dailyLogsDays }, 'old daily logs were removed');
        await (await open()).sweepIndexes(now.getTime());
      } catch (error) {
        log.error({ err: errorMessage(error) }, 'old memory files could not be removed');
      }
    },
    close: async () => (await opened)?.close(),
  };
});
