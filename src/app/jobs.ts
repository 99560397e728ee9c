/**
 * Scheduled jobs with all they need of the gateway: where their results go, what chats and models may do with them, and the desk
 * itself, which is opened once the gateway is ready: nothing of it is loaded before.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Languages } from '../access/languages.ts';
import { createOutboundTargets, type OutboundTargets } from '../access/outbound-targets.ts';
import type { People } from '../access/people.ts';
import type { Zones } from '../access/zones.ts';
import { type Address, type Channel, isDirectAddress } from '../channels/channel.ts';
import { accessRulesOf } from '../config/access-rules.ts';
import type { Config } from '../config.ts';
import type { Queue } from '../engine/engine.ts';
import { errorCode } from '../errors.ts';
import type { Clock } from '../jobs/clock.ts';
import type { Jobs } from '../jobs/files.ts';
import type { LookUp } from '../jobs/names.ts';
import type { ScheduledJobs } from '../jobs/service.ts';
import type { Logger } from '../log.ts';
import type { Entry } from '../runtime/contract/entry.ts';
import type { JobService } from '../runtime/contract/job-service.ts';
import type { Toolbox } from '../runtime/contract/order.ts';
import type { RunOutcome } from '../runtime/contract/outcome.ts';
import {
  continueDigest,
  type Digest,
  type DigestSource,
  type DigestTasks,
  markDigest,
} from '../runtime/conversations/digest-task.ts';
import type { OwnerNotifier } from '../runtime/conversations/owner-notifier.ts';
import type { Delivery } from '../runtime/delivery.ts';
import type { Buttons } from '../runtime/reply/buttons.ts';
import type { Rendering } from '../runtime/reply/render-answer.ts';
import { createJobAnswers, type JobAnswers } from '../runtime/run/job-answers.ts';
import { jobTools } from '../runtime/tools/jobs.ts';
import { notify } from '../runtime/tools/notify.ts';
import type { Home } from '../workspace/home.ts';

export interface AppJobsOptions {
  config: Config;
  home: Home;
  /** OPENVIBER_JOBS_DIR. */
  folder: string | undefined;
  viber: string;
  clock: Clock | undefined;
  queue: Queue<Entry>;
  people: People;
  buttons: Buttons;
  delivery: Delivery;
  notifier: OwnerNotifier;
  languages: Languages;
  zones: Pick<Zones, 'of'>;
  /** What jobs may name. */
  lookUp: LookUp;
  attachRules: Rendering['attachRules'];
  isBlank: Rendering['isBlank'];
  channelOf: (address: Pick<Address, 'channel'>) => Channel | undefined;
  log: Logger;
}

export interface AppJobs {
  targets: OutboundTargets;
  answers: JobAnswers;
  toolbox: Toolbox;
  /** Once the jobs have been read; undefined when they could not be. */
  service(): Promise<JobService | undefined>;
  /** A run has ended; nothing happens for runs that are no job's. */
  ended(entry: Entry, outcome: Pick<RunOutcome, 'state' | 'error' | 'text'>): void;
  /** Idempotent; happens by itself a moment after the start. */
  start(): Promise<void>;
  /** Removes the tasks of runs that are too old. Never rejects. */
  sweep(now: Date): Promise<void>;
  stop(): Promise<void>;
}

/** A start has better things to do, and a platform that is away must not hold up the jobs of the others. */
const START_MS = 1_000;

