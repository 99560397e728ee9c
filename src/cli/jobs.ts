/** `viber jobs`: what is scheduled and when, a schedule tried out, and one job run now by the gateway that is running. */
import path from 'node:path';
import { loadConfig } from '../config.ts';
import { UserError } from '../errors.ts';
import { silentLog } from '../log.ts';
import type { CliContext } from './command.ts';
import { EXIT } from './command.ts';

const USAGE = 'usage: viber jobs list | run NAME | pause NAME | resume NAME | delete NAME | when "PHRASE"';
const SHOWN_TIMES = 3;

export async function run(context: CliContext): Promise<number> {
  const [verb = 'list', ...words] = context.args;
  const name = words.join(' ').trim();
  switch (verb) {
    case 'list':
      return list(context);
    case 'when':
      return when(context, name);
    case 'run':
    case 'pause':
    case 'resume':
    case 'delete':
      if (name === '') throw new UserError(USAGE);
      // Whoever types it at a shell has meant it.
      return tell(context, `/jobs ${verb === 'delete' ? 'delete!' : verb} ${name}`);
    default:
      throw new UserError(USAGE);
  }
}

/** Reads the files themselves: it works whether the gateway runs or not. */
async function list({ home, config: file, env, json, print }: CliContext): Promise<number> {
  const [{ config }, { openJobs }, { openJobStates }, { nextSlots, systemTimezone }] = await Promise.all([
    loadConfig({ file, home, env }),
    import('../jobs/files.ts'),
    import('../jobs/state.ts'),
    import('../jobs/schedule.ts'),
  ]);
  const { openHome } = await import('../workspace/home.ts');
  const { jobs: folder, spool } = await openHome(home);
  const timezone = config.jobs.timezone ?? systemTimezone();
  const jobs = openJobs({
    ...{ folder: env.OPENVIBER_JOBS_DIR || folder, timezone, log: silentLog(), watch: false },
  });
  await jobs.start();
  await jobs.close();
  const states = openJobStates(path.join(spool, 'jobs'), silentLog());
  const shown = jobs.all().map(({ id, state, job, problem }) => {
    const next = job && state !== 'disabled' ? nextSlots(job.schedule, new Date(), SHOWN_TIMES) : [];
    const lastRun = states.get(id)?.lastRun;
    return {
      ...{ id, name: job?.name ?? id, state, schedule: job?.words ?? '', timezone: job?.timezone ?? timezone },
      next: next.map((time) => time.toISOString()),
      ...(problem === undefined ? {} : { problem }),
      ...(lastRun ? { lastRun: { ...lastRun, slot: new Date(lastRun.slot).toISOString() } } : {}),
    };
  });
  if (json) print(JSON.stringify({ jobs: shown }));
  else {
    for (const job of shown) {
      print(`${job.id}  ${job.state}  ${job.schedule}${job.next[0] ? `  next ${job.next[0]}` : ''}`);
      if (job.problem !== undefined) print(`  ${job.problem.replaceAll('\n', '\n  ')}`);
    }
    if (shown.length === 0) print('There are no jobs; put one into jobs/ of the home, or ask for one in a chat.');
  }
  return EXIT.ok;
}

async function when({ home, config: file, env, json, print }: CliContext, phrase: string): Promise<number> {
  if (phrase === '') throw new UserError(USAGE);
  const [{ config }, { nextSlots, parseSchedule, systemTimezone }] = await Promise.all([
    loadConfig({ file, home, env }),
    import('../jobs/schedule.ts'),
  ]);
  const timezone = config.jobs.timezone ?? systemTimezone();
  const now = new Date();
  const { schedule, words } = parseSchedule(phrase, { timezone, now });
  const next = nextSlots(schedule, now, SHOWN_TIMES).map((time) => time.toISOString());
  if (json) print(JSON.stringify({ schedule: words, timezone, next }));
  else for (const line of [words, ...next]) print(line);
  return EXIT.ok;
}

/** Through the door of the gateway that runs. */
async function tell({ home, json, print }: CliContext, text: string): Promise<number> {
  const { ask, isRunning, socketOf } = await import('./ask.ts');
  if (!isRunning(home)) throw new UserError('The gateway is not running: start it with viber start, then try again.');
  const answer = await ask(socketOf(home), 'jobs', text, () => undefined);
  print(json ? JSON.stringify({ text: answer.text }) : answer.text);
  return EXIT.ok;
}
