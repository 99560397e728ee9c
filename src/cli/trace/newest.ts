/** `viber trace` without an ID: lists the newest messages, each with the ID that shows its path. */
import fs from 'node:fs';
import path from 'node:path';
import { inspectNewest, type SpoolRecord } from '../../engine/local/inspect.ts';
import { UserError } from '../../errors.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { isRecord } from '../../lib/json.ts';
import { cutText, plainLine } from '../../lib/text.ts';
import { say } from '../../messages/messages.ts';
import { type CliContext, EXIT } from '../../runtime/contract/cli.ts';
import { foundOn, serverOf } from '../on-server.ts';
import { field, isRunFailed, stringOr } from './events.ts';

const SHOWN = 20;
const WORDS = 50;

interface NewMessage {
  /** ISO 8601. */
  at: string;
  trace: string;
  state: 'waits' | 'working' | 'done' | 'failed' | 'dead';
  channel: string;
  words: string;
}

const STATES = { new: 'waits', cur: 'working', done: 'done', dead: 'dead' } as const;

export async function listNewest(context: CliContext): Promise<number> {
  const { home, json, print, messages } = context;
  const spool = path.join(home, 'spool');
  if (!fs.existsSync(spool)) throw new UserError(say('cli.noSpool', { home }));
  const found = [...inspectNewest(spool, SHOWN), ...(await foundOn(await serverOf(context)))];
  const rows = found
    .flatMap((record) => traceRow(home, record) ?? [])
    .sort((a, b) => b.at.localeCompare(a.at))
    .slice(0, SHOWN);
  if (json) {
    print(JSON.stringify({ messages: rows }));
    return EXIT.ok;
  }
  if (rows.length === 0) print(messages.text('cli.noMessages'));
  for (const { at, trace, state, channel, words } of rows)
    print(
      `${messages.when(new Date(at))}  ${trace}  ${messages.text('cli.traceState', { state })}  ${channel}  "${words}"`,
    );
  if (rows.length > 0) print(messages.text('cli.traceOne', { command: viberCommand('trace ID') }));
  return EXIT.ok;
}

/** Returns undefined for what no person or job has sent, such as an answer. */
function traceRow(home: string, { state, key, value }: SpoolRecord): NewMessage | undefined {
  if (state === 'out' || state === 'unsure' || !isRecord(value)) return undefined;
  const at = stringOr(value.acceptedAt);
  if (Number.isNaN(Date.parse(at))) return undefined;
  const message = field(value.message, 'message');
  const text = plainLine(stringOr(field(message, 'text')));
  const isFailed = state === 'done' && isRunFailed(home, key, value.message);
  return {
    at,
    trace: key.slice(0, 12),
    state: isFailed ? 'failed' : STATES[state],
    channel: stringOr(field(field(message, 'address'), 'channel')),
    words: cutText(text, WORDS),
  };
}
