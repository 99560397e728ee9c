/** Parses lines of a session file and rescues entries from damaged ones. Offsets are bytes. */
import fs from 'node:fs';
import { reportOnce } from '../../lib/damage.ts';
import { parseJson } from '../../lib/json.ts';
import { type Is, isNumber, isText, listOf, objectOf, optional, shape } from '../../lib/shape.ts';
import type { SessionEntry } from '../types.ts';

type Kind = SessionEntry['type'];

/** Checked, so that no reader fails on a damaged record. */
const RUN = { run: isText, at: isText };
const isRef = objectOf({ id: isText, title: isText, type: isText, ref: isText });
const FIELDS: { [K in Kind]: Is<Extract<SessionEntry, { type: K }>> } = {
  session: objectOf({ taskId: isText, viber: isText }),
  message: objectOf({
    ...RUN,
    id: isText,
    text: isText,
    files: listOf(isRef),
    from: objectOf({ channel: isText, user: isText, name: isText }),
    spoken: optional(listOf(isText)),
    again: optional(isText),
  }),
  approval: objectOf({ ...RUN, id: isText, kind: isText, callId: isText, tool: isText, digest: isText }),
  decision: objectOf({ ...RUN, approval: isText, verdict: isText, by: isText }),
  call: objectOf({ ...RUN, callId: isText, tool: isText }),
  sent: objectOf({ ...RUN, callId: isText, tool: isText, digest: isText, characters: isNumber }),
  step: objectOf({ ...RUN, index: isNumber, messages: listOf(objectOf({})), shown: optional(listOf(isRef)) }),
  result: objectOf({ ...RUN, state: isText, text: isText, summary: isText, artifactRefs: listOf(objectOf({})) }),
  compaction: objectOf({ at: isText, text: isText, through: isText }),
};

const isEntry: Is = (value) =>
  objectOf({ type: (type) => typeof type === 'string' && Object.hasOwn(FIELDS, type) && FIELDS[type as Kind](value) })(
    value,
  );

export function parseEntry(line: string): SessionEntry | undefined {
  // A million other lines must not cost a million errors.
  if (!line.startsWith('{')) return undefined;
  return shape<SessionEntry>(isEntry).safeParse(parseJson(line)).data;
}

const START = '{"type":"';
const MAX_TRIES = 64;

/**
 * When the line break between two records is damaged they look like one line: the second begins at a `{"type":"`, and
 * the first ends there or one character earlier.
 */
export function salvage(line: string): SessionEntry[] {
  let at = line.indexOf(START, 1);
  for (let tries = 0; at !== -1 && tries < MAX_TRIES; tries++) {
    const first = parseEntry(line.slice(0, at - 1)) ?? parseEntry(line.slice(0, at));
    const second = parseEntry(line.slice(at));
    if (first || second) return [first, second].filter((entry) => entry !== undefined);
    at = line.indexOf(START, at + 1);
  }
  return [];
}

/** Called once for each damaged line, with the file and the beginning of the line. */
export type OnCorrupt = (file: string, line: string) => void;

export interface SessionLine {
  offset: number;
  entry: SessionEntry;
}

export const NEWLINE = 0x0a;
const BRACE = 0x7b;
const SHOWN = 120;

export function readRange(fd: number, from: number, to: number): Buffer {
  const data = Buffer.allocUnsafe(to - from);
  let read = 0;
  while (read < data.length) {
    const count = fs.readSync(fd, data, read, data.length - read, from + read);
    if (count === 0) break;
    read += count;
  }
  return data.subarray(0, read);
}

export function parseLines(
  file: string,
  data: Buffer,
  skip: number,
  base: number,
  onCorrupt?: OnCorrupt,
): SessionLine[] {
  const lines: SessionLine[] = [];
  let brace = data.indexOf(BRACE, skip);
  for (let at = skip; at < data.length; ) {
    const newline = data.indexOf(NEWLINE, at);
    const end = newline === -1 ? data.length : newline;
    if (brace !== -1 && brace < at) brace = data.indexOf(BRACE, at);
    // A million lines without a record must not cost a million strings.
    if (end > at && (brace === -1 || brace >= end))
      tellOnce(file, onCorrupt ? data.toString('utf8', at, end) : '', onCorrupt);
    else if (end > at) {
      const text = data.toString('utf8', at, end);
      const entry = parseEntry(text);
      const entries = entry ? [entry] : salvage(text);
      if (!entry) tellOnce(file, text, onCorrupt);
      for (const found of entries) lines.push({ offset: base + at, entry: found });
    }
    at = end + 1;
  }
  return lines;
}

const ABOUT = {
  lost: 'a line of the conversation of a task',
  next: 'The rest of the conversation is still known.',
};

function tellOnce(file: string, line: string, onCorrupt?: OnCorrupt): void {
  onCorrupt?.(file, line.slice(0, SHOWN));
  reportOnce(`${file} has a damaged line`, { ...ABOUT, file, why: 'has a damaged line' });
}

/** A torn last line moves to `<file>.bad`; the append closes one that only lacks its line break. */
export function quarantineTail(file: string, onCorrupt?: OnCorrupt): void {
  const fd = fs.openSync(file, 'r+');
  try {
    const { size } = fs.fstatSync(fd);
    let from = size;
    let tail: Buffer = Buffer.alloc(0);
    while (from > 0 && tail.indexOf(NEWLINE) === -1) {
      const earlier = Math.max(0, from - Math.max(tail.length, 4096));
      tail = Buffer.concat([readRange(fd, earlier, from), tail]);
      from = earlier;
    }
    const torn = tail.subarray(tail.lastIndexOf(NEWLINE) + 1);
    const text = torn.toString('utf8');
    if (torn.length === 0 || parseEntry(text)) return;
    fs.appendFileSync(`${file}.bad`, Buffer.concat([torn, Buffer.of(NEWLINE)]), { mode: 0o600, flush: true });
    fs.ftruncateSync(fd, size - torn.length);
    tellOnce(file, text, onCorrupt);
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * A line with an epoch is void after one with a higher epoch: an owner of the lane wrote it after the next one began.
 * Returns the same array if nothing is void.
 */
export function withoutStale(lines: SessionLine[]): SessionLine[] {
  let newest = 0;
  // Every message scans the lines in memory, so the usual case costs one comparison per line.
  for (const { entry } of lines) {
    if (typeof entry.epoch !== 'number') continue;
    if (entry.epoch < newest) return lines.filter(notStale());
    newest = entry.epoch;
  }
  return lines;
}

function notStale(): (line: SessionLine) => boolean {
  let newest = 0;
  return ({ entry: { epoch } }) => {
    if (typeof epoch !== 'number') return true;
    if (epoch < newest) return false;
    newest = epoch;
    return true;
  };
}
