/** What requests look at of a session: its end, and the last compaction wherever that lies. Costs the same however long it is. */
import type { Home } from '../../workspace/home.ts';
import { findCompaction, readSessionEnd } from '../../workspace/tasks/index.ts';
import type { SessionTail } from './history-window.ts';

export const TAIL = { maxBytes: 262_144, maxEntries: 200 };

export async function readTail(home: Home, viber: string, taskId: string): Promise<SessionTail> {
  const { entries, size } = await readSessionEnd(home, viber, taskId, TAIL);
  const isWhole = entries.length < TAIL.maxEntries && size <= TAIL.maxBytes;
  if (isWhole || entries.some((entry) => entry.type === 'compaction')) return { entries, isWhole };
  // It may lie before one very long run, or be as old as models have failed to make another.
  const last = findCompaction(home.sessionPath(viber, taskId));
  return { entries: last ? [last.entry, ...entries] : entries, isWhole };
}
