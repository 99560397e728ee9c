/** Details of a task: its events, and the context that the model receives. Secrets are masked. */

import { seenTask } from '../../../board/protocol/refusals.ts';
import { newestFirst, route } from '../../../board/route.ts';
import { isRecord } from '../../../lib/json.ts';
import { cutText, plainLine } from '../../../lib/text.ts';
import { scrub } from '../../../log.ts';
import type { BoardRoute } from '../../../runtime/contract/board.ts';
import { openTask } from '../../../workspace/tasks/index.ts';
import type { SessionEntry } from '../../../workspace/types.ts';
import type { PageParts } from './parts.ts';

/** The same limit as for reading the conversation. */
const TAIL = { maxBytes: 8 * 1024 * 1024 };
const DETAIL = 300;

interface TraceEvent {
  at: string;
  what: string;
  detail?: string;
}

export function taskTabRoutes({ protocol, shown }: PageParts): BoardRoute[] {
  return [
    route('GET', '/api/tasks/:id/trace', 'caller', async ({ params, caller, url }) => {
      const task = seenTask(params.id ?? '', caller.principal, protocol);
      const entries = openTask(protocol.home, task).session.tail(TAIL);
      const { items, next } = newestFirst(entries.flatMap(eventsOf), url);
      return { events: items, ...(next !== undefined && { next }) };
    }),
    // The context includes memory and the viber's files.
    route('GET', '/api/tasks/:id/context', 'owner', async ({ params, caller }) => {
      const task = seenTask(params.id ?? '', caller.principal, protocol);
      return { sections: await shown.context(task) };
    }),
  ];
}

function eventsOf(entry: SessionEntry): TraceEvent[] {
  const event = (at: string, what: string, detail = ''): TraceEvent => {
    const line = cutText(plainLine(scrub(detail)), DETAIL);
    return { at, what, ...(line !== '' && { detail: line }) };
  };
  switch (entry.type) {
    case 'message':
      return [event(entry.at, `${entry.from.name} on ${entry.via ?? entry.from.channel}`, entry.text)];
    case 'step':
      return [...calledTools(entry.messages)].map((tool) => event(entry.at, 'used', tool));
    case 'approval':
      return [event(entry.at, 'asked', entry.tool)];
    case 'decision':
      return [event(entry.at, 'decided', `${entry.verdict} ${entry.by}`)];
    case 'result':
      return [event(entry.at, entry.state, entry.error ?? entry.text)];
    case 'compaction':
      return [event(entry.at, 'summarised', entry.text)];
    default:
      return [];
  }
}

/** Returns the names of the tools that a step has called. */
function calledTools(messages: readonly unknown[]): string[] {
  const parts = messages.flatMap((message) =>
    isRecord(message) && Array.isArray(message.content) ? message.content : [],
  );
  return parts.flatMap((part: unknown) =>
    isRecord(part) && part.type === 'tool-call' && typeof part.toolName === 'string' ? [part.toolName] : [],
  );
}
