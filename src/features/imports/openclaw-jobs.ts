/**
 * Converts OpenClaw's cron jobs to job files, from its database or from the `cron/jobs.json` of older versions. Each is
 * parsed as the gateway will parse it.
 */
import path from 'node:path';
import { parseAddress } from '../../channels/channel.ts';
import { channelKind } from '../../channels/index.ts';
import { errorMessage } from '../../errors.ts';
import { isRecord } from '../../lib/json.ts';
import type { CliServices } from '../../runtime/contract/cli.ts';
import { jobsInDatabase } from './openclaw-database.ts';
import { type Plan, readOrNote } from './plan.ts';

const MINUTE_MS = 60_000;

export async function jobsOf(source: string, now: Date, plan: Plan, jobFiles: CliServices['jobFiles']): Promise<void> {
  const { file, jobs } = await readSourceJobs(source, plan);
  if (jobs.length === 0) return;
  const files = await jobFiles({ home: '', env: {} });
  if (!files) return;
  const taken = new Set<string>();
  for (const job of jobs) {
    const name = typeof job.name === 'string' && job.name.trim() !== '' ? job.name.trim().slice(0, 80) : String(job.id);
    try {
      const fields = convertJob(job, name, now);
      if (typeof fields === 'string') {
        plan.notes.push(`The job "${name}" is not imported: ${fields}.`);
        continue;
      }
      const { note, ...written } = fields;
      const own = files.idOf(name);
      const id = [own, `${own.slice(0, 40)}-${files.idOf(String(job.id)).slice(0, 8)}`].find(
        (each) => !taken.has(each),
      );
      if (id === undefined) continue;
      taken.add(id);
      const yaml = Object.entries(written)
        .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
        .join('');
      const { problems = [] } = await files.check(`${id}.yaml`, yaml);
      if (problems[0] !== undefined) throw new Error(problems[0]);
      plan.writes.push({ to: `jobs/${id}.yaml`, from: `${file}: ${name}`, content: Buffer.from(yaml) });
      if (note !== undefined) plan.notes.push(`The job "${name}" ${note}.`);
    } catch (error) {
      plan.notes.push(`The job "${name}" is not imported: ${errorMessage(error).split('\n', 1)[0]}`);
    }
  }
  if (taken.size > 0) plan.notes.push('Stop OpenClaw before you start the gateway, or both will run these jobs.');
}

/** The database takes precedence: versions that have one leave the older file behind. */
async function readSourceJobs(source: string, plan: Plan): Promise<{ file: string; jobs: Record<string, unknown>[] }> {
  const database = 'state/openclaw.sqlite';
  try {
    const jobs = await jobsInDatabase(path.join(source, database));
    if (jobs && jobs.length > 0) return { file: database, jobs };
  } catch (error) {
    const why = errorMessage(error).split('\n', 1)[0];
    plan.notes.push(`${database} could not be read (${why}): openclaw cron list shows the jobs in it.`);
  }
  const file = path.join(source, 'cron/jobs.json');
  const text = readOrNote(plan, source, 'cron/jobs.json')?.toString();
  return { file, jobs: text === undefined ? [] : listIn(text, plan) };
}

function listIn(text: string, plan: Plan): Record<string, unknown>[] {
  try {
    const data: unknown = JSON.parse(text);
    const jobs = isRecord(data) ? data.jobs : data;
    if (Array.isArray(jobs)) return jobs.filter(isRecord);
  } catch (error) {
    plan.notes.push(`cron/jobs.json could not be read (${errorMessage(error)}).`);
    return [];
  }
  plan.notes.push('cron/jobs.json has no list of jobs.');
  return [];
}

type Fields = Record<string, unknown> & { note?: string };

/** Returns the fields of our job, or the reason why it can't be converted. */
function convertJob(
  { schedule, payload, delivery, enabled }: Record<string, unknown>,
  name: string,
  now: Date,
): Fields | string {
  const when = isRecord(schedule) ? scheduleOf(schedule, now) : undefined;
  if (when === undefined) return 'its kind of schedule is unknown';
  if (typeof when === 'string') return when;
  if (isRecord(payload) && payload.kind === 'command') return 'it runs a command';
  const words = isRecord(payload) ? (payload.message ?? payload.text) : undefined;
  if (typeof words !== 'string' || words.trim() === '') return 'it has no message';
  // The first versions stored delivery in the payload.
  const place = isRecord(delivery)
    ? convertDelivery(delivery)
    : isRecord(payload) && payload.deliver
      ? convertDelivery(payload)
      : {};
  return { name, ...when, prompt: words, ...place, ...(enabled === false ? { enabled: false } : {}) };
}

function scheduleOf(
  { kind, at: said, atMs, everyMs, expr, tz }: Record<string, unknown>,
  now: Date,
): { schedule: string; timezone?: string } | string | undefined {
  const timezone = typeof tz === 'string' ? { timezone: tz } : {};
  if (kind === 'cron' && typeof expr === 'string') return { schedule: expr, ...timezone };
  if (kind === 'every' && typeof everyMs === 'number') {
    const minutes = Math.round(everyMs / MINUTE_MS);
    if (minutes < 1) return 'it runs more than once a minute';
    return { schedule: minutes % 60 === 0 ? `every ${minutes / 60} hours` : `every ${minutes} minutes` };
  }
  const at = typeof atMs === 'number' && Number.isFinite(atMs) ? new Date(atMs).toISOString() : said;
  if (kind !== 'at' || typeof at !== 'string') return undefined;
  // OpenClaw reads a time without a zone as UTC.
  const time = new Date(/Z$|[+-]\d\d:?\d\d$/.test(at) ? at : `${at}Z`);
  if (Number.isNaN(time.getTime())) return undefined;
  return time > now ? { schedule: time.toISOString().replace(/\.\d+Z$/, 'Z') } : 'its time has passed';
}

/** Converts `channel: NAME, to: NAME:group:-100:topic:7` to `NAME:-100:7`. */
function convertDelivery({ mode, channel, to, threadId }: Record<string, unknown>): {
  deliver?: string[];
  note?: string;
} {
  if (mode === 'none') return {};
  if (mode === 'webhook') return { note: 'was posted to a webhook; its result goes to the owners now' };
  if (typeof channel !== 'string' || typeof to !== 'string' || channel === 'last') return {};
  const chat = to
    .replace(new RegExp(`^${channel}:`), '')
    .replace(/^(group|channel):/, '')
    .replace(':topic:', ':');
  const hasThread = chat.includes(':') || !/^[\w.-]+$/.test(String(threadId ?? ''));
  const address = `${channel}:${chat}${hasThread ? '' : `:${String(threadId)}`}`;
  const isKnown = channelKind(channel) !== undefined && !chat.startsWith('user:') && parseAddress(address);
  return isKnown ? { deliver: [address] } : { note: `went to ${channel} ${to}; its result goes to the owners now` };
}
