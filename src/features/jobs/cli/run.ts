/**
 * `viber jobs`: lists jobs, tests a schedule, adds, pauses, resumes and deletes jobs, and asks the gateway to run one
 * now.
 */
import path from 'node:path';
import { parseAddress } from '../../../channels/channel.ts';
import { exampleOf } from '../../../channels/index.ts';
import { loadConfig } from '../../../config.ts';
import { UserError } from '../../../errors.ts';
import { viberCommand } from '../../../lib/invocation.ts';
import { silentLog } from '../../../log.ts';
import { languages, type Messages, messagesIn, say } from '../../../messages/messages.ts';
import { scheduleText } from '../../../messages/schedules.ts';
import { type CliContext, type CliServices, EXIT } from '../../../runtime/contract/cli.ts';
import { escapeMarkdown } from '../../../runtime/conversations/places.ts';
import type { Jobs } from '../files.ts';
import { placeProblem } from '../places.ts';
import type { JobFile } from '../written/job-file.ts';

const SHOWN_TIMES = 3;

/** Formats a time in the job's time zone, as chats show it. */
const atText = (time: string, zone: string, messages: Messages): string => messages.when(new Date(time), zone);

/** Returns a schedule in words, with its next times. */
const timesOf = (
  { words, next, timezone }: { words: string; next: readonly string[]; timezone: string },
  messages: Messages,
): string[] => [scheduleText(words, messages), ...next.map((time) => atText(time, timezone, messages))];

export async function run(context: CliContext, cli: CliServices): Promise<number> {
  const [verb, ...words] = context.args;
  const name = words.join(' ').trim();
  switch (verb) {
    case 'when':
      return when(context, name);
    case 'add':
      return addJob(context, name);
    case 'run':
      return runNow(context, name, cli);
    case 'pause':
    case 'resume':
    case 'delete':
      return changeJob(context, verb, name);
    default:
      return printJobs(context, cli);
  }
}

/** Opens the job files directly, so it works with or without a running gateway, which notices the changes. */
async function openJobs({ home, config: file, env }: CliContext) {
  const [{ config }, { Jobs }, { systemTimezone }, { openHome }] = await Promise.all([
    loadConfig({ file, home, env }),
    import('../files.ts'),
    import('../schedule.ts'),
    import('../../../workspace/home.ts'),
  ]);
  const { jobs: folder, spool } = await openHome(home);
  const timezone = config.jobs.timezone ?? systemTimezone();
  const jobs = new Jobs({
    folder: path.resolve(env.OPENVIBER_JOBS_DIR || folder),
    timezone,
    log: silentLog(),
    watch: false,
  });
  await jobs.start();
  return { jobs, config, timezone, states: path.join(spool, 'jobs') };
}

async function printJobs(context: CliContext, { names: offered }: CliServices): Promise<number> {
  const { json, print, home, env, messages } = context;
  const [
    { jobs, config, timezone, states: folder },
    { openJobStates },
    { nextSlots },
    { lookUpNames: namesOf },
    { sayUnknown },
  ] = await Promise.all([
    openJobs(context),
    import('../state.ts'),
    import('../schedule.ts'),
    import('./names.ts'),
    import('../unknown.ts'),
  ]);
  await jobs.close();
  const names = await namesOf(
    jobs.all().flatMap(({ job }) => job ?? []),
    { config, root: home, env, offered: (vibers) => offered(vibers, config) },
  );
  const { said } = messages;
  const states = openJobStates(folder, { isReader: true });
  const shown = jobs.all().map(({ id, state, job, problem, wrong }) => {
    const next = job && state !== 'disabled' ? nextSlots(job.schedule, new Date(), SHOWN_TIMES) : [];
    const lastRun = states.get(id)?.lastRun;
    const unknown = job ? names.of(job) : [];
    const unsent = job ? job.deliver.flatMap((place) => placeProblem(place, config) ?? []).map(said) : [];
    return {
      id,
      name: job?.name ?? id,
      state,
      schedule: job?.words ?? '',
      timezone: job?.timezone ?? timezone,
      next: next.map((time) => time.toISOString()),
      ...(problem === undefined ? {} : { problem: json ? problem : (wrong ?? []).map(said).join('\n') }),
      ...(unknown.length === 0 ? {} : { unknown }),
      ...(unsent.length === 0 ? {} : { unsent }),
      ...(lastRun ? { lastRun: { ...lastRun, slot: new Date(lastRun.slot).toISOString() } } : {}),
    };
  });
  if (json) print(JSON.stringify({ jobs: shown }));
  else {
    for (const job of shown) {
      const [next] = job.next;
      const soon = next ? `  ${messages.text('cli.nextAt', { time: atText(next, job.timezone, messages) })}` : '';
      print(
        `${job.id}  ${messages.text('cli.jobState', { state: job.state })}  ${scheduleText(job.schedule, messages)}${soon}`,
      );
      if (job.lastRun?.state === 'error') {
        const { at, task = 'none' } = job.lastRun;
        const time = messages.when(new Date(at), job.timezone);
        print(`  ${messages.text('cli.jobFailed', { time, task, command: viberCommand(`jobs run ${job.id}`) })}`);
      }
      if (job.problem !== undefined) print(`  ${job.problem.replaceAll('\n', '\n  ')}`);
      for (const each of sayUnknown(job.unknown ?? [], String)) print(`  ${said(each)}`);
      for (const each of job.unsent ?? []) print(`  ${each}`);
    }
    if (shown.length === 0)
      print(
        messages.text('cli.noJobs', {
          command: viberCommand('jobs add digest --at "every weekday at 9" --prompt "What is new?"'),
        }),
      );
  }
  return EXIT.ok;
}

