/**
 * What a run on a guest's word is shown of its session: what everybody in the conversation has read, and what came of guests'
 * own runs. Results of tools that ran on anybody else's word may hold memory, logs and files of the workspace; summaries and
 * words of direct messages were never said here.
 */
import type { SessionTail } from '../../workspace/tasks/index.ts';
import type { MessageEntry } from './past-run.ts';

/**
 * Pure.
 * @param guests whose messages the run at hand answers, principals as text: they have said those to it
 * @param runId the run at hand, which is shown whole
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
      // What a job was told is nobody's to read; what it has said was sent to them.
      if (said.length > 0 && said.every(({ isJob }) => isJob)) return entry.type === 'result';
      // A run whose beginning lies before the tail may be anybody's.
      if (said.length === 0 || !said.every(isHeard)) return false;
      return entry.type === 'message' || entry.type === 'result' || said.every(({ isGuest }) => isGuest);
    }),
  };
}
