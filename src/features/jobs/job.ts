/**
 * Parses job files strictly. A partial job or a misspelt key must not run as a different job, so every problem is an
 * error; all are reported together, each with its line.
 */
import { z } from 'zod';
import { parseAddress, type WrittenAddress } from '../../channels/channel.ts';
import { type Data, parseYamlLines } from '../../config/parse.ts';
import { valueAt } from '../../config/validate.ts';
import { ConfigError, type ConfigProblem, UserError } from '../../errors.ts';
import { nearest } from '../../lib/nearest.ts';
import { originalOf } from '../../lib/second-versions.ts';
import { scrub } from '../../log.ts';
import { messagesIn, say, type Wording } from '../../messages/messages.ts';
import { formatSchedule, parseSchedule, type Schedule } from './schedule.ts';
import { type Want, wanted } from './wants.ts';
import { isTimezone } from './zone.ts';

export const MAX_JOB_BYTES = 64 * 1024;
const MAX_PROMPT_BYTES = 32 * 1024;
const MAX_PROBLEMS = 10;

/** The job's own settings. Missing ones come from `agents/{viber}.yaml`, then from the configuration. */
export interface JobAgent {
  model?: string;
  /** The system prompt of the agent, not of the job. */
  prompt?: string;
  skills?: string[];
  tools?: string[];
  maxSteps?: number;
  mode?: 'ask' | 'decide' | 'execute';
}

export interface Job {
  /** The file's name without its extension, in lower case. */
  id: string;
  name: string;
  schedule: Schedule;
  /** The text as written in the file. */
  scheduleText: string;
  /** The schedule as an English phrase. */
  words: string;
  timezone: string;
  prompt: string;
  viber?: string;
  /** The name or path of the project that its runs use. */
  project?: string;
  agent: JobAgent;
  deliver: WrittenAddress[];
  /** Whether to run a slot late if it was missed within the last 24 hours. */
  catchUp: boolean;
  enabled: boolean;
  jitterMs: number;
  /** The principal who created it in a chat (`telegram:1001`); absent for a file written by hand. */
  createdBy?: string;
  /** ISO 8601. */
  createdAt?: string;
}

const FILE = /^([a-z0-9][a-z0-9_-]{0,63})(\.disabled)?\.ya?ml$/i;

/** Returns the name of the job for a file name; undefined if it isn't a job file's name. */
export function jobFileName(name: string): { id: string; isDisabled: boolean } | undefined {
  const [, id, disabled] = FILE.exec(name) ?? [];
  return id === undefined ? undefined : { id: id.toLowerCase(), isDisabled: disabled !== undefined };
}

const wantedText = (want: Want, pattern = /\S/) => z.string(want).regex(pattern, want);
const number = (want: Want, min: number, max: number) => z.number(want).min(min, want).max(max, want);
const limitedList = <T extends z.ZodType>(item: T, max: 20 | 100) =>
  z.array(item, 'list' satisfies Want).max(max, `upTo${max}` satisfies Want);
const names = limitedList(wantedText('name'), 100);
const flag = z.boolean('flag' satisfies Want);
const zone: Want = 'zone';
const tooLong: Want = 'upTo32KB';
const prompt = wantedText('prompt').refine((value) => Buffer.byteLength(value) <= MAX_PROMPT_BYTES, tooLong);
const address = wantedText('address').transform((value, context) => {
  const parsed = parseAddress(value);
  if (parsed) return parsed;
  context.addIssue({ code: 'custom', message: 'address' satisfies Want });
  return z.NEVER;
});

/** Like `section` of the configuration: the error for an unknown key lists the known ones. */
const section = <T extends z.ZodRawShape>(shape: T) =>
  z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? Object.keys(shape).join(' ') : ('section' satisfies Want)),
  });

const overrides = {
  model: wantedText('model', /^\S+\/\S+$/).exactOptional(),
  skills: names.exactOptional(),
  tools: names.exactOptional(),
  maxSteps: number('steps', 1, 1000)
    .int('steps' satisfies Want)
    .exactOptional(),
};

const jobSchema = section({
  name: wantedText('jobName', /^(?=.*\S)[^\p{Cc}\p{Zl}\p{Zp}]{1,80}$/u),
  schedule: wantedText('schedule'),
  prompt,
  ...overrides,
  viber: wantedText('viber', /^[a-z0-9][a-z0-9_-]{0,63}$/).exactOptional(),
  project: wantedText('name').exactOptional(),
  agent: section({
    ...overrides,
    prompt: prompt.exactOptional(),
    mode: z.enum(['ask', 'decide', 'execute'], 'mode' satisfies Want).exactOptional(),
  }).exactOptional(),
  deliver: limitedList(address, 20).default([]),
  timezone: z.string(zone).refine(isTimezone, zone).exactOptional(),
  catch_up: flag.default(true),
  enabled: flag.default(true),
  jitter: number('jitter', 0, 86_400).default(0),
  createdBy: wantedText('person').exactOptional(),
  createdAt: z.iso.datetime({ offset: true, error: 'time' satisfies Want }).exactOptional(),
});

/** The contents of a job file; the keys are those of the file. */
export type JobFields = z.input<typeof jobSchema>;

export interface ParseOptions {
  /** The name to use in error messages. */
  file: string;
  /** Resolves "tomorrow at 9", but only so that the refusal can show its meaning. */
  now: Date;
  /** The time zone of a job that names none. */
  timezone: string;
}

