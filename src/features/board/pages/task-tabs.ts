/** Details of a task: its events, and the context that the model receives. Secrets are masked. */

import type { ProtocolParts } from '../../../board/protocol/parts.ts';
import { seenTask } from '../../../board/protocol/refusals.ts';
import { newestFirst, route } from '../../../board/route.ts';
import { isRecord } from '../../../lib/json.ts';
import { cutText, plainLine } from '../../../lib/text.ts';
import { scrub } from '../../../log.ts';
import { type Messages, messagesIn } from '../../../messages/messages.ts';
import type { BoardRoute } from '../../../runtime/contract/board.ts';
import { openTask } from '../../../workspace/tasks/index.ts';
import type { SessionEntry } from '../../../workspace/types.ts';
import type { Gateway } from '../../gateway.ts';
import { contextOf } from '../context.ts';

/** The same limit as for reading the conversation. */
const TAIL = { maxBytes: 8 * 1024 * 1024 };
const DETAIL = 300;

interface TraceEvent {
  at: string;
  what: string;
  detail?: string;
}

export function taskTabRoutes(protocol: ProtocolParts, gw: Gateway): BoardRoute[] {
  return [
    route('GET', '/api/tasks/:id/trace', 'caller', async ({ params, caller, url }) => {
      const task = seenTask(params.id ?? '', caller.principal, protocol);
      const entries = openTask(protocol.home, task).session.tail(TAIL);
      const { items, next } = newestFirst(
        entries.flatMap((entry) => eventsOf(entry, messagesIn(caller.language))),
        url,
      );
      return { events: items, ...(next !== undefined && { next }) };
    }),
    // The context includes memory and the viber's files.
    route('GET', '/api/tasks/:id/context', 'owner', async ({ params, caller }) => {
      const task = seenTask(params.id ?? '', caller.principal, protocol);
      return { sections: await contextOf(gw, task, messagesIn(caller.language)) };
    }),
  ];
}

function eventsOf(entry: SessionEntry, messages: Messages): TraceEvent[] {
  const event = (at: string, what: string, detail = ''): TraceEvent => {
    const line = cutText(plainLine(scrub(detail)), DETAIL);
    return { at, what, ...(line !== '' && { detail: line }) };
  };
  const traced = (what: string) => messages.text('requests.traced', { what });
  switch (entry.type) {
    case 'message': {
      const { at, from, via: channel = from.channel, text } = entry;
      return [event(at, messages.text('requests.tracedMessage', { name: from.name, channel }), text)];
    }
    case 'step':
      return calledTools(entry.messages).map((tool) => event(entry.at, traced('used'), tool));
    case 'approval':
      return [event(entry.at, traced('asked'), entry.tool)];
    case 'decision':
      return [event(entry.at, traced('decided'), `${entry.verdict} ${entry.by}`)];
    case 'result':
      return [event(entry.at, traced(entry.state), entry.error ?? entry.text)];
    case 'compaction':
      return [event(entry.at, traced('summarised'), entry.text)];
    default:
      return [];
  }
}

function calledTools(messages: readonly unknown[]): string[] {
  const parts = messages.flatMap((message) =>
    isRecord(message) && Array.isArray(message.content) ? message.content : [],
  );
  return parts.flatMap((part: unknown) =>
    isRecord(part) && part.type === 'tool-call' && typeof part.toolName === 'string' ? [part.toolName] : [],
  );
}
