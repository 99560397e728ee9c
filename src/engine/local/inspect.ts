/**
 * The spool as another program reads it, while the gateway runs or after its end: nothing here writes or locks. What is being written
 * at this moment may be missing.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../errors.ts';
import { type LogState, parseLine } from './log-lines.ts';
import { scanLines, segmentNames } from './segment.ts';

export interface Found {
  state: LogState | 'done' | 'dead' | 'unsure';
  key: string;
  /** Below the spool's folder. */
  file: string;
  /** As it was stored: a message or an answer. */
  value: unknown;
}

/** Everything of the last 30 days, or what belongs to the keys that begin with `prefix`; messages before answers. */
export function inspectSpool(root: string, prefix = ''): Found[] {
  return [
    ...inLog(root, prefix),
    ...filesOf(root, 'dead', prefix),
    ...filesOf(root, 'unsure', prefix),
    ...oldDays(root, prefix),
  ];
}

function inLog(root: string, prefix: string): Found[] {
  const inbox = new Map<string, Found>();
  const outbox = new Map<string, Found>();
  const mark = `"key":"${prefix}`;
  for (const name of exists(path.join(root, 'log')) ? segmentNames(path.join(root, 'log')) : []) {
    const file = path.join('log', `${name}.jsonl`);
    for (const { text } of scanLines(path.join(root, file)).lines) {
      const line = text.includes(mark) ? parseLine(text) : undefined;
      if (!line || line.op === 'begin' || !line.key.startsWith(prefix)) continue;
      const side = line.state === 'out' ? outbox : inbox;
      const { key, state } = line;
      const found = side.get(key);
      if (line.op === 'put') side.set(key, { state, key, file, value: line.value });
      else if (line.op === 'drop') side.delete(key);
      else if (found) found.state = line.op === 'done' ? 'done' : state;
    }
  }
  return [...inbox.values(), ...outbox.values()];
}

function filesOf(root: string, state: 'dead' | 'unsure' | 'done', prefix: string, folder: string = state): Found[] {
  if (!exists(path.join(root, folder))) return [];
  return fs
    .readdirSync(path.join(root, folder))
    .filter((name) => name.startsWith(prefix) && name.endsWith('.json'))
    .flatMap((name) => {
      const file = path.join(folder, name);
      const value = json(path.join(root, file));
      return value === undefined ? [] : [{ state, key: name.slice(0, -'.json'.length), file, value }];
    });
}

/** Folders that earlier versions made, one a day. */
function oldDays(root: string, prefix: string): Found[] {
  const done = path.join(root, 'done');
  const days = exists(done) ? fs.readdirSync(done) : [];
  return days.flatMap((day) => filesOf(root, 'done', prefix, path.join('done', day)));
}

const exists = (folder: string): boolean => fs.existsSync(folder);

function json(file: string): unknown {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch (error) {
    if (errorCode(error) === undefined && !(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}
