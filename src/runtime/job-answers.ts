/**
 * Where the result of a scheduled job goes: to its `deliver` addresses through the outbox, once each (C18). Nothing is sent when
 * the result is routine (J6), when the run has sent something by `notify` itself, or when it failed: its owner is told of that
 * by the scheduler.
 */
import { principalText } from '../access/principal.ts';
import { type Address, type Channel, formatAddress, type OutboundMessage } from '../channels/channel.ts';
import { DeliveryError, UserError } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { Home } from '../workspace/home.ts';
import { findRun } from '../workspace/sessions.ts';
import { hasUsed } from './context/past-run.ts';
import type { Delivery } from './delivery.ts';
import type { Entry } from './entry.ts';
import type { Posting } from './posting.ts';
import type { QueueItem } from './queue/queue.ts';
import type { Buttons } from './reply/buttons.ts';
import type { Runner, RunOutcome } from './runner.ts';
import { NOTIFY } from './tools/notify.ts';

export interface JobAnswersOptions {
  home: Home;
  runner: Pick<Runner, 'present'>;
  buttons: Buttons;
  delivery: Pick<Delivery, 'add'>;
  posting: Posting;
  channelOf: (address: Address) => Channel | undefined;
  /** Tells all owners who can be reached; the same id again has no effect. */
  tellOwners: (id: string, text: string) => Promise<void>;
  log: Logger;
}

/** Nothing but the word, however it is dressed up. */
const HEALTHY = /^[\s>*_`"'~#-]*HEALTHY[\s.!*_`"'~]*$/;

/** Where a question of a job is asked when nobody can be: an address of no channel. */
export const NOWHERE = 'job';

/** Resolves when all that is to be sent is durable in the outbox. Throws DeliveryError while a place cannot be looked up. */
export type JobAnswers = (item: QueueItem<Entry>, run: string, outcome: RunOutcome, isAgain: boolean) => Promise<void>;

export function createJobAnswers(options: JobAnswersOptions): JobAnswers {
  const { home, runner, buttons, delivery, posting, channelOf, log } = options;

  async function ask({ id, message: { taskId, message } }: QueueItem<Entry>, run: string, outcome: RunOutcome) {
    const { address } = message;
    if (address.channel === NOWHERE) return;
    const shown = await runner.present(taskId, outcome, channelOf(address), address.channel);
    const rows = shown.buttons.length > 0 ? { buttons: await buttons.offer(address, shown.buttons) } : {};
    await delivery.add({ id, address, text: shown.text, files: shown.files, ...rows }, run, true);
  }

  return async (item, run, outcome, isAgain) => {
    const { job, viber, taskId, principal } = item.message;
    if (!job) return;
    if (outcome.state === 'waiting') return ask(item, run, outcome);
    if (outcome.state !== 'completed') return;
    const isRoutine = HEALTHY.test(outcome.text) && outcome.artifactRefs.length === 0;
    const isTold = hasUsed(await findRun(home, viber, taskId, run), NOTIFY);
    log.info({ trace: run, job: job.id, result: outcome.summary, isRoutine, isTold }, 'a job has its result');
    if (isRoutine || isTold) return;
    let away: unknown;
    for (const [index, to] of job.deliver.entries()) {
      try {
        const address = await posting.find(to, principal);
        const shown = await runner.present(taskId, { ...outcome, buttons: [] }, channelOf(address), address.channel);
        const message: OutboundMessage = { id: `${item.id}-${index}`, address, text: shown.text, files: shown.files };
        if (shown.buttons.length > 0) message.buttons = await buttons.offer(address, shown.buttons);
        await delivery.add(message, run, isAgain);
      } catch (error) {
        if (error instanceof DeliveryError && error.retryAfterMs !== undefined) away = error;
        else if (error instanceof UserError || error instanceof DeliveryError) {
          log.warn({ err: error, trace: run, job: job.id, to }, 'a result could not be sent');
          const why = error instanceof UserError ? error.message : 'The platform refused it.';
          const text = `The result of the job ${JSON.stringify(job.name)} could not be sent to ${to}: ${why}`;
          await options.tellOwners(`job-${job.id}-${to.replace(/[^\w-]/g, '_')}-${why.length}`, text);
        } else throw error;
      }
    }
    if (away !== undefined) throw away;
    log.debug({ trace: run, job: job.id, by: principalText(principal), to: job.deliver }, 'the result is on its way');
  };
}

/** An address for questions that nobody can be asked. */
export const nowhere = (job: string): Address => ({ channel: NOWHERE, account: 'jobs', chat: job });

/** As a job's run stores where its result goes. */
export const withAccount = (address: Address): string => formatAddress(address, { account: true });
