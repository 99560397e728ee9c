/**
 * One run of a task between claim and answer: files fetched, context assembled from the workspace, the agent's loop,
 * and what came of it written back (C1: the agent itself reads nothing from disk).
 */
import { authoriseAction } from '../../access/authorise.ts';
import { type Principal, principalText } from '../../access/principal.ts';
import type { Channel, InboundMessage } from '../../channels/channel.ts';
import { crashPoint } from '../../crash-points.ts';
import type { QueueItem } from '../../engine/engine.ts';
import { addressesIn } from '../../lib/web-addresses.ts';
import { type Logger, scrub } from '../../log.ts';
import type { Home } from '../../workspace/home.ts';
import { appendSession } from '../../workspace/sessions.ts';
import { readTask } from '../../workspace/tasks.ts';
import type { SessionEntry, TaskRecord } from '../../workspace/types.ts';
import type { Verdict } from '../agent/agent.ts';
import type { Suspension } from '../approvals/suspend.ts';
import { formatUserTurn } from '../context/context.ts';
import { cutCall } from '../context/past-run.ts';
import { reasonOf } from '../contract/abort.ts';
import type { Entry, JobOrder } from '../contract/entry.ts';
import type { Order, Play } from '../contract/order.ts';
import type { RunOutcome } from '../contract/outcome.ts';
import { interruptedWhile, stoppedRun } from '../reply/failure.ts';
import { settle } from './finalize.ts';
import { fetchFiles } from './inbox-files.ts';
import type { Perform } from './perform.ts';

export interface RunInput {
  task: TaskRecord;
  run: string;
  items: readonly QueueItem<Entry>[];
  /** Everybody's messages that this run answers; `items` are among them. */
  answered: readonly QueueItem<Entry>[];
  /** The session's lines of this run, when an earlier process began it. */
  earlier: readonly SessionEntry[];
  signal: AbortSignal;
  /** Ends the fetching of files: a newer message does not, since what was said before it stays said. */
  intake: AbortSignal;
}

/** The part of the configuration that taking in and answering look at; docs/configuration.md says what each key means. */
export interface RunSettings {
  memory: { auto_accept: boolean };
  limits: { downloadBytes: number; filesPerMessage: number };
}

export interface RunnerOptions {
  home: Home;
  perform: Perform;
  suspension: Suspension;
  settings: RunSettings;
  log: Logger;
  channelOf: (message: InboundMessage) => Channel | undefined;
  /** Whether MEMORY.md, USER.md and the daily logs may stand in the prompt of a run whose answer goes there. */
  tellsMemory: (run: {
    principal: Principal;
    answered: readonly InboundMessage[];
    job: JobOrder | undefined;
  }) => Promise<boolean>;
  /** Plays playbooks; absent where there are none. */
  play?: Play;
}

export interface Runner {
  /** Undefined: there was nothing to go on with. Throws RunError, or a system error when the disk fails. */
  run(input: RunInput): Promise<RunOutcome | undefined>;
}

