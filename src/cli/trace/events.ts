/** Reconstructs the path of one message from the spool, the session, the usage and the delivery ledger. Reads only. */

import fs from 'node:fs';
import path from 'node:path';
import { inspectSpool, type SpoolRecord } from '../../engine/local/inspect.ts';
import type { LedgerLine } from '../../engine/local/ledger.ts';
import { errorCode } from '../../errors.ts';
import { isRecord, parseJson } from '../../lib/json.ts';
import { say, type Wording } from '../../messages/messages.ts';
import { isId } from '../../workspace/home.ts';
import { parseEntry } from '../../workspace/tasks/index.ts';
import type { SessionEntry } from '../../workspace/types.ts';
import { readUsage } from '../../workspace/usage.ts';

export interface StoredRecord {
  state: string;
  file: string;
  value: Record<string, unknown>;
}

export interface TraceEvent {
  /** ISO 8601. */
  at: string;
  what:
    | 'accepted'
    | 'claimed'
    | 'model call'
    | 'tool'
    | 'step'
    | 'result'
    | 'out'
    | LedgerLine['what']
    | SessionEntry['type'];
  /** Never contains text of people or the model. */
  detail: Wording | string;
}

export interface Trace {
  trace: string;
  task?: string;
  files: StoredRecord[];
  ledger: LedgerLine[];
  events: TraceEvent[];
}

/** The order of events within one millisecond. */
const ORDER: readonly string[] = ['accepted', 'claimed', 'step', 'result', 'out', 'intent', 'sent'];
const rank = ({ what }: TraceEvent): number => ORDER.indexOf(what === 'model call' || what === 'tool' ? 'step' : what);

/** Returns everything known about the message whose key begins with `id`; `elsewhere` has what a server knows. */
export function traceOf(home: string, id: string, elsewhere: readonly SpoolRecord[] = []): Trace {
  const spool = path.join(home, 'spool');
  const files = [
    ...spoolFiles(spool, id),
    ...elsewhere.flatMap((found) => (isRecord(found.value) ? [{ ...found, value: found.value }] : [])),
  ];
  const ledger = ledgerLines(spool, id);
  const inbound = files.find(({ value }) => value.acceptedAt !== undefined);
  const { task, session, run } = sessionBehind(home, id, inbound?.value.message);
  const events = [
    ...files.flatMap((found) => spoolEvents(found)),
    ...sessionEvents(session, run),
    ...usageEvents(home, run, stringOr(inbound?.value.acceptedAt), session),
    ...ledger.map(({ at, what, part, id = '' }): TraceEvent => {
      return { at, what, detail: say('trace.part', { part, id, isSent: yesOrNo(id !== '') }) };
    }),
  ];
  const timed = events.filter(({ at }) => at !== '').sort((a, b) => a.at.localeCompare(b.at) || rank(a) - rank(b));
  return { trace: id, ...(task !== '' && { task }), files, ledger, events: timed };
}

/** Returns the task of a message with its session, and the run that it started or joined. */
function sessionBehind(
  home: string,
  id: string,
  message: unknown,
): { task: string; session: SessionEntry[]; run: string } {
  const task = stringOr(field(message, 'taskId'));
  const session = task === '' ? [] : sessionOf(home, stringOr(field(message, 'viber')), task);
  // Messages that started one turn together share a line.
  const isSaid = (key: string) => key.startsWith(id);
  const said = session.find((e) => e.type === 'message' && (isSaid(e.id) || (e.also ?? []).some(isSaid)));
  return { task, session, run: said && 'run' in said ? said.run : id.slice(0, 12) };
}

/** Returns whether the run of this message ended with an error. */
export function isRunFailed(home: string, id: string, message: unknown): boolean {
  const { session, run } = sessionBehind(home, id, message);
  const last = session.findLast((entry) => entry.type === 'result' && entry.run === run);
  return last?.type === 'result' && last.state === 'error';
}

function spoolFiles(spool: string, prefix: string): StoredRecord[] {
  return inspectSpool(spool, prefix).flatMap(({ state, file, value }) =>
    isRecord(value) ? [{ state, file: path.join('spool', file), value }] : [],
  );
}

function ledgerLines(spool: string, prefix: string): LedgerLine[] {
  const folder = path.join(spool, 'ledger');
  return namesOrNone(folder)
    .sort()
    .flatMap((name) => readPlainFile(path.join(folder, name)).split('\n'))
    .filter((line) => line.includes(`"key":"${prefix}`))
    .map(parseJson)
    .filter(isLedgerLine);
}

function sessionOf(home: string, viber: string, task: string): SessionEntry[] {
  if (!isId(viber) || !isId(task)) return [];
  const lines = readPlainFile(path.join(home, 'agents', viber, 'sessions', `${task}.jsonl`)).split('\n');
  return lines.flatMap((line) => parseEntry(line) ?? []);
}

