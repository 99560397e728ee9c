/** The scheduler's dependencies: job files, their state, and what happens at a slot. */

import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../log.ts';
import type { SkipReason } from './decide.ts';
import type { Jobs } from './files.ts';
import type { Job } from './job.ts';
import type { Trouble } from './records.ts';
import type { JobStates } from './state.ts';

export interface SchedulerOptions {
  clock: Clock;
  jobs: Pick<Jobs, 'all' | 'get' | 'onChange' | 'remove'>;
  state: JobStates;
  /** Makes the run of a slot durable, under a name that is unique to this slot. Rejects if it can't. */
  fire(job: Job, slot: Date): Promise<'accepted' | 'duplicate'>;
  /** Returns whether a run of the job is queued or running. */
  isBusy(id: string): Promise<boolean>;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Called once per streak of failures. */
  onTrouble?(job: Job, trouble: Trouble): void | Promise<void>;
  onSkip?(job: Job, slot: Date, reason: SkipReason): void;
  /** Called when a run has begun, ended or been skipped. */
  onRun?(id: string): void;
}
