/**
 * The scheduled jobs for the rest of the gateway: their runs enter by the same queue as people's messages, with the rights of
 * whoever made them as they are at that moment (T18).
 */
import { createHash } from 'node:crypto';
import type { OutboundTargets } from '../access/outbound-targets.ts';
import type { People } from '../access/people.ts';
import { type Principal, readIdentity } from '../access/principal.ts';
import { type Address, formatAddress, type InboundMessage } from '../channels/channel.ts';
import type { Queue } from '../engine/engine.ts';
import { UserError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { type Entry, shareOf, taskLane } from '../runtime/contract/entry.ts';
import type { JobService, JobView } from '../runtime/contract/job-service.ts';
import { nowhere, quotedName, withAccount } from '../runtime/conversations/asked-places.ts';
import type { Home } from '../workspace/home.ts';
import type { Clock } from './clock.ts';
import type { JobFile, Jobs } from './files.ts';
import type { Job } from './job.ts';
import { createNewJobs } from './new-job.ts';
import { noteJobRun } from './past-runs.ts';
import { nextSlot } from './schedule.ts';
import { createScheduler, type Scheduler, type Trouble } from './scheduler.ts';
import type { JobStates } from './state.ts';

export interface JobServiceOptions {
  home: Home;
  clock: Clock;
  jobs: Jobs;
  states: JobStates;
  queue: Pick<Queue<Entry>, 'enqueue' | 'depth' | 'isBusy'>;
  targets: OutboundTargets;
  people: People;
  /** The viber of jobs that name none. */
  viber: string;
  settings: { timezone: string; min_minutes: number; max: number };
  /** The direct conversations of owners, for a job's questions. */
  ownerAddresses: () => Address[];
  tellOwners: (id: string, text: string) => Promise<void>;
  log: Logger;
}

export interface OpenedJobService extends JobService {
  scheduler: Scheduler;
  /** A run of the queue has ended. */
  ended(entry: Entry, state: 'completed' | 'error' | 'stopped', error?: string): Promise<void>;
}

const SHOWN_TIMES = 3;
const OWNER_ONLY = 'Only an owner may change scheduled jobs.';

export function openJobService(options: JobServiceOptions): OpenedJobService {
  const { clock, jobs, states, queue, targets, people, settings, log } = options;
  const fresh = createNewJobs({ clock, jobs, targets, settings });
  const scheduler = createScheduler({
    ...{ clock, jobs, state: states, log, fire, onTrouble, onSkip },
    isBusy(id) {
      const slot = states.get(id)?.lastRun?.slot;
      const lane = slot === undefined ? undefined : taskLane(taskIdOf(id, new Date(slot)));
      return lane !== undefined && (queue.isBusy(lane) || queue.depth(lane) > 0);
    },
  });

  /** The rights of whoever made the job, as they are now; a file that somebody wrote is the owner's word. */
  function principalOf({ id, name, createdBy }: Job): Principal {
    if (createdBy === undefined) {
      return { channel: 'job', account: 'jobs', user: id, role: 'owner', via: 'job', name };
    }
    return people.resolve({ ...readIdentity(createdBy), account: '', name: createdBy, via: 'job' }).principal;
  }

  async function fire(job: Job, slot: Date): Promise<'accepted' | 'duplicate'> {
    const { id, name, prompt, agent } = job;
    const principal = principalOf(job);
    if (principal.role !== 'owner') {
      await options.tellOwners(`job-${id}-rights-${Date.parse(job.createdAt ?? '') || 0}`, withoutRights(job));
      log.warn({ job: id, by: job.createdBy }, 'a job is not run: whoever made it is no owner any more');
      return 'duplicate';
    }
    const taskId = taskIdOf(id, slot);
    const deliver = job.deliver.map(placeText);
    const asks = options.ownerAddresses();
    const address = asks[0] ?? nowhere(id);
    const message: InboundMessage = {
      ...{ id: `job ${id} ${slot.toISOString()}`, kind: 'message', address, text: prompt, files: [], quotes: [] },
      sender: { user: principal.user, name, isBot: false },
      facts: [`The scheduled job ${JSON.stringify(name)}, due ${slot.toISOString()}.`],
      ...{ messageId: '', isDirect: true, isMention: true, sentAt: clock.now() },
    };
    const entry: Entry = {
      ...{ message, principal, viber: job.viber ?? options.viber, taskId },
      job: { id, name, slot: slot.toISOString(), deliver, asks, own: agent },
    };
    await noteJobRun(options.home, taskId, new Date(clock.now()));
    return queue.enqueue(taskLane(taskId), entry, {
      ...{ dedupeId: `job ${id} ${slot.toISOString()}`, by: shareOf(entry) },
    });
  }

  /** With the account where its channel is on: a task lists its conversations so. */
  function placeText(written: Job['deliver'][number]): string {
    const text = formatAddress({ account: '', ...written });
    try {
      const address = targets.read(text);
      return address.account === '' ? text : withAccount(address);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return text;
    }
  }

  async function onTrouble({ id, name }: Job, { since, error }: Trouble): Promise<void> {
    const why = error === '' ? '' : ` ${error}`;
    const then =
      scheduler.next(id, 1).length > 0
        ? 'It is tried again at its next times, with growing pauses; /jobs shows it.'
        : 'It has no further time; ask me once more if it still matters.';
    const text = `The job ${quotedName(name)} failed.${why} ${then}`;
    await options.tellOwners(`job-${id}-failing-${since.getTime()}`, text);
  }

  /** A time that was left out has others after it; with the only one gone nobody would ever know. */
  function onSkip({ id, name, schedule, timezone, createdBy }: Job, slot: Date): void {
    if (nextSlot(schedule, slot) !== undefined) return;
    const due = slot.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: timezone });
    const then = createdBy === undefined ? '/jobs run does it now.' : 'Ask me once more if it still matters.';
    const text = `The job ${quotedName(name)} was due at ${due} (${timezone}), and I could not run it then. ${then}`;
    void options.tellOwners(`job-${id}-missed-${slot.getTime()}`, text);
  }

  function view(file: JobFile): JobView {
    const { id, job, problem } = file;
    const state = states.get(id);
    const next = scheduler.next(id, SHOWN_TIMES).map((time) => time.toISOString());
    const run = state?.lastRun;
    const slot = run && new Date(run.slot);
    return {
      ...{ id, name: job?.name ?? id, schedule: job?.scheduleText ?? '', words: job?.words ?? '', next },
      timezone: job?.timezone ?? settings.timezone,
      state: stateOf(file, next.length > 0),
      deliver: (job?.deliver ?? []).map((written) => formatAddress({ account: '', ...written })),
      ...(problem === undefined ? {} : { problem }),
      ...(run && slot
        ? { lastRun: { task: run.task ?? taskIdOf(id, slot), slot: slot.toISOString(), state: run.state } }
        : {}),
      ...(job?.createdBy === undefined ? {} : { createdBy: job.createdBy }),
    };
  }

  function check({ role }: Principal): void {
    if (role !== 'owner') throw new UserError(OWNER_ONLY);
  }

  function locate(name: string): JobFile {
    const wanted = name.trim().toLowerCase();
    const begun = jobs
      .all()
      .filter(({ id, job }) => id.startsWith(wanted) || job?.name.toLowerCase().startsWith(wanted));
    const isExact = begun.some(({ id, job }) => id === wanted || job?.name.toLowerCase() === wanted);
    const [only, other] = begun;
    return only && !other && !isExact && wanted !== '' ? only : jobs.find(name);
  }

  return {
    scheduler,
    async ended({ job, taskId }, state, error) {
      if (job) await scheduler.ended(job.id, state, { task: taskId, ...(error === undefined ? {} : { error }) });
    },
    list: () => jobs.all().map(view),
    find: (name) => view(locate(name)),
    preview: (job) => fresh.preview(job),
    async check(job, by, from) {
      check(by);
      await jobs.check(await fresh.fields(job, by, from, 0));
    },
    async create(job, by, from, agoMs = 0) {
      check(by);
      return view(await jobs.create(await fresh.fields(job, by, from, agoMs)));
    },
    async remove(name, by) {
      check(by);
      const found = locate(name);
      const shown = view(found);
      await jobs.remove(found.id);
      return shown;
    },
    async pause(name, by) {
      check(by);
      const { id } = locate(name);
      await jobs.pause(id);
      return view(jobs.find(id));
    },
    async resume(name, by) {
      check(by);
      const { id } = locate(name);
      await jobs.resume(id);
      return view(jobs.find(id));
    },
    async runNow(name, by) {
      check(by);
      const file = locate(name);
      if (file.job && principalOf(file.job).role !== 'owner') throw new UserError(withoutRights(file.job));
      await scheduler.runNow(file.id);
      return view(file);
    },
  };
}

const withoutRights = ({ name, createdBy }: Job): string =>
  `The job ${quotedName(name)} does not run: ${createdBy} made it and is no owner any more. Delete it with /jobs, or have an owner ask for it again.`;

function stateOf({ state, job }: JobFile, hasNext: boolean): JobView['state'] {
  if (state === 'disabled') return 'paused';
  if (!job) return 'broken';
  return hasNext ? 'on' : 'done';
}

const ALPHABET = '23456789abcdefghijkmnpqrstuvwxyz';

/**
 * The same for the same slot: whoever finds the run under way again finds its task. It looks like any task's id but is longer:
 * thousands of runs a day must not meet in one task.
 */
function taskIdOf(job: string, slot: Date): string {
  const day = slot.toISOString().slice(0, 10).replaceAll('-', '');
  const sum = createHash('sha256').update(`${job} ${slot.toISOString()}`).digest();
  return `${day}-${[...sum.subarray(0, 8)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('')}`;
}
