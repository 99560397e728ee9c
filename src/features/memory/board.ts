/** Shows the viber's memory and pending suggestions, and undoes the last change, like `/memory`. */

import { z } from 'zod';
import { principalText } from '../../access/principal.ts';
import { RequestError, readBody } from '../../board/respond.ts';
import { answerId, pageOf, route } from '../../board/route.ts';
import type { Address } from '../../channels/channel.ts';
import { parseMarkdown } from '../../channels/markdown/parse.ts';
import type { FoundMessage, Suggestion } from '../../client/shapes.ts';
import { readTextSync } from '../../lib/files.ts';
import { scrub } from '../../log.ts';
import { say } from '../../messages/messages.ts';
import type { BoardAt, BoardRoute } from '../../runtime/contract/board.ts';
import { mayHear } from '../../runtime/contract/hearing.ts';
import { plainName } from '../../runtime/conversations/places.ts';
import { maySee } from '../../runtime/conversations/visibility.ts';
import type { Gateway } from '../gateway.ts';
import { wordsOfLine } from './history/index-db.ts';
import { historyOf } from './history/open.ts';
import { marksIn, snippetOf } from './history/query.ts';
import type { HistoryHit } from './history/search.ts';
import { searchOf } from './open-search.ts';
import { undoLast } from './store/changes.ts';
import { readDailyLogs } from './store/daily.ts';
import { memoryFile } from './store/memory.ts';
import { listSuggestions } from './store/suggestions.ts';

const DAYS = 14;
const HITS = 20;
const MESSAGES = 10;
/** The caller is alone, as in direct messages. */
const ALONE: Address = { channel: 'api', account: 'api', chat: '' };
const decisionBody = z.object({
  verdict: z.enum(['accept', 'edit', 'reject']),
  text: z.string().max(2_000).exactOptional(),
});

/** Characters of a long message that are shown as they read, before and behind the first of the words. */
const AROUND = 2_000;

/** Without the marks of Markdown, as the page shows the message. */
async function foundMessage({ task, entry, sought }: HistoryHit): Promise<FoundMessage> {
  const whole = wordsOfLine(entry) ?? '';
  const [[first = 0] = []] = marksIn(whole, sought);
  const { text: plain } = await parseMarkdown(whole.slice(Math.max(0, first - AROUND), first + AROUND));
  const text = scrub(snippetOf(plain, sought));
  return {
    taskId: task.id,
    title: scrub(task.title),
    id: entry.type === 'message' ? entry.id : answerId(entry.run),
    at: entry.at,
    ...(entry.type === 'message' && { who: entry.from.name }),
    text,
    marks: marksIn(text, sought),
  };
}

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
    route('GET', '/api/find/messages', 'caller', async ({ url, caller: { principal } }) => {
      const query = (url.searchParams.get('q') ?? '').trim().slice(0, 500);
      const vibers = principal.role === 'owner' ? gw.places.vibers.ids() : [viberOf(url)];
      if (query === '') return { messages: [], isPartial: false };
      const view = { principal, address: ALONE, isDirect: true };
      const found = await Promise.all(
        vibers.map((viber) =>
          historyOf(gw)
            .of(viber)
            .find(
              query,
              {
                maySee: (task) => maySee({ ...view, viber }, task),
                mayHear: (line) => mayHear(view, line),
              },
              MESSAGES,
            ),
        ),
      );
      const hits = found.flatMap((each) => each.hits).slice(0, MESSAGES);
      const messages = await Promise.all(hits.map(foundMessage));
      return { messages, isPartial: found.some(({ isPartial }) => isPartial) };
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
      throw new RequestError(409, 'nothing', say('requests.nothingToUndo'));
    }),
  ];
}
