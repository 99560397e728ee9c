/** Reports to the owners jobs that failed, missed a slot or can no longer run. */
import { hashText } from '../../lib/files.ts';
import { say, type Wording } from '../../messages/messages.ts';
import { quotedName } from '../../runtime/conversations/asked-places.ts';
import type { OwnerNotifier } from '../../runtime/conversations/owner-notifier.ts';
import { escapeMarkdown } from '../../runtime/conversations/places.ts';
import type { Job } from './job.ts';
import type { Trouble } from './records.ts';
import { nextSlot } from './slots.ts';
import { type JobStates, scheduleIn } from './state.ts';
import type { JobFile } from './written/job-file.ts';

type Owners = Pick<OwnerNotifier, 'tellOwners'>;

/** Reports jobs that were active when the gateway stopped and whose files this version can't read. */
export function reportStopped(entries: readonly JobFile[], states: JobStates, { tellOwners }: Owners): void {
  const inForce = new Set(entries.flatMap(({ id, job }) => (job ? [id] : [])));
  // The file may still be being written.
  const isUnfinished = ({ wrong = [] }: JobFile) => wrong.some(({ key }) => key === 'jobFiles.unfinished');
  const stopped = entries.filter(
    (file) =>
      file.state === 'broken' && !inForce.has(file.id) && !isUnfinished(file) && scheduleIn(states.get(file.id)),
  );
  if (stopped.length === 0) return;
  const names = stopped.map(({ id }) => escapeMarkdown(id)).join(', ');
  const id = hashText(stopped.map(({ file, problem }) => `${file} ${problem}`).join('\n')).slice(0, 16);
  void tellOwners(`jobs-stopped-${id}`, say('jobs.stopped', { n: stopped.length, names }));
}

export async function reportTrouble(
  { id, name }: Job,
  { since, error }: Trouble,
  hasNext: boolean,
  { tellOwners }: Owners,
): Promise<void> {
  const why = error === '' ? '' : ` ${error}`;
  const key = hasNext ? 'jobs.failed' : 'jobs.failedForGood';
  await tellOwners(`job-${id}-failing-${since.getTime()}`, say(key, { name: quotedName(name), why }));
}

/** Reports a skipped slot only if it was the last one: otherwise the next run shows that the job works. */
export function reportMissed(
  { id, name, schedule, timezone, createdBy }: Job,
  slot: Date,
  { tellOwners }: Owners,
): void {
  if (nextSlot(schedule, slot) !== undefined) return;
  const due = { at: slot.toISOString(), zone: timezone };
  const key = createdBy === undefined ? 'jobs.missed' : 'jobs.missedAsked';
  void tellOwners(`job-${id}-missed-${slot.getTime()}`, say(key, { name: quotedName(name), due, zone: timezone }));
}

export const withoutRights = ({ name, createdBy }: Job): Wording =>
  say('jobs.withoutRights', { name: quotedName(name), who: createdBy ?? '' });
