/** What the scheduler is given: job files, what is remembered of them, and what a slot becomes. */

import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../log.ts';
import type { SkipReason } from './decide.ts';
import type { Jobs } from './files.ts';
import type { Job } from './job.ts';
import type { Trouble } from './records.ts';
import type { JobStates } from './state.ts';

export interface SchedulerOptions {
  clock: Clock;
  jobs: Pick<Jobs, 'all' | 'get' | 'onChange' | 'remove'>;
  state: JobStates;
  /** Makes the run of a slot durable under a name that no other run of this slot can have. Rejects when it cannot. */
  fire(job: Job, slot: Date): Promise<'accepted' | 'duplicate'>;
  /** Whether a run of the job waits or works. */
  isBusy(id: string): Promise<boolean>;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** How old a missed slot may be that still runs. */
  windowMs?: number;
  /** Once for failures in a row. */
  onTrouble?(job: Job, trouble: Trouble): void | Promise<void>;
  onSkip?(job: Job, slot: Date, reason: SkipReason): void;
  /** A run has begun, ended, or was left out. */
  onRun?(id: string): void;
}