export function openAppJobs(options: AppJobsOptions): AppJobs {
  const { config, home, queue, people, buttons, delivery, channelOf, log } = options;
  const { tellOwners } = options.notifier;
  const targets = createOutboundTargets({
    ...{ people, channelOf: (id) => channelOf({ channel: id }), rulesOf: (address) => accessRulesOf(config, address) },
  });
  let opened: { service: ScheduledJobs; files: Jobs } | undefined;
  let opening: Promise<void> | undefined;
  let isStopped = false;
  const folder = path.resolve(options.folder || home.jobs);
  const records = path.join(home.spool, 'jobs');
  let watcher: fs.FSWatcher | undefined;
  const waiting = setTimeout(begin, START_MS).unref();

  /** Nothing of jobs is loaded as long as there are none: the first file, or the first question about them, has them read. */
  function begin(): void {
    try {
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
      const isUsed = fs.existsSync(records) || fs.readdirSync(folder).length > 0;
      if (isUsed) return void jobs.start();
      watcher = fs.watch(folder, () => void jobs.start()).unref();
      watcher.on('error', () => void jobs.start());
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      // A folder that cannot be made or watched: opening it says what is wrong.
      void jobs.start();
    }
  }

  async function open(): Promise<void> {
    const [{ Jobs }, { ScheduledJobs }, { openJobStates }, { systemClock }, { systemTimezone }] = await Promise.all([
      import('../jobs/files.ts'),
      import('../jobs/service.ts'),
      import('../jobs/state.ts'),
      import('../jobs/clock.ts'),
      import('../jobs/schedule.ts'),
    ]);
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const timezone = config.jobs.timezone ?? systemTimezone();
    const files = new Jobs({ folder, timezone, log });
    const states = openJobStates(records);
    const service = new ScheduledJobs({
      ...{ home, jobs: files, states, queue, targets, people, viber: options.viber, tellOwners, log },
      clock: options.clock ?? systemClock,
      settings: { timezone, min_minutes: config.jobs.min_minutes, max: config.jobs.max },
      languages: options.languages,
      lookUp: options.lookUp,
      ownerAddresses: () => options.notifier.ownerAddresses(),
    });
    await files.start();
    if (isStopped) return files.close();
    service.start();
    opened = { service, files };
    log.info({ jobs: files.all().length }, 'the scheduled jobs are read');
  }

  const digests: DigestTasks = {
    home,
    async noteCopy(task) {
      const { noteJobRun } = await import('../jobs/past-runs.ts');
      await noteJobRun(home, task, new Date());
    },
  };

  /** What a job says by itself in its run. */
  const asDigest = (source: DigestSource) => async (address: Address, digest: Digest) => {
    // What a group is told of a run is not all of it.
    const isPart = !isDirectAddress(address);
    const mark = await markDigest(source, { ...digest, isPart }, address, digests);
    const rows = continueDigest(mark.taskId, options.languages.at(address));
    return { digest: mark, buttons: await buttons.offer(address, rows) };
  };

  const jobs: AppJobs = {
    targets,
    answers: (...args) =>
      createJobAnswers({
        ...{ ...digests, attachRules: options.attachRules, isBlank: options.isBlank },
        ...{ buttons, delivery, targets, tellOwners, log },
        messagesAt: options.languages.at,
      })(...args),
    toolbox: ({ task, principal, job, address }, _own, scope) => {
      const maxBytes = (channel: string) => channelOf({ channel })?.limits.uploadBytes ?? Number.MAX_SAFE_INTEGER;
      // Where a job's result goes is written in its file, and says nothing about whether it may.
      const own = job ? [] : task.conversations;
      const source = job && { taskId: task.id, viber: task.viber, job };
      const sending = notify(scope, {
        ...{ targets, delivery, principal, own, maxBytes },
        ...(source && { job: asDigest(source) }),
      });
      const isAsked = job === undefined && address !== undefined;
      const scheduling = isAsked
        ? jobTools(scope, {
            service: jobs.service,
            principal,
            from: address,
            zone: options.zones.of(principal),
            usualViber: options.viber,
          })
        : [];
      return Promise.resolve({ tools: [sending, ...scheduling], skills: '' });
    },
    async service() {
      await jobs.start();
      await opened?.service.refresh();
      return opened?.service;
    },
    ended(entry, { state, error, text }) {
      if (!entry.job || state === 'waiting') return;
      const why = error === undefined ? undefined : text || error;
      // A run that a restart found at work may end before the jobs have been read.
      jobs
        .start()
        .then(() => opened?.service.ended(entry, state, why))
        .catch((err: unknown) => log.error({ err, job: entry.job?.id }, 'the end of a job could not be noted'));
    },
    start() {
      clearTimeout(waiting);
      watcher?.close();
      if (!isStopped)
        opening ??= open().catch((err: unknown) => {
          log.error(
            { err, folder },
            'the scheduled jobs could not be started; check their folder (OPENVIBER_JOBS_DIR, else jobs/ of the home)',
          );
          // Whoever asks next has it tried again.
          opening = undefined;
        });
      return opening ?? Promise.resolve();
    },
    async sweep(now) {
      try {
        const { sweepJobRuns } = await import('../jobs/past-runs.ts');
        const days = config.jobs.keep_days;
        const removed = await sweepJobRuns(home, days, now);
        if (removed > 0) log.info({ removed, days }, 'tasks of old job runs were removed');
      } catch (err) {
        log.error({ err }, 'old job runs could not be cleared away');
      }
    },
    async stop() {
      isStopped = true;
      clearTimeout(waiting);
      watcher?.close();
      await opening;
      await opened?.service.stop();
      await opened?.files.close();
    },
  };
  return jobs;
}