export function createRunner(options: RunnerOptions): Runner {
  const { home, perform, settings, log } = options;

  /** The person's words and files as a session line; files are fetched here, after the sender was let in. */
  async function takeIn({ task, run, items, intake, principal }: RunInput & { principal: Principal }): Promise<void> {
    const messages = items.map((item) => item.message.message);
    const first = items[0] as QueueItem<Entry>;
    const sender = first.message.message.sender;
    const fetched = await fetchFiles(messages, {
      home,
      taskId: task.id,
      limits: settings.limits,
      signal: intake,
      channelOf: options.channelOf,
    }).catch((error: unknown) => {
      if (reasonOf(intake) !== 'stop') throw error;
      return { files: [], problems: ['The files were not fetched: it was stopped.'] };
    });
    const text = formatUserTurn({
      text: messages
        .map((message) => message.text)
        .filter(Boolean)
        .join('\n\n'),
      facts: [
        ...(messages.some((message) => message.kind === 'edit')
          ? ['This is the new text of a message sent before.']
          : []),
        ...messages.flatMap((message) => message.facts),
        ...fetched.problems,
      ],
      quotes: messages.flatMap((message) => message.quotes),
      files: fetched.files,
      ...(first.message.message.isDirect ? {} : { speaker: sender.name }),
    });
    const from = {
      channel: first.message.principal.channel,
      user: principalText(first.message.principal),
      name: sender.name,
    };
    const at = first.acceptedAt;
    const refs = fetched.files.map(({ id, title, type, ref }) => ({ id, title, type, ref }));
    const takenAt = new Date().toISOString();
    const line: SessionEntry = {
      type: 'message',
      id: first.id,
      run,
      at,
      takenAt,
      text: scrub(text),
      from,
      files: refs,
    };
    const addresses = addressesIn(messages.map((message) => message.text).join('\n'));
    // Only the task's own people say where it may go (T4), and no guest.
    if (addresses.length > 0 && principal.role !== 'guest' && authoriseAction(principal, 'steer', task.people))
      line.addresses = addresses.map((address) => scrub(address));
    if (principal.role === 'guest') line.isGuest = true;
    if (!first.message.job && messages.every((message) => !message.isDirect)) line.isGroup = true;
    if (items.length > 1) line.also = items.slice(1).map((item) => item.id);
    await appendSession(home, task.viber, task.id, [line]);
    crashPoint('run:message-written');
  }

  /** What waits for a person gives way to what they write. */
  async function supersede(input: RunInput & { principal: Principal }): Promise<ReadonlyMap<string, Verdict>> {
    await options.suspension.supersede(input);
    return new Map();
  }

  async function playIn(
    input: RunInput & Pick<Order, 'principal' | 'tellsMemory'>,
    { id, message: { play = {} } }: QueueItem<Entry>,
    verdicts: ReadonlyMap<string, Verdict>,
    playOut: Play,
  ): Promise<RunOutcome> {
    const { task, run, items, earlier, signal, principal, tellsMemory } = input;
    const { address } = (items[0] as QueueItem<Entry>).message.message;
    // What was written while it was played.
    const added = items.flatMap(({ message }) => (message.play ? [] : [message.message.text])).join('\n\n');
    const order = { task, run, principal, tellsMemory, address, earlier, signal, verdicts };
    const played = await playOut({ ...order, play, id, added });
    if (!('waiting' in played)) return played;
    return options.suspension.suspend({ ...input, inner: played, play: true }, played.waiting, played.tools);
  }

  return {
    async run(given) {
      const input = { ...given, principal: onWhoseWord(given) };
      const { task, run, earlier, signal, principal } = input;
      const cut = cutCall(earlier);
      if (cut) return interruptedWhile(cut, run);
      const resumed = (input.items[0] as QueueItem<Entry>).message.resume;
      const verdicts = resumed ? await options.suspension.resume(input, resumed.approval) : await supersede(input);
      if (verdicts === 'void') return undefined;
      // A decision may have changed the record.
      const consents = (await readTask(home, task.id)) ?? task;
      if (verdicts === 'stop') return stoppedRun();
      if (!earlier.some((entry) => entry.type === 'message')) await takeIn(input);
      const { message: first, job } = (input.items[0] as QueueItem<Entry>).message;
      const answered = input.answered.map((item) => item.message.message);
      const tellsMemory = await options.tellsMemory({ principal, answered, job });
      const playing = input.answered.findLast((item) => item.message.play);
      if (playing && options.play)
        return await playIn({ ...input, tellsMemory, task: consents }, playing, verdicts, options.play);
      const performed = await perform({
        ...{ task: consents, run, principal, tellsMemory, earlier, verdicts, signal, query: first.text },
        words: input.items.map((item) => item.message.message.text).filter(Boolean),
        names: input.items.flatMap((item) => item.message.message.files.map((file) => file.name)),
        place: job ? jobPlace(job) : `${first.address.channel}, ${first.isDirect ? 'direct message' : 'group'}`,
        address: first.address,
        ...(job ? { job, own: job.own } : {}),
      });
      const { outcome, made } = performed;
      if (outcome.parked) return await options.suspension.suspend(input, outcome, performed.tools);
      const autoAccept = settings.memory.auto_accept && principal.role === 'owner';
      const person = principalText(principal);
      const keepsNothing = principal.role === 'guest';
      return await settle(outcome, made, { home, log, task, run, autoAccept, person, keepsNothing });
    },
  };
}

/** Of whoever wrote last; with a guest among those it answers, with no more rights than a guest has (T4). */
function onWhoseWord({ items, answered }: RunInput): Principal {
  const { principal } = (items[0] as QueueItem<Entry>).message;
  return answered.some(({ message }) => message.principal.role === 'guest')
    ? { ...principal, role: 'guest' }
    : principal;
}

const jobPlace = ({ name, deliver }: JobOrder): string =>
  `the scheduled job ${JSON.stringify(name)}; nobody is there to answer questions${deliver.length > 0 ? '; your answer is sent to a chat as it stands. Answer only HEALTHY when there is nothing worth a message' : ''}`;
