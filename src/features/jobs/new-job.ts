/** A job requested in a chat: its meaning, whether it is permitted, and its file (promise 41). */

import type { OutboundTargets } from '../../access/outbound-targets.ts';
import { identityText, type Principal } from '../../access/principal.ts';
import { type Address, formatAddress } from '../../channels/channel.ts';
import { UserError } from '../../errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { say } from '../../messages/messages.ts';
import type { JobService, NewJob } from '../../runtime/contract/job-service.ts';
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
  settings: { timezone: string; min_minutes: number; max: number };
}

export interface NewJobs {
  preview: JobService['preview'];
  /**
   * Returns what another time means.
   * @throws {UserError}
   */
  changed(to: Pick<NewJob, 'schedule' | 'timezone'>, agoMs?: number): ReturnType<JobService['preview']>;
  /**
   * Returns the fields of the job's file.
   * @param agoMs how long ago the job was requested
   * @throws {UserError}
   * @throws {DeliveryError} while a platform can't be asked
   */
  fields(job: NewJob, by: Principal, from: Address, agoMs: number): Promise<JobFields>;
}

const SHOWN_TIMES = 3;
const MINUTE_MS = 60_000;
const SILENT = ['local', 'terminal', 'api', 'hub'];

export function createNewJobs({ clock, jobs, targets, settings, directOf }: NewJobsOptions): NewJobs {
  function timing({ schedule: text, timezone = settings.timezone }: Pick<NewJob, 'schedule' | 'timezone'>, now: Date) {
    const parsed = parseSchedule(text, { timezone, now, anchor: now });
    const gap = shortestGapMs(parsed.schedule, now);
    if (gap < settings.min_minutes * MINUTE_MS) {
      throw new UserError(say('jobs.tooOften', { n: settings.min_minutes }));
    }
    const next = nextSlots(parsed.schedule, now, SHOWN_TIMES).map((time) => time.toISOString());
    return { ...parsed, next, stored: storedText(text, parsed) };
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

  /** Returns where the result goes: a terminal, the Board or a program can't receive a message first. */
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
    preview(job) {
      const now = new Date(clock.now());
      const { stored, words, timezone, next } = read(job, now);
      return { stored, words, timezone, next, now: now.toISOString() };
    },
    changed(to, agoMs = 0) {
      const now = new Date(clock.now() - Math.max(0, agoMs));
      const { stored, words, timezone, next } = timing(to, now);
      return { stored, words, timezone, next, now: now.toISOString() };
    },
    fields,
  };
}

/** Ignores a platform that is off, and a person who no longer has access. */
function notThere(error: unknown): undefined {
  if (!(error instanceof UserError)) throw error;
}
