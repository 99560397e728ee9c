/**
 * Scheduled jobs with all they need of the gateway: where their results go, what chats and models may do with them, and the
 * service itself, which is opened when it is first needed.
 */
import path from 'node:path';
import { createOutboundTargets, type OutboundTargets } from '../access/outbound-targets.ts';
import { isDirectAddress } from '../channels/index.ts';
import { accessRulesOf } from '../config/access-rules.ts';
import type { Clock } from '../jobs/clock.ts';
import type { LookUp } from '../jobs/names.ts';
import { JobsOnDemand } from '../jobs/on-demand.ts';
import { continueDigest, type DigestTasks, markDigest } from '../runtime/conversations/digest-task.ts';
import { createJobAnswers, type JobAnswers } from '../runtime/run/job-answers.ts';
import type { Sending } from '../runtime/tools/run.ts';
import { DEFAULT_VIBER } from '../workspace/home.ts';
import type { Stores } from './stores.ts';

export interface AppJobsOptions {
  env: NodeJS.ProcessEnv;
  clock: Clock | undefined;
  /** What jobs may name. */
  lookUp: LookUp;
}

export interface AppJobs {
  jobs: JobsOnDemand;
  targets: OutboundTargets;
  answers: JobAnswers;
  sending: Sending;
}

export function openAppJobs(stores: Stores, { env, clock, lookUp }: AppJobsOptions): AppJobs {
  const { host, home, config, engine, people, places, tasks, consent, delivery, log } = stores;
  const { channelOf, attachRules, isBlank } = places;
  const { languages, owners } = people;
  const { buttons } = consent;
  const { tellOwners } = owners;
  const viber = config.viber ?? DEFAULT_VIBER;
  const targets = createOutboundTargets({
    people,
    channelOf: (id) => channelOf({ channel: id }),
    rulesOf: (address) => accessRulesOf(config, address),
  });
  const jobs = new JobsOnDemand({
    home,
    engine,
    lead: host.lead,
    targets,
    people,
    viber,
    clock,
    lookUp,
    log,
    onChanged: (job) => tasks.news.tell({ type: 'job:changed', job }),
    // OPENVIBER_JOBS_DIR
    folder: path.resolve(env.OPENVIBER_JOBS_DIR || home.jobs),
    settings: config.jobs,
  });
  const digests: DigestTasks = {
    home,
    async noteCopy(task) {
      const { noteJobRun } = await import('../jobs/past-runs.ts');
      await engine.lock('job-runs', () => noteJobRun(home, task, new Date()));
    },
  };
  const answers = createJobAnswers({
    ...digests,
    attachRules,
    isBlank,
    buttons,
    delivery,
    targets,
    tellOwners,
    log,
    messagesAt: languages.at,
  });

  /** What a job says by itself in its run. */
  const digestFor: Sending['digestFor'] = async (source, address, digest) => {
    // What a group is told of a run is not all of it.
    const isPart = !isDirectAddress(address);
    const mark = await markDigest(source, { ...digest, isPart }, address, digests);
    const rows = continueDigest(mark.taskId, languages.at(address));
    return { digest: mark, buttons: await buttons.offer(address, rows) };
  };

  const maxBytes = (channel: string) => channelOf({ channel })?.limits.uploadBytes ?? Number.MAX_SAFE_INTEGER;
  return { jobs, targets, answers, sending: { targets, delivery, maxBytes, digestFor } };
}
