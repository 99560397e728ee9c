/**
 * `memory_search`: finds relevant parts of the viber's own memory. Results are data, a few thousand characters at most.
 */
import { z } from 'zod';
import { UserError } from '../../../errors.ts';
import { cutText } from '../../../lib/text.ts';
import { defineTool } from '../../../runtime/contract/tool.ts';
import type { FeatureRun } from '../../gateway.ts';
import { searchOf } from '../open-search.ts';

const DEFAULT_LIMIT = 5;
const MAX_LIMIT = 20;
const MAX_CHARS = 4_000;

const input = z.object({ query: z.string(), limit: z.number().exactOptional() });

export const memorySearch = defineTool({
  name: 'memory_search',
  describe: 'Search long-term memory and daily logs, by words and meaning.',
  input,
  effect: 'read',
  doing: 'doing.recalling',
  ability: { line: 'memory', words: 'look it up (memory_search)' },
  async execute({ query, limit = DEFAULT_LIMIT }, { scope, gw }: FeatureRun) {
    if (query.trim() === '') throw new UserError('There is nothing to search for.');
    const hits = await searchOf(gw).searchMemory(
      scope.viber,
      query,
      Math.max(1, Math.min(MAX_LIMIT, Math.trunc(limit) || 1)),
    );
    const results: { content: string; source_file: string; section?: string; date?: string }[] = [];
    let left = MAX_CHARS;
    for (const { content, source_file, metadata } of hits) {
      if (left < 100) break;
      const shown = cutText(content, left);
      const date = /(?:^|\/)(\d{4}-\d\d-\d\d)[^/]*$/.exec(source_file)?.[1];
      left -= shown.length;
      results.push({
        content: shown,
        source_file,
        ...(metadata.section !== undefined && { section: cutText(metadata.section, 100) }),
        ...(date !== undefined && { date }),
      });
    }
    return { results };
  },
});
