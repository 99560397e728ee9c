/** `GET /api/tasks/{id}/events`: what happens to one task as server-sent events, until its run has ended. `Last-Event-ID` goes on after it. */
import type http from 'node:http';
import type { BoardRoute } from '../contract.ts';
import type { Exchange } from '../protocol/exchange.ts';
import type { ProtocolParts } from '../protocol/parts.ts';
import { parsedBy, seenTask } from '../protocol/refusals.ts';
import { eventsQuerySchema } from '../protocol/schemas.ts';

const BEAT_MS = 15_000;
const SILENCE_MS = 60_000;
const ENDS: ReadonlySet<string> = new Set(['task:completed', 'task:error']);
const OVER: ReadonlySet<string> = new Set(['completed', 'error', 'stopped']);

export const eventsRoute = (parts: ProtocolParts, exchange: Exchange): BoardRoute => ({
  ...{ method: 'GET', path: '/api/tasks/:id/events', asks: 'caller', silenceMs: SILENCE_MS },
  async handle({ request, response, url, params, caller }) {
    const task = seenTask(params.id ?? '', caller.principal, parts);
    const { live, after } = parsedBy(eventsQuerySchema, Object.fromEntries(url.searchParams));
    const last = request.headers['last-event-id'];
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    response.flushHeaders();
    const over = () => response.end();
    const connection = exchange.connect(caller, {
      send(text) {
        const frame: { type: string; cursor?: string; state?: string } = JSON.parse(text);
        write(response, frame, text);
        if (ENDS.has(frame.type) || (frame.type === 'task:state' && frame.state === 'stopped')) over();
      },
      waiting: () => response.writableLength,
      close: over,
    });
    const beat = setInterval(() => {
      connection.catchUp();
      response.write(':\n\n');
    }, BEAT_MS);
    caller.ended.addEventListener('abort', over, { once: true });
    response.once('close', () => {
      clearInterval(beat);
      caller.ended.removeEventListener('abort', over);
      exchange.leave(connection);
    });
    const from = typeof last === 'string' ? last : after;
    await exchange.follow(connection, [task.id], { live, after: from });
    // Nothing more is to come of a run that is over.
    const isAtWork = parts.runningTasks().includes(task.id) || !OVER.has(task.state);
    if (from === undefined && !isAtWork) {
      for (const frame of await exchange.standing(task)) write(response, frame, JSON.stringify(frame));
      over();
    }
  },
});

function write(response: http.ServerResponse, { type, cursor }: { type: string; cursor?: string }, text: string): void {
  if (response.writableEnded) return;
  const id = cursor === undefined ? '' : `id: ${cursor}\n`;
  response.write(`event: ${type}\n${id}data: ${text}\n\n`);
}
