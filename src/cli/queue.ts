/**
 * `viber queue`: lists what is pending, was given up or is unsure. Reads only; works with and without a running
 * gateway.
 */

import fs from 'node:fs';
import path from 'node:path';
import { inspectUnfinished, type SpoolRecord } from '../engine/local/inspect.ts';
import { UserError } from '../errors.ts';
import { viberCommand } from '../lib/invocation.ts';
import { isRecord } from '../lib/json.ts';
import { cutText, plainLine } from '../lib/text.ts';
import { type Messages, say } from '../messages/messages.ts';
import { type CliContext, EXIT } from '../runtime/contract/cli.ts';
import { foundOn, serverOf } from './on-server.ts';
import { field, stringOr } from './trace/events.ts';

type QueueState = 'waits' | 'in work' | 'to be sent' | 'unsure' | 'given up';

interface QueueRow {
  state: QueueState;
  /** ISO 8601; empty if unknown. */
  since: string;
  trace: string;
  lane: string;
  words: string;
  reason?: string;
}

const STATES = { new: 'waits', cur: 'in work', out: 'to be sent', unsure: 'unsure', dead: 'given up' } as const;
const SHOWN = {
  waits: 'waits',
  'in work': 'working',
  'to be sent': 'sending',
  unsure: 'unsure',
  'given up': 'dead',
} as const;
const WORDS = 60;

export async function run(context: CliContext): Promise<number> {
  const { home, json, print, messages } = context;
  const spool = path.join(home, 'spool');
  if (!fs.existsSync(spool)) throw new UserError(say('cli.noSpool', { home }));
  const server = await serverOf(context);
  const local = inspectUnfinished(spool).flatMap((found) => queueRow(found) ?? []);
  const rows = [...local, ...(await foundOn(server)).flatMap((found) => queueRow(found) ?? [])];
  const order = Object.values(STATES);
  rows.sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state) || a.since.localeCompare(b.since));
  if (json) {
    print(JSON.stringify({ queue: rows }));
    return EXIT.ok;
  }
  if (rows.length === 0) print(messages.text('cli.emptyQueue'));
  for (const row of rows) print(formatRow(row, Date.now(), messages));
  if (rows.some(({ state }) => state === 'given up'))
    print(messages.text('cli.queueAgain', { command: viberCommand('board') }));
  if (server && local.some(({ state }) => state !== 'given up' && state !== 'unsure'))
    print(messages.text('cli.queueLeft'));
  return EXIT.ok;
}

function queueRow({ state, key, value }: SpoolRecord): QueueRow | undefined {
  if (state === 'done' || !isRecord(value)) return undefined;
  const { message, acceptedAt, lane, createdAt, trace, reason, deadReason } = value;
  const isAnswer = typeof createdAt === 'number';
  const why = stringOr(isAnswer ? reason : deadReason);
  const since = isAnswer ? new Date(createdAt).toISOString() : stringOr(acceptedAt);
  return {
    state: STATES[state],
    since,
    trace: stringOr(trace) || key.slice(0, 12),
    lane: isAnswer ? chatLabel(field(message, 'address')) : stringOr(lane),
    words: cutText(plainLine(stringOr(field(isAnswer ? message : field(message, 'message'), 'text'))), WORDS),
    ...(why !== '' && { reason: plainLine(why) }),
  };
}

/** `in work      12 s  0123456789ab  task:20261122-abcde  "how it begins"`. */
function formatRow({ state, since, trace, lane, words, reason }: QueueRow, now: number, messages: Messages): string {
  const age = ageOf((now - Date.parse(since)) / 1000);
  const why = reason === undefined ? '' : `  ${reason}`;
  return `${messages.text('cli.queueState', { state: SHOWN[state] }).padEnd(11)}  ${age.padStart(6)}  ${trace}  ${lane}  "${words}"${why}`;
}

function ageOf(seconds: number): string {
  if (Number.isNaN(seconds)) return '?';
  if (seconds < 100) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 6_000) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`;
}

/** `telegram 1001`. */
const chatLabel = (address: unknown): string =>
  `${stringOr(field(address, 'channel'))} ${stringOr(field(address, 'chat'))}`.trim();
