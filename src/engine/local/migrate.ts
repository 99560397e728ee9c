/**
 * Spools of earlier versions: a file for each message, in the folder of its state. What is unfinished goes into the log, and only
 * then are its files removed; the keys of what was finished are kept, the files of it stay until their day is over.
 */
import fs from 'node:fs';
import path from 'node:path';
import { namesIn } from '../../lib/damage.ts';
import { readJson } from '../../lib/read-json.ts';
import { anything, shape } from '../../lib/shape.ts';
import { readKeys, writeKeys } from './finished-keys.ts';
import type { SpoolLog } from './log.ts';
import type { LogState } from './log-lines.ts';

const STATES: readonly LogState[] = ['new', 'cur', 'out'];
const ABOUT = { lost: 'a message or an answer of an earlier version', tell: true };
const isDay = (name: string): boolean => /^\d{4}-\d\d-\d\d$/.test(name);
const jsonIn = (folder: string): string[] => namesIn(folder).filter((name) => name.endsWith('.json'));
const keyOf = (file: string): string => file.slice(0, -'.json'.length);

export function adoptOldSpool(root: string, logFolder: string, log: SpoolLog): void {
  for (const day of namesIn(path.join(root, 'done')).filter(isDay)) {
    const keys = jsonIn(path.join(root, 'done', day)).map(keyOf);
    if (readKeys(logFolder, `${day}.0`)?.length === keys.length || keys.length === 0) continue;
    // More of them than were kept: an earlier version has run once more.
    writeKeys(logFolder, `${day}.0`, keys);
    log.rememberFinished(keys);
  }
  const names = STATES.map((state) => jsonIn(path.join(root, state)));
  if (names.some((each) => each.length > 0)) log.adopt([...unfinishedIn(root, log)]);
  for (const state of ['tmp', ...STATES]) removeOld(path.join(root, state));
}

/** A message that was put back after a crash stands in `new` and still in `cur`: as it is in `new` it counts. */
function* unfinishedIn(root: string, log: SpoolLog): Generator<{ state: LogState; key: string; value: unknown }> {
  const inbox = new Set([...log.keys('new'), ...log.keys('cur')]);
  for (const state of STATES) {
    const known = state === 'out' ? new Set(log.keys('out')) : inbox;
    for (const name of jsonIn(path.join(root, state))) {
      const value = readJson(path.join(root, state, name), shape<unknown>(anything), ABOUT);
      if (value === undefined || known.has(keyOf(name))) continue;
      known.add(keyOf(name));
      yield { state, key: keyOf(name), value };
    }
  }
}

/** What was set aside as damaged stays for a person to look at. */
function removeOld(folder: string): void {
  if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  const isKept = (name: string) => /\.bad(-\d)?$/.test(name);
  for (const name of namesIn(folder))
    if (!isKept(name)) fs.rmSync(path.join(folder, name), { recursive: true, force: true });
  if (namesIn(folder).length === 0) fs.rmdirSync(folder);
}

/** Folders of finished messages that earlier versions made, one a day. */
export function pruneOldDays(root: string, oldest: string): void {
  const done = path.join(root, 'done');
  for (const day of namesIn(done).filter(isDay))
    if (day < oldest) fs.rmSync(path.join(done, day), { recursive: true, force: true });
}
