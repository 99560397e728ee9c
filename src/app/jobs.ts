/**
 * Scheduled jobs with all they need of the gateway: where their results go, what chats and models may do with them, and the
 * service itself, which is opened when it is first needed.
 */
import path from 'node:path';
import type { Languages } from '../access/languages.ts';
import { createOutboundTargets, type OutboundTargets } from '../access/outbound-targets.ts';
import type { People } from '../access/people.ts';
import type { Zones } from '../access/zones.ts';
import { type Address, type Channel, isDirectAddress } from '../channels/channel.ts';
import type { Lead } from '../channels/lead.ts';
import { accessRulesOf } from '../config/access-rules.ts';
import type { Config } from '../config.ts';
import type { Engine } from '../engine/engine.ts';
import type { Clock } from '../jobs/clock.ts';
import type { LookUp } from '../jobs/names.ts';
import { JobsOnDemand } from '../jobs/on-demand.ts';
import type { Logger } from '../log.ts';
import type { Entry } from '../runtime/contract/entry.ts';
import { continueDigest, type DigestTasks, markDigest } from '../runtime/conversations/digest-task.ts';
import type { OwnerNotifier } from '../runtime/conversations/owner-notifier.ts';
import type { Delivery } from '../runtime/delivery.ts';
import type { Buttons } from '../runtime/reply/buttons.ts';
import type { Rendering } from '../runtime/reply/render-answer.ts';
import { createJobAnswers, type JobAnswers } from '../runtime/run/job-answers.ts';
import type { Sending } from '../runtime/tools/run.ts';
import type { Home } from '../workspace/home.ts';

export interface AppJobsOptions {
  config: Config;
  home: Home;
  /** OPENVIBER_JOBS_DIR. */
  folder: string | undefined;
  viber: string;
  clock: Clock | undefined;
  engine: Engine<Entry>;
  lead: Lead;
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
  onChanged: (id: string) => void;
  channelOf: (address: Pick<Address, 'channel'>) => Channel | undefined;
  log: Logger;
}

export interface AppJobs {
  jobs: JobsOnDemand;
  targets: OutboundTargets;
  answers: JobAnswers;
  sending: Sending;
}

export function openAppJobs(options: AppJobsOptions): AppJobs {
  const { config, home, engine, people, buttons, delivery, languages, notifier, lookUp, channelOf, log } = options;
  const { tellOwners } = notifier;
  const targets = createOutboundTargets({
    ...{ people, channelOf: (id) => channelOf({ channel: id }), rulesOf: (address) => accessRulesOf(config, address) },
  });
  const jobs = new JobsOnDemand({
    ...{ home, engine, queue: engine.queue, lead: options.lead, isShared: config.engine.kind !== 'local' },
    ...{ targets, people, viber: options.viber, clock: options.clock, lookUp, languages, tellOwners, log },
    onChanged: options.onChanged,
    folder: path.resolve(options.folder || home.jobs),
    settings: config.jobs,
    ownerAddresses: () => notifier.ownerAddresses(),
    directOf: (principal) => notifier.directOf(principal),
  });
  const digests: DigestTasks = {
    home,
    async noteCopy(task) {
      const { noteJobRun } = await import('../jobs/past-runs.ts');
      await engine.lock('job-runs', () => noteJobRun(home, task, new Date()));
    },
  };
  const answers = createJobAnswers({
    ...{ ...digests, attachRules: options.attachRules, isBlank: options.isBlank },
    ...{ buttons, delivery, targets, tellOwners, log },
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
  const sending: Sending = { targets, delivery, maxBytes, digestFor };
  return { jobs, targets, answers, sending };
}
