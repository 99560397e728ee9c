/** The viber's memory, pending suggestions and undo of the last change, like `/memory`. */

import { z } from 'zod';
import type { Suggestion } from '../../client/shapes.ts';
import { readTextSync } from '../../lib/files.ts';
import { readDailyLogs } from '../../workspace/memory/daily.ts';
import { memoryFile } from '../../workspace/memory/memory.ts';
import { listSuggestions } from '../../workspace/memory/suggestions.ts';
import type { BoardRoute } from '../contract.ts';
import { Refused, readBody } from '../respond.ts';
import type { PageParts } from './parts.ts';
import { pageOf, route, viberOf } from './route.ts';

const DAYS = 14;
const HITS = 20;
const decisionBody = z.object({
  verdict: z.enum(['accept', 'edit', 'reject']),
  text: z.string().max(2_000).exactOptional(),
});

export function memoryRoutes({ protocol, about, memory }: PageParts): BoardRoute[] {
  const { home } = protocol;

  return [
    route('GET', '/api/memory', 'owner', async ({ url }) => {
      const viber = viberOf(url, about);
      const days = await readDailyLogs(home, viber, DAYS);
      const { items, next } = pageOf(await listSuggestions(home, viber), ({ id }) => id, url);
      const text = readTextSync(memoryFile(home, viber)) ?? '';
      return {
        suggestions: items satisfies Suggestion[],
        ...(next !== undefined && { next }),
        files: [{ name: 'MEMORY.md', text }, ...days.map(({ date, text: log }) => ({ name: `${date}.md`, text: log }))],
      };
    }),
    route('GET', '/api/memory/search', 'owner', async ({ url }) => {
      const query = (url.searchParams.get('q') ?? '').trim().slice(0, 500);
      return { results: query === '' ? [] : await memory.search(viberOf(url, about), query, HITS) };
    }),
    route('POST', '/api/memory/suggestions/:id', 'owner', async (asked) => {
      const { verdict, text } = await readBody(asked, decisionBody);
      const suggestion = `${viberOf(asked.url, about)}/${asked.params.id ?? ''}`;
      return protocol.decideMemory(asked.caller, { suggestion, verdict, ...(text !== undefined && { text }) });
    }),
    route('POST', '/api/memory/undo', 'owner', async ({ url, caller }) => {
      const undone = await memory.undo(viberOf(url, about), caller);
      if (undone.done === 'removed' || undone.done === 'restored') return undone;
      throw new Refused(409, 'nothing', 'There is nothing to take back, or it was changed meanwhile.');
    }),
  ];
}
