/**
 * The lines of the spool's log, and how to replay them. Read in order, they tell what is unfinished:
 *
 *   begin the first line of each segment
 *   put   a whole message or answer: the newest line of a key counts
 *   move  a message is running (`cur`) or waits again (`new`)
 *   done  finished: its key is kept, so that the same event has no effect
 *   drop  removed unfinished: given up, or never begun
 */
import { scanLines } from './segment.ts';

/** The message states that the log holds. */
export type LogState = 'new' | 'cur' | 'out';

export type LogLine = { op: 'begin' /** ISO 8601. */; at: string } | ChangeLine;

export type ChangeLine =
  | { op: 'put'; state: LogState; key: string; value: unknown }
  | { op: 'move'; state: 'new' | 'cur'; key: string }
  | { op: 'done'; state: LogState; key: string; as?: string }
  | { op: 'drop'; state: LogState; key: string };

export const beginText = (): string => lineText({ op: 'begin', at: new Date().toISOString() });

export const lineText = (line: LogLine): string => `${JSON.stringify(line)}\n`;

/** Returns undefined for a line that no gateway wrote. */
export function parseLine(text: string): LogLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isLine(value) ? value : undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

const OPS: readonly unknown[] = ['put', 'move', 'done', 'drop'] satisfies ChangeLine['op'][];
const STATES: readonly unknown[] = ['new', 'cur', 'out'] satisfies LogState[];

function isLine(value: unknown): value is LogLine {
  if (typeof value !== 'object' || value === null || !('op' in value)) return false;
  if (value.op === 'begin') return true;
  if (!('key' in value && 'state' in value)) return false;
  if (value.op === 'put' && !('value' in value)) return false;
  return OPS.includes(value.op) && STATES.includes(value.state) && typeof value.key === 'string';
}

/** The position of an entry's line in its segment, in bytes. */
export interface Position {
  offset: number;
  length: number;
}

export interface LiveEntry extends Position {
  state: LogState;
  wasInWork?: boolean;
}

/** The contents of one segment. An answer may have the key of the message it answers, so they are kept apart. */
export interface SegmentContents {
  inbox: Map<string, LiveEntry>;
  outbox: Map<string, LiveEntry>;
  finished: string[];
  /** Whether its first line is there. */
  hasBegin: boolean;
  /** Complete lines that can't be read. */
  damaged: string[];
  /** Bytes up to the last line break; anything after it is an unfinished line. */
  end: number;
}

export function replay(file: string): SegmentContents {
  const found: SegmentContents = {
    inbox: new Map(),
    outbox: new Map(),
    finished: [],
    hasBegin: false,
    damaged: [],
    end: 0,
  };
  const { lines, end } = scanLines(file);
  for (const { offset, length, text } of lines) {
    const line = parseLine(text);
    if (line?.op === 'begin') found.hasBegin = true;
    else if (line) applyLine(found, line, { offset, length });
    else found.damaged.push(text);
  }
  return { ...found, end };
}

export function moved(entry: LiveEntry, to: 'new' | 'cur'): void {
  entry.state = to;
  entry.wasInWork ||= to === 'cur';
}

function applyLine(found: SegmentContents, line: ChangeLine, at: Position): void {
  const side = line.state === 'out' ? found.outbox : found.inbox;
  const entry = side.get(line.key);
  if (line.op === 'put') side.set(line.key, { ...at, state: line.state, wasInWork: line.state === 'cur' });
  else if (line.op === 'move') {
    if (entry) moved(entry, line.state);
  } else if (line.op === 'done') {
    side.delete(line.key);
    found.finished.push(line.as ?? line.key);
  } else if (entry?.state === line.state) side.delete(line.key);
}
