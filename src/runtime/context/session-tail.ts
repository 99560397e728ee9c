/** What requests look at of a session: its end, and the last compaction wherever that lies. Costs the same however long it is. */
import { statSync } from 'node:fs';
import type { Home } from '../../workspace/home.ts';
import { findCompaction } from '../../workspace/session-span.ts';
import { readSessionTail } from '../../workspace/sessions.ts';
import type { SessionTail } from './history-window.ts';

export const TAIL = { maxBytes: 262_144, maxEntries: 200 };

export async function readTail(home: Home, viber: string, taskId: string): Promise<SessionTail> {
  const file = home.sessionPath(viber, taskId);
  const entries = await readSessionTail(home, viber, taskId, TAIL);
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const isWhole = entries.length < TAIL.maxEntries && size <= TAIL.maxBytes;
  if (isWhole || entries.some((entry) => entry.type === 'compaction')) return { entries, isWhole };
  // It may lie before one very long run, or be as old as models have failed to make another.
  const last = findCompaction(file);
  return { entries: last ? [last.entry, ...entries] : entries, isWhole };
}
