/**
 * A job file: what it may say, read strictly. Half a job or a misspelt key must not run as another job than the one meant, so
 * everything wrong is an error, all at once, each with its line.
 */
import { z } from 'zod';
import { parseAddress, type WrittenAddress } from '../channels/address.ts';
import { type Data, type ParsedYaml, parseYamlLines } from '../config/parse.ts';
import { found, valueAt } from '../config/validate.ts';
import { ConfigError, type ConfigProblem, errorMessage, UserError } from '../errors.ts';
import { nearest } from '../lib/nearest.ts';
import { scrub } from '../log.ts';
import { formatSchedule, parseSchedule, type Schedule } from './schedule.ts';
import { isTimezone } from './zone.ts';

export const MAX_JOB_BYTES = 64 * 1024;
const MAX_PROMPT_BYTES = 32 * 1024;
const MAX_PROBLEMS = 10;

/** What a job has of its own; what is absent comes from `agents/{viber}.yaml`, then from the configuration. */
export interface JobAgent {
  model?: string;
  /** The agent's part of the system prompt, not the job's. */
  prompt?: string;
  skills?: string[];
  tools?: string[];
  maxSteps?: number;
  mode?: 'ask' | 'decide' | 'execute';
}

export interface Job {
  /** The file's name without its ending, in lower case. */
  id: string;
  name: string;
  schedule: Schedule;
  /** As the file has it. */
  scheduleText: string;
  /** The schedule as one phrase for people. */
  words: string;
  timezone: string;
  prompt: string;
  viber?: string;
  agent: JobAgent;
  deliver: WrittenAddress[];
  /** Whether a slot missed within the last 24 hours runs late. */
  catchUp: boolean;
  enabled: boolean;
  jitterMs: number;
  /** Who made it from a chat, as a principal's text (`telegram:1001`); absent for a file somebody wrote. */
  createdBy?: string;
  /** ISO 8601. */
  createdAt?: string;
}

const FILE = /^([a-z0-9][a-z0-9_-]{0,63})(\.disabled)?\.ya?ml$/i;

/** The job a file name stands for; undefined for a name that cannot be one. */
export function jobFileName(name: string): { id: string; isDisabled: boolean } | undefined {
  const [, id, disabled] = FILE.exec(name) ?? [];
  return id === undefined ? undefined : { id: id.toLowerCase(), isDisabled: disabled !== undefined };
}

const text = (expected: string, pattern = /\S/) => z.string(expected).regex(pattern, expected);
const number = (expected: string, min: number, max: number) => z.number(expected).min(min, expected).max(max, expected);
const listOf = <T extends z.ZodType>(item: T, max: number) =>
  z.array(item, 'expected a list').max(max, `expected at most ${max}`);
const names = listOf(text('expected a name'), 100);
const flag = z.boolean('expected true or false');
const zone = 'expected a time zone, for example Europe/Berlin';
const prompt = text('expected the words the agent is given').refine(
  (value) => Buffer.byteLength(value) <= MAX_PROMPT_BYTES,
  `expected at most ${MAX_PROMPT_BYTES / 1024} KB`,
);
const address = text('expected an address, for example telegram:1001').transform((value, context) => {
  const parsed = parseAddress(value);
  if (parsed) return parsed;
  context.addIssue({ code: 'custom', message: 'expected an address, for example telegram:1001 or slack:C024BE91L' });
  return z.NEVER;
});

/** As `section` of the configuration: for an unknown key the error text is the list of those that are known. */
const section = <T extends z.ZodRawShape>(shape: T) =>
  z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? Object.keys(shape).join(' ') : 'expected a section with keys'),
  });

const overrides = {
  model: text('expected provider/model, for example openai/gpt-5-mini', /^\S+\/\S+$/).exactOptional(),
  skills: names.exactOptional(),
  tools: names.exactOptional(),
  maxSteps: number('expected a whole number from 1 to 1000', 1, 1000).int('expected a whole number').exactOptional(),
};

const jobSchema = section({
  name: text('expected a name of 1 to 80 characters in one line', /^(?=.*\S)[^\p{Cc}\p{Zl}\p{Zp}]{1,80}$/u),
  schedule: text('expected a time, for example "0 9 * * *" or "every weekday at 9"'),
  prompt,
  ...overrides,
  viber: text('expected the id of a viber', /^[a-z0-9][a-z0-9_-]{0,63}$/).exactOptional(),
  agent: section({
    ...overrides,
    prompt: prompt.exactOptional(),
    mode: z.enum(['ask', 'decide', 'execute'], 'expected ask, decide or execute').exactOptional(),
  }).exactOptional(),
  deliver: listOf(address, 20).default([]),
  timezone: z.string(zone).refine(isTimezone, zone).exactOptional(),
  catch_up: flag.default(true),
  enabled: flag.default(true),
  jitter: number('expected seconds, from 0 to 86400', 0, 86_400).default(0),
  createdBy: text('expected a person, for example telegram:1001').exactOptional(),
  createdAt: z.iso
    .datetime({ offset: true, error: 'expected a time, for example 2026-01-31T09:00:00Z' })
    .exactOptional(),
});