function spoolEvents({ state, value }: StoredRecord): TraceEvent[] {
  if (value.acceptedAt !== undefined) {
    const message = field(value.message, 'message');
    const from = stringOr(field(field(message, 'address'), 'channel'));
    const crashes = typeof value.attempts === 'number' ? value.attempts : 0;
    const why = stringOr(value.deadReason);
    const detail = say('trace.accepted', { from, lane: stringOr(value.lane), state, crashes });
    const isDead = value.deadReason !== undefined;
    return [
      {
        at: stringOr(value.acceptedAt),
        what: 'accepted',
        detail: isDead ? say('trace.dead', { what: detail, why }) : detail,
      },
    ];
  }
  const createdAt = typeof value.createdAt === 'number' ? new Date(value.createdAt).toISOString() : '';
  const reason = value.reason === undefined ? '' : `, ${stringOr(value.reason)}`;
  const channel = stringOr(field(field(value.message, 'address'), 'channel'));
  const out: TraceEvent = { at: createdAt, what: 'out', detail: say('trace.out', { channel, state, reason }) };
  if (value.sending !== true) return [out];
  // A file written for immediate sending has no separate line for the first part's intent.
  return [out, { at: createdAt, what: 'intent', detail: say('trace.intent') }];
}

function sessionEvents(session: readonly SessionEntry[], run: string): TraceEvent[] {
  const end = session.findLastIndex((entry) => 'run' in entry && entry.run === run);
  const next = session.slice(end + 1).find((entry) => 'run' in entry);
  return session.flatMap((entry): TraceEvent[] => {
    if (!('run' in entry) || entry.run !== run) return [];
    const at = timeOf(entry);
    const one = (what: TraceEvent['what'], detail: TraceEvent['detail']): TraceEvent[] => [{ at, what, detail }];
    if (entry.type === 'message') return entry.takenAt ? one('claimed', say('trace.run', { run })) : [];
    if (entry.type === 'call') return one('tool', say('trace.tool', { tool: entry.tool }));
    if (entry.type === 'step') return one('step', stepDetail(entry));
    if (entry.type === 'approval') return one('approval', say('trace.asked', { kind: entry.kind, tool: entry.tool }));
    if (entry.type !== 'result') return one(entry.type, '');
    const what = `${entry.state}${entry.error ? `: ${entry.error}` : ''}`;
    const words = entry.providerSaid;
    if (words !== undefined) return one('result', say('trace.providerSaid', { what, words }));
    const isContinued = entry.error === 'steered' && next && 'run' in next;
    return one('result', isContinued ? say('trace.continued', { what, run: next.run }) : what);
  });
}

function timeOf(entry: SessionEntry): string {
  if (entry.type === 'message') return entry.takenAt ?? entry.at;
  return stringOr(field(entry, 'at')) || stringOr(field(entry, 'askedAt'));
}

/** Returns the model calls of a run, each at its start. */
function usageEvents(home: string, run: string, from: string, session: readonly SessionEntry[]): TraceEvent[] {
  const last = session.findLast((entry) => 'run' in entry && entry.run === run);
  const start = Date.parse(from.slice(0, 10));
  const end = Date.parse((last ? timeOf(last) : new Date().toISOString()).slice(0, 10));
  const first = session.find((entry) => entry.type === 'message' && entry.run === run);
  const claimedAt = first ? timeOf(first) : '';
  if (Number.isNaN(start) || Number.isNaN(end)) return [];
  const days: string[] = [];
  // Messages don't wait longer than a month; a longer span means a damaged time.
  for (let day = start; day <= end && days.length < 31; day += 86_400_000) {
    days.push(new Date(day).toISOString().slice(0, 10));
  }
  return days
    .flatMap((day) => readUsage({ root: home }, day))
    .flatMap((line): TraceEvent[] => {
      if (line.type !== 'call' || line.run !== run) return [];
      const begun = new Date(Date.parse(line.at) - (line.ms || 0)).toISOString();
      const at = begun < claimedAt ? claimedAt : begun;
      const { model, ms, inputTokens, outputTokens } = line;
      const detail = say(line.isEstimate ? 'trace.estimated' : 'trace.call', {
        model,
        ms: String(ms),
        tokensIn: String(inputTokens),
        tokensOut: String(outputTokens),
      });
      return [{ at, what: 'model call', detail }];
    });
}

/** `2: create_artifact, read_file (failed)`. */
function stepDetail({ index, messages }: { index: number; messages: readonly unknown[] }): Wording | string {
  const parts = messages.flatMap((message) => {
    const content = field(message, 'content');
    return Array.isArray(content) ? content : [];
  });
  const tools = parts
    .filter((part) => field(part, 'type') === 'tool-result')
    .map((part) => {
      const tool = stringOr(field(part, 'toolName'));
      const hasFailed = stringOr(field(field(part, 'output'), 'type')).startsWith('error');
      return hasFailed ? say('trace.toolFailed', { tool }) : tool;
    });
  if (tools.length === 0) return say('trace.textStep', { n: index + 1 });
  return tools.reduce<Wording | string>(
    (before, tool) =>
      before === '' ? say('trace.step', { n: index + 1, tool }) : say('trace.andTool', { before, tool }),
    '',
  );
}

/** An object with these fields in our own file was written by the ledger. */
const isLedgerLine = (value: unknown): value is LedgerLine => isRecord(value) && 'what' in value && 'part' in value;
export const field = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined);
const yesOrNo = (is: boolean) => (is ? 'yes' : 'no');
export const stringOr = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Returns '' if the file is gone: the gateway moves files while we read. Skips pipes, whose reading would never end.
 */
function readPlainFile(file: string): string {
  try {
    return fs.statSync(file).isFile() ? fs.readFileSync(file, 'utf8') : '';
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}

function namesOrNone(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
