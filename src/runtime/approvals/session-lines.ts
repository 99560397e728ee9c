/** Reads a session for runs that wait: which calls are open, and what was asked and decided about a call. */
import type { SessionEntry, TaskRecord } from '../../workspace/types.ts';
import { openCalls } from '../context/open-calls.ts';
import type { WaitingCall } from '../contract/agent.ts';

export type Line<T extends SessionEntry['type']> = Extract<SessionEntry, { type: T }>;
export const isLine =
  <T extends SessionEntry['type']>(type: T) =>
  (entry: SessionEntry): entry is Line<T> =>
    entry.type === type;

/** Returns the calls of a run's last step that have no result. */
export const openIn = (entries: readonly SessionEntry[]): WaitingCall[] =>
  openCalls(entries.filter(isLine('step')).flatMap((step) => step.messages));

export const isAbout = ({ callId: first, more = [] }: Line<'approval'>, callId: string): boolean =>
  first === callId || more.some((call) => call.callId === callId);

/** Returns people's decisions about a call so far, oldest first. */
export function decidedOf(earlier: readonly SessionEntry[], callId: string): string[] {
  const asked = new Set(earlier.filter(isLine('approval')).flatMap((line) => (isAbout(line, callId) ? [line.id] : [])));
  return earlier.filter(isLine('decision')).flatMap(({ approval, verdict }) => (asked.has(approval) ? [verdict] : []));
}

export const sessionOf = (
  task: TaskRecord,
  { viber, run }: { viber: string; run: string },
  earlier: readonly SessionEntry[],
) => ({ task: { ...task, viber }, run, earlier });
