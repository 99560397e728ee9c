/** The viber's memory, pending suggestions and undo of the last change, like `/memory`. */

import { z } from 'zod';
import { principalText } from '../../access/principal.ts';
import { RequestError, readBody } from '../../board/respond.ts';
import { pageOf, route } from '../../board/route.ts';
import type { Suggestion } from '../../client/shapes.ts';
import { readTextSync } from '../../lib/files.ts';
import type { BoardAt, BoardRoute } from '../../runtime/contract/board.ts';
import { plainName } from '../../runtime/conversations/places.ts';
import type { Gateway } from '../gateway.ts';
import { searchOf } from './open-search.ts';
import { undoLast } from './store/changes.ts';
import { readDailyLogs } from './store/daily.ts';
import { memoryFile } from './store/memory.ts';
import { listSuggestions } from './store/suggestions.ts';

const DAYS = 14;
const HITS = 20;
const decisionBody = z.object({
  verdict: z.enum(['accept', 'edit', 'reject']),
  text: z.string().max(2_000).exactOptional(),
});

export function memoryRoutes({ viberOf, decide }: BoardAt, gw: Gateway): BoardRoute[] {
  const { home } = gw;

  return [
    route('GET', '/api/memory', 'owner', async ({ url }) => {
      const viber = viberOf(url);
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
      return { results: query === '' ? [] : await searchOf(gw).searchMemory(viberOf(url), query, HITS) };
    }),
    route('POST', '/api/memory/suggestions/:id', 'owner', async (asked) => {
      const { verdict, text } = await readBody(asked, decisionBody);
      const suggestion = `${viberOf(asked.url)}/${asked.params.id ?? ''}`;
      return decide(asked.caller, { suggestion, verdict, ...(text !== undefined && { text }) });
    }),
    route('POST', '/api/memory/undo', 'owner', async ({ url, caller }) => {
      const undone = await undoLast(home, viberOf(url), {
        by: principalText(caller.principal),
        name: plainName(caller.principal.name),
      });
      if (undone.done === 'removed' || undone.done === 'restored') return undone;
      throw new RequestError(409, 'nothing', 'There is nothing to take back, or it was changed meanwhile.');
    }),
  ];
}
