/** Creates a job requested in a chat: interprets it, checks that it is permitted, and writes its file (promise 41). */

import type { OutboundTargets } from '../../access/outbound-targets.ts';
import { identityText, type Principal } from '../../access/principal.ts';
import { type Address, formatAddress } from '../../channels/channel.ts';
import { UserError } from '../../errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { say } from '../../messages/messages.ts';
import type { NewJob } from '../../runtime/contract/job-service.ts';
import { withAccount } from '../../runtime/conversations/asked-places.ts';
import type { Jobs } from './files.ts';
import type { JobFields } from './job.ts';
import { nextSlots, parseSchedule, shortestGapMs, storedText } from './schedule.ts';

export interface NewJobsOptions {
  clock: Clock;
  jobs: Pick<Jobs, 'all'>;
  targets: OutboundTargets;
  /** Returns the direct conversations of an owner. */
  directOf: (principal: Principal) => Address[];
  /** `jobs` of the configuration. */
  settings: { timezone: string; minMinutes: number; max: number };
}

export type NewJobs = ReturnType<typeof createNewJobs>;

const SHOWN_TIMES = 3;
const MINUTE_MS = 60_000;
const SILENT = ['local', 'terminal', 'api', 'hub'];

export function createNewJobs({ clock, jobs, targets, settings, directOf }: NewJobsOptions) {
  function timing({ schedule: text, timezone = settings.timezone }: Pick<NewJob, 'schedule' | 'timezone'>, now: Date) {
    const parsed = parseSchedule(text, { timezone, now, anchor: now });
    const gap = shortestGapMs(parsed.schedule, now);
    if (gap < settings.minMinutes * MINUTE_MS) {
      throw new UserError(say('jobs.tooOften', { n: settings.minMinutes }));
    }
    const next = nextSlots(parsed.schedule, now, SHOWN_TIMES).map((time) => time.toISOString());
    const { words, timezone: zone } = parsed;
    return { stored: storedText(text, parsed), words, timezone: zone, next, now: now.toISOString() };
  }

  function read(job: NewJob, now: Date) {
    const found = timing(job, now);
    const all = jobs.all();
    const name = job.name.trim();
    if (all.some((file) => file.job?.name.toLowerCase() === name.toLowerCase()))
      throw new UserError(say('jobs.nameTaken', { name }));
    const made = all.filter((file) => file.job?.createdBy !== undefined).length;
    if (made >= settings.max) throw new UserError(say('jobs.tooMany', { n: made }));
    for (const to of job.deliver ?? []) targets.read(to);
    return found;
  }

  /** Returns where the result goes: a terminal, the Board or a program can't receive a message unasked. */
  async function placesOf({ deliver }: NewJob, by: Principal, from: Address): Promise<string[]> {
    const isHere = !SILENT.includes(from.channel);
    const places = [...new Set(deliver ?? (isHere ? [formatAddress(from)] : []))];
    for (const to of places) await targets.find(to, by, isHere ? [withAccount(from)] : []);
    if (deliver !== undefined || isHere) return places;
    for (const address of directOf(by)) {
      const to = formatAddress(address);
      const found = await targets.find(to, by).catch(notThere);
      if (found) return [to];
    }
    throw new UserError(say('jobs.sayWhere', { command: viberCommand('init') }));
  }

  /**
   * Returns the fields of the job's file.
   * @param agoMs how long ago the job was requested
   * @throws {UserError}
   * @throws {DeliveryError} while a platform can't be asked
   */
  async function fields(job: NewJob, by: Principal, from: Address, agoMs: number): Promise<JobFields> {
    const asked = new Date(clock.now() - Math.max(0, agoMs));
    const { stored, timezone } = read(job, asked);
    const places = await placesOf(job, by, from);
    return {
      name: job.name.trim(),
      schedule: stored,
      timezone,
      prompt: job.prompt,
      ...(places.length > 0 ? { deliver: places } : {}),
      ...(job.skills === undefined ? {} : { skills: job.skills }),
      ...(job.model === undefined ? {} : { model: job.model }),
      ...(job.viber === undefined ? {} : { viber: job.viber }),
      createdBy: identityText(by),
      createdAt: asked.toISOString(),
    };
  }

  return {
    preview: (job: NewJob) => read(job, new Date(clock.now())),
    /**
     * Returns the meaning of a changed time.
     * @throws {UserError}
     */
    changed: (to: Pick<NewJob, 'schedule' | 'timezone'>, agoMs = 0) =>
      timing(to, new Date(clock.now() - Math.max(0, agoMs))),
    fields,
  };
}

/** Ignores a platform that is off, and a person who no longer has access. */
function notThere(error: unknown): undefined {
  if (!(error instanceof UserError)) throw error;
}
