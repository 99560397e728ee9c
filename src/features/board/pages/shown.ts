/** Routes of the pages for viewing: log lines, people, skills, agents, the configuration. */

import { z } from 'zod';
import { readBody, wrongField } from '../../../board/respond.ts';
import { PAGE, pageOf, route } from '../../../board/route.ts';
import type { LogLine } from '../../../client/shapes.ts';
import { say } from '../../../messages/messages.ts';
import type { BoardRoute, Caller } from '../../../runtime/contract/board.ts';
import type { PageParts } from './parts.ts';

const LEVELS = new Map([
  ['trace', 10],
  ['debug', 20],
  ['info', 30],
  ['warn', 40],
  ['error', 50],
  ['fatal', 60],
]);
const NAMES = new Map([...LEVELS].map(([name, level]) => [level, name]));
const verdictBody = z.object({ verdict: z.enum(['approve', 'deny']) });
const lineShape = z.looseObject({ level: z.number(), time: z.number(), msg: z.string().default('') });

export function shownRoutes({ logs, people, shown }: PageParts): BoardRoute[] {
  return [
    route('GET', '/api/logs', 'owner', async ({ url }) => newestLines(logs(), url)),
    route('GET', '/api/people', 'owner', async ({ caller, url }) => {
      const all = pageOf(people.people(), ({ name, ids }) => ids[0] ?? name, url);
      const links = pageOf(people.links(), ({ person }) => person, url, 'afterLink');
      return {
        people: all.items,
        pairing: people.pending(),
        links: links.items,
        sessions: sessionsOf(people, caller),
        ...(all.next !== undefined && { next: all.next }),
        ...(links.next !== undefined && { nextLink: links.next }),
      };
    }),
    route('POST', '/api/pairing/:code', 'owner', async (asked) => {
      const { verdict } = await readBody(asked, verdictBody);
      await people.decide(asked.params.code ?? '', verdict, asked.caller);
      return { verdict };
    }),
    route('GET', '/api/agents', 'owner', async () => shown.agents()),
    route('GET', '/api/config', 'owner', async () => ({ config: shown.config() })),
  ];
}

const sessionsOf = (people: PageParts['people'], caller: Caller) =>
  people.sessions().map(({ since, seen, ...session }) => ({
    ...session,
    createdAt: since,
    lastSeenAt: seen,
    ...(caller.id === session.id && { isThis: true }),
  }));

/** Returns lines, newest first; `after` is the number of the last line seen. */
function newestLines(all: readonly { at: number; text: string }[], url: URL): object {
  const level = url.searchParams.get('level') ?? 'info';
  const least = LEVELS.get(level);
  if (least === undefined) throw wrongField('level', say('expected.oneOf', { values: [...LEVELS.keys()].join(', ') }));
  const trace = url.searchParams.get('trace') ?? '';
  const lines = all.toReversed().flatMap(({ at: number, text }): (LogLine & { id: string })[] => {
    if (trace !== '' && !text.includes(trace)) return [];
    const line = lineShape.safeParse(JSON.parse(text)).data;
    if (!line || line.level < least) return [];
    const { level: value, time, ...fields } = line;
    return [
      { ...fields, id: String(number), at: new Date(time).toISOString(), level: NAMES.get(value) ?? String(value) },
    ];
  });
  const { items, next } = pageOf(lines, ({ id }) => id, url);
  return { lines: items.slice(0, PAGE), ...(next !== undefined && { next }) };
}
