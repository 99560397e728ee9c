/** Keeps one search of earlier conversations per viber, opened on first use. */
import { perGateway } from '../../gateway.ts';
import { HistorySearch } from './search.ts';

export const historyOf = perGateway(({ home, log }) => {
  const opened = new Map<string, HistorySearch>();
  return {
    of(viber: string): HistorySearch {
      const made = opened.get(viber) ?? new HistorySearch(home, viber, log);
      opened.set(viber, made);
      return made;
    },
    async close(): Promise<void> {
      await Promise.all([...opened.values()].map((each) => each.close()));
    },
  };
});