/** Writes the job file as a person would. A running gateway picks it up. */
async function addJob(context: CliContext, name: string): Promise<number> {
  const { json, print, values, messages } = context;
  const { at = '', prompt = '', deliver } = values;
  const [{ jobs, config, timezone: usual }, { nextSlots, parseSchedule, storedText }] = await Promise.all([
    openJobs(context),
    import('../schedule.ts'),
  ]);
  try {
    const now = new Date();
    const parsed = parseSchedule(at, { timezone: values.timezone ?? usual, now, anchor: now });
    const { timezone, words } = parsed;
    const fields = { name, schedule: storedText(at, parsed), timezone, prompt };
    const place = parseAddress(deliver ?? '');
    const problem = place && placeProblem(place, config);
    if (problem !== undefined) throw new UserError(problem);
    const { id } = await jobs.create(deliver === undefined ? fields : { ...fields, deliver: [deliver] });
    const next = nextSlots(parsed.schedule, now, SHOWN_TIMES).map((time) => time.toISOString());
    if (json) print(JSON.stringify({ id, done: 'added', schedule: words, timezone, next }));
    else {
      print(messages.text('cli.jobAdded', { id }));
      for (const line of timesOf({ words, next, timezone }, messages)) print(line);
      if (deliver === undefined)
        print(messages.text('cli.unsentJob', { board: viberCommand('board'), example: exampleOf('account') }));
    }
    return EXIT.ok;
  } finally {
    await jobs.close();
  }
}

/** @throws {UserError} if nothing matches, worded for the command line */
function locate(jobs: Jobs, name: string): JobFile {
  try {
    return jobs.find(name);
  } catch (error) {
    if (!(error instanceof UserError) || error.said.key !== 'jobs.unknown') throw error;
    throw new UserError(say('cli.unknownJob', { name: name.slice(0, 80), command: viberCommand('jobs') }));
  }
}

async function changeJob(context: CliContext, verb: 'pause' | 'resume' | 'delete', name: string): Promise<number> {
  const { jobs } = await openJobs(context);
  try {
    const { id } = locate(jobs, name);
    if (verb === 'delete') await jobs.remove(id);
    else await jobs[verb](id);
    const done = { pause: 'paused', resume: 'resumed', delete: 'deleted' }[verb];
    context.print(context.json ? JSON.stringify({ id, done }) : context.messages.text('cli.jobDone', { done, id }));
    return EXIT.ok;
  } finally {
    await jobs.close();
  }
}

async function when({ home, config: file, env, json, print, messages }: CliContext, phrase: string): Promise<number> {
  const [{ config }, { nextSlots, parseSchedule, systemTimezone }] = await Promise.all([
    loadConfig({ file, home, env }),
    import('../schedule.ts'),
  ]);
  const now = new Date();
  const { schedule, timezone, words } = parseSchedule(phrase, {
    timezone: config.jobs.timezone ?? systemTimezone(),
    now,
  });
  const next = nextSlots(schedule, now, SHOWN_TIMES).map((time) => time.toISOString());
  if (json) print(JSON.stringify({ schedule: words, timezone, next }));
  else for (const line of timesOf({ words, next, timezone }, messages)) print(line);
  return EXIT.ok;
}

/** Asks the running gateway: only a gateway can run tasks. */
async function runNow(context: CliContext, name: string, cli: CliServices): Promise<number> {
  const { json, print } = context;
  const gateway = await cli.gateway();
  if (gateway === undefined) throw new UserError(say('cli.notRunning', { start: viberCommand('start') }));
  const { id, job, state, problem } = await runnable(context, name);
  if (state === 'disabled')
    throw new UserError(say('cli.jobPaused', { id, command: viberCommand(`jobs resume ${id}`) }));
  if (!job) throw new UserError(say('cli.jobBroken', { id, problem: problem ?? '' }));
  const text = await gateway.ask('jobs', `/jobs run ${id}`);
  const given = { name: escapeMarkdown(job.name) };
  const isBegun = languages.some((language) => text.startsWith(messagesIn(language).text('jobs.runsNow', given)));
  if (!isBegun) throw new UserError(await gateway.plain(text));
  print(json ? JSON.stringify({ id, text }) : await gateway.plain(text));
  return EXIT.ok;
}

/** Looks the job up before asking the gateway, because the gateway words its error for a chat. */
async function runnable(context: CliContext, name: string): Promise<JobFile> {
  const { jobs } = await openJobs(context);
  try {
    return locate(jobs, name);
  } finally {
    await jobs.close();
  }
}
