/** Which attempts at a question stand for earlier ones: a person may only ask their own question anew. Pure. */
import { isOneOf, type Principal } from '../../access/principal.ts';
import { scrub } from '../../log.ts';
import type { SessionEntry } from '../../workspace/types.ts';

type Line = Extract<SessionEntry, { type: 'message' }>;
type Result = Extract<SessionEntry, { type: 'result' }>;

/** Returns the message of each run that has only one. */
function soleLines(entries: readonly SessionEntry[]): ReadonlyMap<string, Line> {
  const lines = new Map<string, Line | undefined>();
  for (const entry of entries) {
    if (entry.type !== 'message') continue;
    const known = lines.get(entry.run);
    // After a crash a line may be there twice.
    if (known?.id !== entry.id) lines.set(entry.run, lines.has(entry.run) ? undefined : entry);
  }
  return new Map([...lines].flatMap(([run, line]) => (line ? [[run, line]] : [])));
}

/** Whether the run of these entries answers only this question of this person. */
export function isOwnQuestion(run: readonly SessionEntry[], words: string, by: Principal): boolean {
  const [line, ...others] = soleLines(run).values();
  if (line === undefined || others.length > 0 || line.isJob || !isOneOf([line.from.user], by)) return false;
  const said = (line.said ?? line.text).trim();
  return [words, scrub(words)].some((text) => text.trim() === said);
}

/**
 * Returns the replaced run by each attempt that counts: one of the same sender, for a run with only that question. An
 * attempt that was replaced itself counts if the newer one does.
 * @param counts whether an attempt with this result, or with none yet, may take another's place
 */
export function replacedRuns(
  entries: readonly SessionEntry[],
  counts: (run: string, result: Result | undefined) => boolean,
): ReadonlyMap<string, string> {
  const lines = soleLines(entries);
  const results = new Map(entries.flatMap((entry) => (entry.type === 'result' ? [[entry.run, entry]] : [])));
  const replaced = new Map<string, string>();
  const gone = new Set<string>();
  for (const entry of entries.toReversed()) {
    if (entry.type !== 'message' || entry.again === undefined || entry.again === entry.run) continue;
    const { run, again, from } = entry;
    if (lines.get(again)?.from.user !== from.user) continue;
    if (!gone.has(run) && !counts(run, results.get(run))) continue;
    replaced.set(run, again);
    gone.add(again);
  }
  return replaced;
}
