/** Reports and keeps the unreadable lines of a segment, and reports a segment that another program moved away. */
import fs from 'node:fs';
import path from 'node:path';
import { reportDamage } from '../../lib/damage.ts';

const ABOUT = {
  lost: 'messages that were not answered, and answers that were not delivered',
  next: 'People who miss an answer have to write again.',
  tell: true,
};

const TORN = { lost: 'nothing that was acknowledged, unless somebody has cut the file' };

export function reportTorn(file: string): void {
  reportDamage({ ...TORN, file, why: 'ended in the middle of a line, which was cut off' });
}

/** Reports a segment whose contents, read from its handle, are now in `next`. */
export function reportReplaced(file: string, next: string, what: 'replaced' | 'removed', isAllGone: boolean): void {
  const why = `was ${what} by another program while the gateway ran`;
  const lost = isAllGone ? 'which messages of the last days were answered' : 'nothing that was acknowledged';
  const again = isAllGone ? 'A message that arrives again may be answered again. ' : '';
  reportDamage({ file, why, lost, next: `${again}Everything unfinished is in ${path.basename(next)}.` });
}

/** Appends these lines to `movedTo`. An empty list means that the segment lost its beginning. */
export function keepDamaged(file: string, lines: readonly string[], movedTo: string): void {
  const lost = { ...ABOUT, file, why: 'has lost its beginning' };
  if (lines.length > 0) fs.appendFileSync(movedTo, `${lines.join('\n')}\n`, { mode: 0o600 });
  reportDamage(lines.length === 0 ? lost : { ...lost, why: `has damaged lines (${lines.length})`, movedTo });
}
