/**
 * Starts the next segment of the log with everything that is unfinished. Its number is higher than that of any file in
 * the folder, even one that another program put there, because a start reads the newest.
 */
import fs from 'node:fs';
import path from 'node:path';
import { ensureFolder } from '../../lib/damage.ts';
import { statOf } from '../../lib/files/cache.ts';
import { reportReplaced } from './damaged-lines.ts';
import { writeKeys } from './finished-keys.ts';
import { beginText, type LiveEntry, lineText, type Position } from './log-lines.ts';
import { newestName, nextName, Segment, syncFolder } from './segment.ts';

interface Place extends Position {
  entry: LiveEntry;
}

export interface CarriedEntries {
  entries: readonly [key: string, entry: LiveEntry][];
  /** Keys finished in the last segment. */
  finished: readonly string[];
  valueAt: (entry: LiveEntry) => unknown;
}

/**
 * Creates the segment that follows `last` and moves the entries into it. Needs only the handle of `last`, whatever
 * happened to its file.
 * @throws a system error, with nothing changed
 */
export function startNextSegment(
  folder: string,
  last: Segment,
  today: string,
  { entries, finished, valueAt }: CarriedEntries,
): Segment {
  const isInPlace = last.isInPlace;
  const isThere = fs.existsSync(last.file);
  const isNewFolder = !isInPlace && remakeFolder(folder);
  const places: Place[] = [];
  // Nothing may fail once the next segment exists: a start reads the newest. The keys keep the last segment's name,
  // even if its file is gone.
  writeKeys(folder, last.name, finished);
  const name = nextName(newestName(folder), today);
  const next = Segment.whole(folder, name, carry(beginText(), entries, valueAt, places));
  for (const { entry, offset, length } of places) Object.assign(entry, { offset, length });
  if (!isInPlace) reportReplaced(last.file, next.file, isThere ? 'replaced' : 'removed', isNewFolder);
  return next;
}

/** Returns whether the folder was missing. It and its name are on disk when this returns. */
function remakeFolder(folder: string): boolean {
  if (statOf(folder)?.isDirectory()) return false;
  const root = path.dirname(folder);
  ensureFolder(root, folder, 'the contents of spool/log/');
  syncFolder(root);
  syncFolder(path.dirname(root));
  return true;
}

/** Yields the text of the next segment and records in `places` where each entry lands. */
function* carry(
  begin: string,
  entries: Iterable<[key: string, entry: LiveEntry]>,
  valueAt: (entry: LiveEntry) => unknown,
  places: Place[],
): Generator<string> {
  yield begin;
  let offset = Buffer.byteLength(begin);
  for (const [key, entry] of entries) {
    // A message that was running and waits again is written as running, then moved back.
    const isBack = entry.state === 'new' && entry.wasInWork === true;
    const put = lineText({ op: 'put', state: isBack ? 'cur' : entry.state, key, value: valueAt(entry) });
    const rest = isBack ? lineText({ op: 'move', state: 'new', key }) : '';
    const length = Buffer.byteLength(put) - 1;
    places.push({ entry, offset, length });
    offset += length + 1 + Buffer.byteLength(rest);
    yield put + rest;
  }
}
