/**
 * `GET /api/tasks/{id}/events`: the events of one task as server-sent events, until its run ends. `Last-Event-ID`
 * resumes after that event; 204 keeps an `EventSource` that has heard the end from connecting again.
 */

import type http from 'node:http';
import { parsedBy } from '../../board/respond.ts';
import type { BoardRoute } from '../../runtime/contract/board.ts';
import type { Exchange } from '../protocol/exchange.ts';
import type { ProtocolParts } from '../protocol/parts.ts';
import { seenTask } from '../protocol/refusals.ts';
import { eventsQuerySchema } from '../protocol/schemas.ts';
import { connectStream, OVER, SILENCE_MS } from './stream.ts';

const ENDS: ReadonlySet<string> = new Set(['task:completed', 'task:error']);

export const eventsRoute = (parts: ProtocolParts, exchange: Exchange): BoardRoute => ({
  method: 'GET',
  path: '/api/tasks/:id/events',
  asks: 'caller',
  silenceMs: SILENCE_MS,
  async handle(asked) {
    const { request, response, url, params, caller } = asked;
    const task = seenTask(params.id ?? '', caller.principal, parts);
    const { live, after } = parsedBy(eventsQuerySchema, Object.fromEntries(url.searchParams));
    const last = request.headers['last-event-id'];
    // While missed events are replayed, an end may belong to an earlier run.
    let isCaughtUp = false;
    let isOver = parts.runningTasks().includes(task.id) ? false : OVER.has(task.state);
    if (isOver && typeof last === 'string' && exchange.isUpToDate(task.id, last)) {
      response.writeHead(204).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    response.flushHeaders();
    const over = () => response.end();
    const connection = connectStream(asked, exchange, {
      send(text) {
        const frame: { type: string; cursor?: string; state?: string } = JSON.parse(text);
        writeEvent(response, frame, text);
        isOver = isEnd(frame) ?? isOver;
        if (isCaughtUp && isOver) over();
      },
      end: over,
    });
    const from = typeof last === 'string' ? last : after;
    await exchange.follow(connection, [task.id], { live, after: from });
    if (from === undefined && isOver) await exchange.stand(connection, task);
    isCaughtUp = true;
    // A finished run has no further events.
    if (isOver) over();
  },
});

/** Returns true if the event ends the run, false if the run starts or continues, and undefined otherwise. */
function isEnd({ type, state }: { type: string; state?: string }): boolean | undefined {
  if (type === 'task:started') return false;
  if (ENDS.has(type)) return true;
  return type === 'task:state' && state !== undefined ? OVER.has(state) : undefined;
}

function writeEvent(
  response: http.ServerResponse,
  { type, cursor }: { type: string; cursor?: string },
  text: string,
): void {
  if (response.writableEnded) return;
  const id = cursor === undefined ? '' : `id: ${cursor}\n`;
  response.write(`event: ${type}\n${id}data: ${text}\n\n`);
}
