/** A job as people and models see it. Pure. */
import { formatAddress } from '../../channels/channel.ts';
import { hashText } from '../../lib/files.ts';
import type { Wording } from '../../messages/messages.ts';
import type { JobView } from '../../runtime/contract/job-service.ts';
import { taskIdOf } from './slot-entry.ts';
import type { JobState } from './state.ts';
import type { JobFile } from './written/job-file.ts';

export interface ViewFacts {
  next: readonly Date[];
  lastRun: JobState['lastRun'];
  /** Sentences about unknown names. */
  lacks: Wording[];
  /** The time zone of jobs that name none. */
  timezone: string;
}

export function viewOf(file: JobFile, { next, lastRun: run, lacks, timezone }: ViewFacts): JobView {
  const { id, job, problem, wrong } = file;
  const slot = run && new Date(run.slot);
  return {
    id,
    name: job?.name ?? id,
    schedule: job?.scheduleText ?? '',
    words: job?.words ?? '',
    next: next.map((time) => time.toISOString()),
    timezone: job?.timezone ?? timezone,
    state: viewState(file, next.length > 0),
    deliver: (job?.deliver ?? []).map((written) => formatAddress({ account: '', ...written })),
    version: hashText(JSON.stringify(job ?? null)),
    ...(problem === undefined ? {} : { problem }),
    ...(wrong === undefined ? {} : { wrong }),
    ...(lacks.length === 0 ? {} : { lacks }),
    ...(run && slot
      ? { lastRun: { task: run.task ?? taskIdOf(id, slot), slot: slot.toISOString(), state: run.state } }
      : {}),
    ...(job?.createdBy === undefined ? {} : { createdBy: job.createdBy }),
  };
}

function viewState({ state, job }: JobFile, hasNext: boolean): JobView['state'] {
  if (state === 'disabled') return 'paused';
  if (!job) return 'broken';
  return hasNext ? 'on' : 'done';
}
