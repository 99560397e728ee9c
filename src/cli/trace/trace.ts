/** `viber trace [ID]`: prints the whole path of one message, with times, or lists the newest messages. Reads only. */
import fs from 'node:fs';
import path from 'node:path';
import { UserError } from '../../errors.ts';
import { type Messages, messagesIn, say } from '../../messages/messages.ts';
import { type CliContext, EXIT } from '../../runtime/contract/cli.ts';
import { foundOn, serverOf } from '../on-server.ts';
import { type TraceEvent, traceOf } from './events.ts';
import { listNewest } from './newest.ts';

export async function run(context: CliContext): Promise<number> {
  const { args, home, json, print, messages } = context;
  const [id] = args;
  if (id === undefined) return await listNewest(context);
  if (!/^[0-9a-f]{8,32}$/.test(id)) throw new UserError(say('cli.notATrace'));
  if (!fs.existsSync(path.join(home, 'spool'))) throw new UserError(say('cli.noSpool', { home }));
  const trace = traceOf(home, id, await foundOn(await serverOf(context), id));
  if (trace.files.length === 0) throw new UserError(say('cli.unknownTrace', { id }));
  if (json) {
    const english = messagesIn('en');
    print(JSON.stringify({ ...trace, events: trace.events.map((e) => ({ ...e, detail: english.said(e.detail) })) }));
    return EXIT.ok;
  }
  const { task } = trace;
  print(task === undefined ? messages.text('trace.title', { id }) : messages.text('trace.titleOfTask', { id, task }));
  const first = Date.parse(trace.events[0]?.at ?? '');
  for (const event of trace.events) print(formatEvent(event, first, messages));
  for (const { file } of trace.files) print(file);
  return EXIT.ok;
}

/** `2026-11-21T18:00:00.123Z  +0.012 s  accepted    from telegram`. */
function formatEvent({ at, what, detail }: TraceEvent, first: number, messages: Messages): string {
  const seconds = `+${((Date.parse(at) - first) / 1000).toFixed(3)} s`;
  const label = messages.text('trace.what', { what: what === 'model call' ? 'modelCall' : what });
  return `${at}  ${seconds.padStart(10)}  ${label.padEnd(10)}  ${messages.said(detail)}`.trimEnd();
}