/** @throws {ConfigError} with every problem as `FILE line N: KEY: expected ..., found ...` */
export async function parseJob(source: string, { file, now, timezone }: ParseOptions): Promise<Job> {
  const id = jobFileName(file.split('/').at(-1) ?? '')?.id;
  if (id === undefined) {
    throw new ConfigError([problem(misnamed(file))]);
  }
  if (Buffer.byteLength(source) > MAX_JOB_BYTES) {
    throw new ConfigError([problem(say('jobFiles.tooLarge', { file, size: `${MAX_JOB_BYTES / 1024} KB` }))]);
  }
  const parsed = await parseYamlLines(source, file);
  const { data, viberKey } = withShortForms(parsed.data);
  if (!isLikeJob(data)) throw new ConfigError([problem(say('jobFiles.noJob', { file }))]);
  const fail = (path: readonly PropertyKey[], what: Wording): ConfigProblem => {
    const line = parsed.lineOf(path[0] === 'viber' ? [viberKey, ...path.slice(1)] : path);
    return problem(say('jobFiles.inLine', { file, line, key: path.map(String).join('.'), what }));
  };
  const result = jobSchema.safeParse(data);
  const issues = result.error?.issues ?? [];
  const others = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? unknownKeys(issue) : []));
  // A key under a misspelt name does not count as missing.
  const isElsewhere = (path: string) => !Object.hasOwn(data, path) && others.some(({ near }) => near === path);
  const problems = issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') return [];
    const path = issue.path.map(String);
    return isElsewhere(path.join('.')) ? [] : [fail(path, wanted(issue.message, valueAt(data, path)))];
  });
  problems.push(...others.slice(0, MAX_PROBLEMS).map(({ path, said }) => fail(path, said)));
  const zoneOfJob = result.data?.timezone ?? timezone;
  const time = parseTime(data, { timezone: zoneOfJob, now });
  // A schedule that isn't text has been reported already.
  if ('problem' in time && typeof data.schedule === 'string' && data.schedule.trim() !== '') {
    problems.push(fail(['schedule'], time.problem));
  }
  if (!result.success || problems.length > 0 || 'problem' in time)
    throw new ConfigError(problems.slice(0, MAX_PROBLEMS));
  const { name, prompt: words, viber, project, deliver, enabled, createdBy, createdAt, ...rest } = result.data;
  const { model, skills, tools, maxSteps } = rest;
  return {
    id,
    name,
    prompt: words,
    scheduleText: rest.schedule,
    ...time,
    agent: {
      ...rest.agent,
      ...(model === undefined ? {} : { model }),
      ...(skills === undefined ? {} : { skills }),
      ...(tools === undefined ? {} : { tools }),
      ...(maxSteps === undefined ? {} : { maxSteps }),
    },
    deliver,
    catchUp: rest.catch_up,
    enabled,
    jitterMs: rest.jitter * 1000,
    ...(viber === undefined ? {} : { viber }),
    ...(project === undefined ? {} : { project }),
    ...(createdBy === undefined ? {} : { createdBy }),
    ...(createdAt === undefined ? {} : { createdAt }),
  };
}

type Section = { [key: string]: Data };

const ESSENTIAL = ['name', 'schedule', 'prompt'];

/** Returns true if any key is, or resembles, an essential key of a job. */
const isLikeJob = (data: Section): boolean =>
  Object.keys(data).length === 0 || Object.keys(data).some((key) => nearest(key, ESSENTIAL) !== undefined);

/** Accepts one address instead of a list, and `agent: ID` for `viber: ID`. */
function withShortForms({ ...data }: Section): { data: Section; viberKey: 'agent' | 'viber' } {
  if (typeof data.deliver === 'string' || typeof data.deliver === 'number') data.deliver = [data.deliver];
  if (typeof data.agent !== 'string' || Object.hasOwn(data, 'viber')) return { data, viberKey: 'viber' };
  const { agent, ...rest } = data;
  return { data: { ...rest, viber: agent }, viberKey: 'agent' };
}

const problem = (said: Wording): ConfigProblem => ({
  path: '',
  message: scrub(messagesIn('en').said(said)),
  said: scrubbed(said),
});

const scrubbed = ({ key, values }: Wording): Wording => ({
  key,
  values: Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (typeof value === 'object') return [name, 'key' in value ? scrubbed(value) : value];
      return [name, typeof value === 'string' ? scrub(value) : value];
    }),
  ),
});

function misnamed(file: string): Wording {
  const original = originalOf(file);
  if (original !== undefined) return say('jobFiles.copy', { file, original });
  return say(/\.ya?ml$/i.test(file) ? 'jobFiles.badName' : 'jobFiles.otherEnding', { file });
}

/** Returns for each unknown key the most similar key, or all keys. */
function unknownKeys(issue: z.core.$ZodIssueUnrecognizedKeys) {
  const keys = issue.message.split(' ');
  return issue.keys.slice(0, MAX_PROBLEMS).map((key) => {
    const near = nearest(key, keys);
    const said =
      near === undefined ? say('jobFiles.noKey', { keys: keys.join(', ') }) : say('jobFiles.nearKey', { near });
    return { path: [...issue.path, key], near, said };
  });
}

type Time = Pick<Job, 'schedule' | 'words' | 'timezone'> | { problem: Wording };

/** Refuses relative times: a file is read again and again, and its meaning must not change each time. */
function parseTime(data: Section, { timezone, now }: { timezone: string; now: Date }): Time {
  try {
    const options = { timezone, now, allowPast: true };
    const { schedule, words, relative, ...named } = parseSchedule(String(data.schedule), options);
    if (named.namesZone && data.timezone !== undefined && named.timezone !== timezone)
      return { problem: say('jobFiles.oneZone', { zone: timezone, other: named.timezone }) };
    if (!relative) return { schedule, words, timezone: named.timezone };
    return { problem: say('jobFiles.staysTheSame', { value: JSON.stringify(formatSchedule(schedule)) }) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { problem: error.said };
  }
}
