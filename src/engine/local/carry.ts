/** What a segment of the log begins with: all that is unfinished, as it stands. */
import { type LiveEntry, lineText, type Position } from './log-lines.ts';

export interface Place extends Position {
  entry: LiveEntry;
}

/** The texts of the next segment, and into `places` where it puts each entry. */
export function* carry(
  begin: string,
  entries: Iterable<[key: string, entry: LiveEntry]>,
  valueAt: (entry: LiveEntry) => unknown,
  places: Place[],
): Generator<string> {
  yield begin;
  let offset = Buffer.byteLength(begin);
  for (const [key, entry] of entries) {
    // What was in work and waits again is put as it was, and moved back behind that.
    const isBack = entry.state === 'new' && entry.wasInWork === true;
    const put = lineText({ op: 'put', state: isBack ? 'cur' : entry.state, key, value: valueAt(entry) });
    const rest = isBack ? lineText({ op: 'move', state: 'new', key }) : '';
    const length = Buffer.byteLength(put) - 1;
    places.push({ entry, offset, length });
    offset += length + 1 + Buffer.byteLength(rest);
    yield put + rest;
  }
}
