/**
 * Migrates spools of earlier versions, which had a file per message in a folder per state. Unfinished messages go into
 * the log, and only then are their files removed. The keys of finished ones are kept; their files stay until their day
 * expires.
 */
import fs from 'node:fs';
import path from 'node:path';
import { namesIn } from '../../lib/damage.ts';
import { statOf } from '../../lib/files/cache.ts';
import { readJson } from '../../lib/json.ts';
import { anything, shape } from '../../lib/shape.ts';
import { readKeys, writeKeys } from './finished-keys.ts';
import type { SpoolLog } from './log.ts';
import type { LogState } from './log-lines.ts';

const STATES: readonly LogState[] = ['new', 'cur', 'out'];
const ABOUT = { lost: 'a message or an answer of an earlier version', tell: true };
const isDay = (name: string): boolean => /^\d{4}-\d\d-\d\d$/.test(name);
const jsonIn = (folder: string): string[] => namesIn(folder).filter((name) => name.endsWith('.json'));
const fileKey = (file: string): string => file.slice(0, -'.json'.length);

export function adoptOldSpool(root: string, logFolder: string, log: SpoolLog): void {
  for (const day of namesIn(path.join(root, 'done')).filter(isDay)) {
    const keys = jsonIn(path.join(root, 'done', day)).map(fileKey);
    if (readKeys(logFolder, `${day}.0`)?.length === keys.length || keys.length === 0) continue;
    // More files than keys: an earlier version ran again.
    writeKeys(logFolder, `${day}.0`, keys);
    log.rememberFinished(keys);
  }
  const names = STATES.map((state) => jsonIn(path.join(root, state)));
  if (names.some((each) => each.length > 0)) log.adopt([...unfinishedIn(root, log)]);
  for (const state of ['tmp', ...STATES]) removeOld(path.join(root, state));
}

/** Yields unfinished entries. A message that was put back after a crash is in both `new` and `cur`; `new` counts. */
function* unfinishedIn(root: string, log: SpoolLog): Generator<{ state: LogState; key: string; value: unknown }> {
  const inbox = new Set([...log.keys('new'), ...log.keys('cur')]);
  for (const state of STATES) {
    const known = state === 'out' ? new Set(log.keys('out')) : inbox;
    for (const name of jsonIn(path.join(root, state))) {
      const value = readJson(path.join(root, state, name), shape<unknown>(anything), ABOUT);
      if (value === undefined || known.has(fileKey(name))) continue;
      known.add(fileKey(name));
      yield { state, key: fileKey(name), value };
    }
  }
}

/** Files set aside as damaged are kept for a person to look at. */
function removeOld(folder: string): void {
  if (!statOf(folder)?.isDirectory()) return;
  const isKept = (name: string) => /\.bad(-\d)?$/.test(name);
  for (const name of namesIn(folder))
    if (!isKept(name)) fs.rmSync(path.join(folder, name), { recursive: true, force: true });
  if (namesIn(folder).length === 0) fs.rmdirSync(folder);
}

/** Deletes expired folders of finished messages, which earlier versions made. */
export function pruneOldDays(root: string, oldest: string): void {
  const done = path.join(root, 'done');
  for (const day of namesIn(done).filter(isDay))
    if (day < oldest) fs.rmSync(path.join(done, day), { recursive: true, force: true });
}