/** What a job file holds; the keys are those of the file. */
export type JobFields = z.input<typeof jobSchema>;

export interface ParseOptions {
  /** As it is named in errors. */
  file: string;
  /** What is meant by "tomorrow at 9", which is refused, and explained by this. */
  now: Date;
  /** For a job that names none. */
  timezone: string;
}

/** Throws ConfigError with every problem as `FILE line N: KEY: expected ..., found ...`. */
export async function parseJob(source: string, { file, now, timezone }: ParseOptions): Promise<Job> {
  const id = jobFileName(file.split('/').at(-1) ?? '')?.id;
  if (id === undefined) {
    const expected = 'expected a file name of letters, digits, - and _ (at most 64), ending in .yaml';
    throw new ConfigError([{ path: '', message: `${file}: ${expected}` }]);
  }
  if (Buffer.byteLength(source) > MAX_JOB_BYTES) {
    throw new ConfigError([{ path: '', message: `${file}: larger than ${MAX_JOB_BYTES / 1024} KB` }]);
  }
  const parsed = await parseYamlLines(source, file);
  const fail = (path: readonly PropertyKey[], message: string): ConfigProblem => ({
    path: '',
    message: `${file} line ${parsed.lineOf(path)}: ${path.map(String).join('.')}: ${scrub(message)}`,
  });
  const data = normalise(parsed.data);
  const result = jobSchema.safeParse(data);
  const problems = (result.error?.issues ?? []).flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.slice(0, MAX_PROBLEMS).map((key) => fail([...issue.path, key], unknown(key, issue.message)))
      : [fail(issue.path, `${issue.message}, ${found(valueAt(data, issue.path.map(String)), issue.path.map(String))}`)],
  );
  const zoneOfJob = result.data?.timezone ?? timezone;
  const time = parseTime(data, { timezone: zoneOfJob, now });
  // A schedule that is no text has its problem already.
  if ('problem' in time && typeof data.schedule === 'string' && data.schedule.trim() !== '') {
    problems.push(fail(['schedule'], time.problem));
  }
  if (!result.success || problems.length > 0 || 'problem' in time)
    throw new ConfigError(problems.slice(0, MAX_PROBLEMS));
  const { name, prompt: words, viber, deliver, enabled, createdBy, createdAt, ...rest } = result.data;
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
    ...(createdBy === undefined ? {} : { createdBy }),
    ...(createdAt === undefined ? {} : { createdAt }),
  };
}

/** One address may stand without a list; `agent: ID` means the same as `viber: ID`. */
function normalise(data: ParsedYaml['data']): ParsedYaml['data'] {
  const deliver: Data | undefined = typeof data.deliver === 'string' ? [data.deliver] : data.deliver;
  const { agent, ...others } = data;
  const isId = typeof agent === 'string' && !Object.hasOwn(data, 'viber');
  const moved: ParsedYaml['data'] = isId ? { ...others, viber: agent } : { ...data };
  if (deliver !== undefined) moved.deliver = deliver;
  return moved;
}

function unknown(key: string, known: string): string {
  const guess = nearest(key, known.split(' '));
  return guess === undefined ? 'expected no such key' : `expected no such key; did you mean ${guess}?`;
}

type Time = Pick<Job, 'schedule' | 'words' | 'timezone'> | { problem: string };

/** A file is read again and again, and saved again by whoever corrects a word in it: what it says must not move with that. */
function parseTime(data: ParsedYaml['data'], { timezone, now }: { timezone: string; now: Date }): Time {
  try {
    const options = { timezone, now, allowPast: true };
    const { schedule, words, relative, ...named } = parseSchedule(String(data.schedule), options);
    if (named.namesZone && data.timezone !== undefined && named.timezone !== timezone)
      return { problem: `expected the time zone once; \`timezone\` is ${timezone} and here it is ${named.timezone}` };
    if (!relative) return { schedule, words, timezone: named.timezone };
    const written = formatSchedule(schedule);
    return { problem: `expected a time that stays the same; what it means now is written ${JSON.stringify(written)}` };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { problem: errorMessage(error) };
  }
}
