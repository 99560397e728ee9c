/** What a viber remembers, searched: by its index where there is one, else MEMORY.md first and then the newest daily logs. */

import { plainLine } from '../../../lib/text.ts';
import type { Home } from '../../../workspace/home.ts';
import { readDailyLogs } from '../../../workspace/memory/daily.ts';
import { readMemory } from '../../../workspace/memory/memory.ts';
import type { CommandContext } from '../command.ts';

export interface Found {
  /** `MEMORY.md` or a date. */
  source: string;
  line: string;
}

const LOGS = 30;

const HITS = 8;

/** At most `limit`. Without an index: the lines that hold every word of the query. */
export async function findInMemory(
  { home, viber, searchMemory }: Pick<CommandContext, 'home' | 'viber' | 'searchMemory'>,
  query: string,
  limit: number,
): Promise<Found[]> {
  if (searchMemory) {
    const hits = await searchMemory(viber, query, Math.min(limit, HITS));
    return hits.map(({ content, source_file }) => ({
      source: source_file.replace(/^memory\/|(?<=\d)\.md$/g, ''),
      line: plainLine(content),
    }));
  }
  return findLines(home, viber, query, limit);
}

async function findLines(home: Home, viber: string, query: string, limit: number): Promise<Found[]> {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const logs = await readDailyLogs(home, viber, LOGS);
  const texts = [
    { source: 'MEMORY.md', text: (await readMemory(home, viber)) ?? '' },
    ...logs.map(({ date, text }) => ({ source: date, text })),
  ];
  const found: Found[] = [];
  for (const { source, text } of texts) {
    for (const line of text.split('\n')) {
      if (found.length >= limit) return found;
      const lower = line.toLowerCase();
      if (line.trim() !== '' && !line.startsWith('#') && words.every((word) => lower.includes(word)))
        found.push({ source, line: line.trim() });
    }
  }
  return found;
}
