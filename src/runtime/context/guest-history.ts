/**
 * Filters the session for a run on behalf of guests: it sees what everyone in the conversation has read, and the
 * results of guests' own runs. Results of tools that ran for anyone else may hold memory, logs and workspace files;
 * summaries and direct messages were never shown in this conversation.
 */
import type { SessionTail } from '../../workspace/tasks/index.ts';
import type { MessageEntry } from './past-run.ts';

/**
 * @param guests whose messages the current run answers, principals as text: it may see what they wrote to it
 * @param runId the current run, which is kept whole
 */
export function shownToGuest({ entries, isWhole }: SessionTail, guests: readonly string[], runId: string): SessionTail {
  const saidIn = new Map<string, MessageEntry[]>();
  for (const entry of entries)
    if (entry.type === 'message') saidIn.set(entry.run, [...(saidIn.get(entry.run) ?? []), entry]);
  const isHeard = ({ isGroup, isGuest, from }: MessageEntry) =>
    isGroup || (isGuest === true && guests.includes(from.user));
  return {
    isWhole,
    entries: entries.filter((entry) => {
      if (!('run' in entry)) return entry.type !== 'compaction';
      if (entry.run === runId) return true;
      const said = saidIn.get(entry.run) ?? [];
      // Nobody may read a job's instructions; its results were sent to the chat.
      if (said.length > 0 && said.every(({ isJob }) => isJob)) return entry.type === 'result';
      // A run that began before the tail may be anyone's.
      if (said.length === 0 || !said.every(isHeard)) return false;
      return entry.type === 'message' || entry.type === 'result' || said.every(({ isGuest }) => isGuest);
    }),
  };
}
