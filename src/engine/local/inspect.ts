/**
 * Reads the spool from another program, while the gateway runs or after it ended. Never writes or locks. What is being
 * written at this moment may be missing.
 */
import fs from 'node:fs';
import path from 'node:path';
import { parseJson, readWhole } from '../../lib/json.ts';
import { readKeys } from './finished-keys.ts';
import { type ChangeLine, type LogState, parseLine } from './log-lines.ts';
import { scanLines, segmentNames } from './segment.ts';

export interface SpoolRecord {
  state: LogState | 'done' | 'dead' | 'unsure';
  key: string;
  /** Relative to the spool's folder. */
  file: string;
  /** The stored message or answer. */
  value: unknown;
}

const BEGIN = '{"op":"begin"';

/** Returns everything of the last 30 days, or only keys that start with `prefix`; messages before answers. */
export function inspectSpool(root: string, prefix = ''): SpoolRecord[] {
  return [
    ...inLog(root, prefix, exists(path.join(root, 'log')) ? segmentNames(path.join(root, 'log')) : []),
    ...settledRecords(root, 'dead', prefix),
    ...settledRecords(root, 'unsure', prefix),
    ...oldDays(root, prefix),
  ];
}

/**
 * Returns what is unfinished, was given up or is unsure. Reads only a few files, however much happened in the last 30
 * days.
 */
export function inspectUnfinished(root: string): SpoolRecord[] {
  const folder = path.join(root, 'log');
  const newest = exists(folder) ? segmentNames(folder).slice(-1) : [];
  const live = inLog(root, '', newest).filter(({ state }) => state !== 'done');
  return [...live, ...settledRecords(root, 'dead', ''), ...settledRecords(root, 'unsure', '')];
}

/** Returns at least `count` of the newest messages, if there are so many; reads no more of the log than that takes. */
export function inspectNewest(root: string, count: number): SpoolRecord[] {
  const folder = path.join(root, 'log');
  const names = exists(folder) ? segmentNames(folder) : [];
  for (let taken = 1; ; taken *= 2) {
    const found = inLog(root, '', names.slice(-taken)).filter(({ state }) => state !== 'out');
    if (found.length >= count || taken >= names.length) return [...found, ...settledRecords(root, 'dead', '')];
  }
}

/** Counts what the next start goes on with. */
export const countUnfinished = (root: string): number =>
  inspectUnfinished(root).filter(({ state }) => state !== 'dead' && state !== 'unsure').length;

function inLog(root: string, prefix: string, names: readonly string[]): SpoolRecord[] {
  const inbox = new Map<string, SpoolRecord>();
  const outbox = new Map<string, SpoolRecord>();
  const mark = `"key":${JSON.stringify(prefix).slice(0, -1)}`;
  for (const [index, name] of names.entries()) {
    const file = path.join('log', `${name}.jsonl`);
    for (const { text } of scanLines(path.join(root, file)).lines) {
      const line = text.includes(mark) || text.startsWith(BEGIN) ? parseLine(text) : undefined;
      if (line?.op === 'begin') closeLive(inbox, outbox, readKeys(path.join(root, 'log'), names[index - 1] ?? name));
      if (!line || line.op === 'begin' || !line.key.startsWith(prefix)) continue;
      applyLine(line.state === 'out' ? outbox : inbox, line, file);
    }
  }
  return [...inbox.values(), ...outbox.values()];
}

/**
 * Settles a segment at the start of the next, which repeats everything unfinished. An entry that isn't repeated was
 * finished if its key was kept, else taken back.
 */
function closeLive(
  inbox: Map<string, SpoolRecord>,
  outbox: Map<string, SpoolRecord>,
  keys: readonly string[] = [],
): void {
  const finished = new Set(keys);
  for (const side of [inbox, outbox])
    for (const [key, found] of side) {
      if (found.state === 'done') continue;
      if (finished.has(found.state === 'out' ? `${key}.out` : key)) found.state = 'done';
      else side.delete(key);
    }
}

function applyLine(side: Map<string, SpoolRecord>, line: ChangeLine, file: string): void {
  const { key, state } = line;
  const found = side.get(key);
  if (line.op === 'put') side.set(key, { state, key, file, value: line.value });
  else if (line.op === 'drop') side.delete(key);
  else if (found) found.state = line.op === 'done' ? 'done' : state;
}

function settledRecords(
  root: string,
  state: 'dead' | 'unsure' | 'done',
  prefix: string,
  folder: string = state,
): SpoolRecord[] {
  if (!exists(path.join(root, folder))) return [];
  return fs
    .readdirSync(path.join(root, folder))
    .filter((name) => name.startsWith(prefix) && name.endsWith('.json'))
    .flatMap((name) => {
      const file = path.join(folder, name);
      const value = parseJson(readWhole(path.join(root, file))?.text ?? '');
      return value === undefined ? [] : [{ state, key: name.slice(0, -'.json'.length), file, value }];
    });
}

/** Reads folders of earlier versions, one per day. */
function oldDays(root: string, prefix: string): SpoolRecord[] {
  const done = path.join(root, 'done');
  const days = exists(done) ? fs.readdirSync(done) : [];
  return days.flatMap((day) => settledRecords(root, 'done', prefix, path.join('done', day)));
}

const exists = (folder: string): boolean => fs.existsSync(folder);
