/** Reconstructs the path of one message from the spool, the session, the usage and the delivery ledger. Reads only. */

import fs from 'node:fs';
import path from 'node:path';
import { inspectSpool, type SpoolRecord } from '../../engine/local/inspect.ts';
import type { LedgerLine } from '../../engine/local/ledger.ts';
import { errorCode } from '../../errors.ts';
import { isRecord } from '../../lib/json.ts';
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
  /** Plain words; never contains text of people or the model. */
  detail: string;
}

export interface Trace {
  trace: string;
  task?: string;
  files: StoredRecord[];
  ledger: LedgerLine[];
  /** Sorted by time. */
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
  const task = stringOr(field(inbound?.value.message, 'taskId'));
  const viber = stringOr(field(inbound?.value.message, 'viber'));
  const session = task === '' ? [] : sessionOf(home, viber, task);
  // Messages that started one turn together share a line.
  const isSaid = (key: string) => key.startsWith(id);
  const said = session.find((e) => e.type === 'message' && (isSaid(e.id) || (e.also ?? []).some(isSaid)));
  const run = said && 'run' in said ? said.run : id.slice(0, 12);
  const events = [
    ...files.flatMap((found) => spoolEvents(found)),
    ...sessionEvents(session, run),
    ...usageEvents(home, run, stringOr(inbound?.value.acceptedAt), session),
    ...ledger.map(({ at, what, part, id: sent }): TraceEvent => {
      return { at, what, detail: `part ${part} ${what}${sent === undefined ? '' : ` as ${sent}`}` };
    }),
  ];
  const timed = events.filter(({ at }) => at !== '').sort((a, b) => a.at.localeCompare(b.at) || rank(a) - rank(b));
  return { trace: id, ...(task !== '' && { task }), files, ledger, events: timed };
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
    .map(json)
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
    const crashes = typeof value.attempts === 'number' && value.attempts > 0 ? `, ${value.attempts} crashes` : '';
    const dead = value.deadReason === undefined ? '' : `, given up: ${stringOr(value.deadReason)}`;
    const where = `now ${state}${crashes}${dead}`;
    return [
      { at: stringOr(value.acceptedAt), what: 'accepted', detail: `from ${from} in ${stringOr(value.lane)}, ${where}` },
    ];
  }
  const createdAt = typeof value.createdAt === 'number' ? new Date(value.createdAt).toISOString() : '';
  const reason = value.reason === undefined ? '' : `, ${stringOr(value.reason)}`;
  const channel = stringOr(field(field(value.message, 'address'), 'channel'));
  const out: TraceEvent = { at: createdAt, what: 'out', detail: `to ${channel}, now ${state}${reason}` };
  if (value.sending !== true) return [out];
  // A file written for immediate sending has no separate line for the first part's intent.
  return [out, { at: createdAt, what: 'intent', detail: 'part 0 intent (with the file)' }];
}

function sessionEvents(session: readonly SessionEntry[], run: string): TraceEvent[] {
  const end = session.findLastIndex((entry) => 'run' in entry && entry.run === run);
  const next = session.slice(end + 1).find((entry) => 'run' in entry);
  return session.flatMap((entry): TraceEvent[] => {
    if (!('run' in entry) || entry.run !== run) return [];
    const at = timeOf(entry);
    const one = (what: TraceEvent['what'], detail: string): TraceEvent[] => [{ at, what, detail }];
    if (entry.type === 'message') return entry.takenAt ? one('claimed', `run ${run}`) : [];
    if (entry.type === 'call') return one('tool', `${entry.tool} begins`);
    if (entry.type === 'step') return one('step', `${entry.index + 1}: ${toolSummary(entry.messages)}`);
    if (entry.type === 'approval') return one('approval', `asked: ${entry.kind}, ${entry.tool}`);
    if (entry.type !== 'result') return one(entry.type, '');
    const on = entry.error === 'steered' && next && 'run' in next ? `, goes on in ${next.run}` : '';
    return one('result', `${entry.state}${entry.error ? `: ${entry.error}` : ''}${on}`);
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
      const tokens = `${line.inputTokens} tokens in, ${line.outputTokens} out${line.isEstimate ? ' (estimated: it broke off)' : ''}`;
      return [{ at, what: 'model call', detail: `${line.model}, ${line.ms} ms, ${tokens}` }];
    });
}

/** `create_artifact, read_file (failed)`. */
function toolSummary(messages: readonly unknown[]): string {
  const parts = messages.flatMap((message) => {
    const content = field(message, 'content');
    return Array.isArray(content) ? content : [];
  });
  const results = parts.filter((part) => field(part, 'type') === 'tool-result');
  const names = results.map((part) => {
    const hasFailed = stringOr(field(field(part, 'output'), 'type')).startsWith('error');
    return `${stringOr(field(part, 'toolName'))}${hasFailed ? ' (failed)' : ''}`;
  });
  return names.join(', ') || 'words';
}

/** An object with these fields in our own file was written by the ledger. */
const isLedgerLine = (value: unknown): value is LedgerLine => isRecord(value) && 'what' in value && 'part' in value;
const field = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined);
const stringOr = (value: unknown): string => (typeof value === 'string' ? value : '');

function json(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

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
