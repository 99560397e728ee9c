/**
 * Everything between the queue and the outbox, put together: the model and its tools, what waits for people, memory, scheduled
 * jobs, and the worker that takes messages through it. The order of its end is what it is about.
 */
import type { Languages } from '../access/languages.ts';
import type { Links } from '../access/links.ts';
import type { Pairing } from '../access/pairing.ts';
import type { People } from '../access/people.ts';
import type { Principal } from '../access/principal.ts';
import type { Zones } from '../access/zones.ts';
import type { Address, Channel } from '../channels/channel.ts';
import { isBlank } from '../channels/markdown/blank.ts';
import { type Config, loadAgent } from '../config.ts';
import type { Queue, State } from '../engine/engine.ts';
import { UserError } from '../errors.ts';
import type { Clock } from '../jobs/clock.ts';
import { systemTimezone } from '../lib/timezone.ts';
import type { Logger } from '../log.ts';
import { say } from '../messages/messages.ts';
import { Approvals } from '../runtime/approvals/approvals.ts';
import { RunSuspension } from '../runtime/approvals/suspend.ts';
import type { CommandContext, ZonesAt } from '../runtime/commands/command.ts';
import { createInterrupt, type Interrupt } from '../runtime/commands/interrupt.ts';
import { tellUnkept } from '../runtime/commands/lane.ts';
import { Promised } from '../runtime/commands/promised.ts';
import { stopTask } from '../runtime/commands/tasks/stop-task.ts';
import { nowText } from '../runtime/context/now.ts';
import { questionId } from '../runtime/contract/buttons.ts';
import { type Entry, taskLane } from '../runtime/contract/entry.ts';
import type { JobService } from '../runtime/contract/job-service.ts';
import type { RunAgent } from '../runtime/contract/order.ts';
import { OFFLINE_MODEL } from '../runtime/contract/providers.ts';
import { type Conversations, placeOf, shareTask } from '../runtime/conversations/conversations.ts';
import type { Digests } from '../runtime/conversations/digests.ts';
import type { Expected } from '../runtime/conversations/expected.ts';
import type { OwnerNotifier } from '../runtime/conversations/owner-notifier.ts';
import type { Reach } from '../runtime/conversations/reach.ts';
import type { ConversationSettings } from '../runtime/conversations/settings.ts';
import { createTaskRecords } from '../runtime/conversations/task-record.ts';
import { createThreads, type Threads } from '../runtime/conversations/threads.ts';
import type { ViberRules } from '../runtime/conversations/vibers.ts';
import type { Delivery } from '../runtime/delivery.ts';
import { createAfterRun } from '../runtime/memory/after-run.ts';
import { SmallModelTitles } from '../runtime/memory/titles.ts';
import type { Buttons } from '../runtime/reply/buttons.ts';
import { outcomeOf } from '../runtime/reply/outcomes.ts';
import type { Questions } from '../runtime/reply/questions.ts';
import { attachRules } from '../runtime/reply/render-answer.ts';
import type { GiveUp } from '../runtime/run/retries.ts';
import { runAgent } from '../runtime/run/run-agent.ts';
import type { RunServices } from '../runtime/run/services.ts';
import type { ToolServices } from '../runtime/tools/run.ts';
import type { SkillService } from '../runtime/tools/skills/service.ts';
import { Worker } from '../runtime/worker.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { Home } from '../workspace/home.ts';
import type { MemorySearch } from '../workspace/memory/search.ts';
import { openCompaction } from './compaction.ts';
import { type GaveUp, givingUp, noteGivenUp } from './given-up.ts';
import { openAppJobs } from './jobs.ts';
import { openAppMemory } from './memory.ts';
import { openMesh } from './mesh.ts';
import { type ModelCalls, openModelCalls } from './models.ts';
import { openReading, openSpeak } from './reading.ts';
import { openAppSearch } from './search.ts';
import type { Services } from './services.ts';
import { createTelling } from './telling.ts';
import { openTools } from './tools.ts';

const DRAIN_MS = 20_000;

export interface WorkOptions extends Pick<Services, 'engine' | 'lead' | 'bus' | 'news' | 'live' | 'metrics'> {
  config: Config;
  home: Home;
  env: NodeJS.ProcessEnv;
  /** The viber that serves the chats where nothing else is said. */
  viber: string;
  vibers: ViberRules;
  clock: Clock | undefined;
  queue: Queue<Entry>;
  /** Makes an existing file durable within a moment. */
  syncSoon: (file: string) => void;
  /** Keeps messages that cannot be worked on, and tells their people. */
  giveUp: GiveUp;
  reach: Reach;
  buttons: Buttons;
  state: State;
  questions: Questions;
  delivery: Delivery;
  settings: ConversationSettings;
  expected: Expected;
  conversations: Conversations;
  digests: Digests;
  people: People;
  pairing: Pairing;
  links: Links;
  notifier: OwnerNotifier;
  languages: Languages;
  zones: Zones;
  /** A link that logs an owner in on the Board. */
  boardLink: NonNullable<CommandContext['boardLink']>;
  /** What commands begin with, by channel. */
  prefixes: Readonly<Record<string, string>>;
  channelOf: (address: Pick<Address, 'channel'>) => Channel | undefined;
  tracing: Tracing | undefined;
  log: Logger;
}

export interface Work {
  modelName(): string;
  /** Undefined until they have been read. */
  jobs(): Promise<JobService | undefined>;
  interrupt: Interrupt;
  /** Ends what a task is at; false where there is nothing to end. */
  stopTask(taskId: string, by: Principal): Promise<boolean>;
  approvals: Pick<Approvals, 'get' | 'all' | 'open' | 'decide' | 'refresh'>;
  records: RunServices['taskRecords'];
  stopping: Worker['stopping'];
  /** What is looked at elsewhere than in a chat. */
  looking: { skills: SkillService } & Pick<MemorySearch, 'searchMemory'>;
  /** Messages were given up before this process began, or by somebody else. Never rejects. */
  gaveUp: GaveUp;
  /** Loads the model's libraries ahead of the first message. Never rejects. */
  preload(): Promise<void>;
  /** Takes up what waits, unless others do. */
  start(works: boolean): Promise<void>;
  /** The channels are connected: what needs them begins. */
  connected(): Promise<void>;
  /** Once a day. */
  sweep(now: Date): void;
  stop(): Promise<void>;
}

/** All that a run is made of, and what of it is asked, ended or swept. */
function openRuns(options: WorkOptions) {
  const { config, home, viber, queue, bus, buttons, delivery, conversations, notifier, languages, channelOf, log } =
    options;
  const calls = openModelCalls(options);
  const { models, modelName, agent, costs, meter, chosen } = calls;
  const rulesAt = attachRulesOf(config, channelOf);
  const { questions, news } = options;
  const approvals = new Approvals({
    ...{ folder: home.access, queue, log, shared: config.engine.kind === 'local' ? undefined : options.engine },
    onDecidedElsewhere: (request, decision) => news.tell({ type: 'approval:decided', request, decision }),
    onAsked: (request) => news.tell({ type: 'approval:asked', request }),
    async onDecided(request, decision) {
      news.tell({ type: 'approval:decided', request, decision });
      await questions.decided(
        questionId.approval(request.id),
        outcomeOf(decision, options.zones.of(request.principal) ?? config.jobs.timezone),
      );
    },
  });
  const suspension = new RunSuspension({ home, approvals });
  const { askOwners } = notifier;
  const compaction = openCompaction({
    ...{ config, home, agent, costs, approvals, modelName, log, askOwners },
  });
  const ask: RunAgent = (order) => runAgent(order, runs);
  const mesh = openMesh({ config, home, agent, bus, meter, modelName, runAgent: ask, log });
  const { jobs, ...ofJobs } = openAppJobs({
    ...{ config, home, viber, engine: options.engine, lead: options.lead, buttons, delivery, notifier, languages },
    ...{ channelOf, log },
    ...{ people: options.people, zones: options.zones, clock: options.clock, folder: options.env.OPENVIBER_JOBS_DIR },
    ...{ attachRules: rulesAt, isBlank, onChanged: (job: string) => news.tell({ type: 'job:changed', job }) },
    lookUp: (vibers) => tools.names(vibers, models),
  });
  const memory = openAppMemory({ config, home, embedders: models, costs, log });
  const searcherFor = openAppSearch({
    ...{ config, env: options.env, models, meter },
    modelOf: ({ address, job, asked, own: ordered }, own) => {
      const here = address && !job && !asked ? chosen(address).model : undefined;
      return ordered?.model ?? here ?? own.model ?? modelName();
    },
  });
  const aboutViber = async (id: string) => (await loadAgent(home.root, id)).description;
  const services = toolServices(options, {
    ...{ searchMemory: memory.searchMemory, agents: mesh.mesh, sending: ofJobs.sending, models: calls.choices },
    ...{ jobs: () => jobs.service(), searcherFor, aboutViber },
  });
  const tools = openTools({ config, home, log, services, isShared: config.engine.kind !== 'local' });
  const afterRun = createAfterRun({ home, log, askOwners });
  const threads = createThreads({ home, conversations, channelOf, log });
  const titles = titlesOf(calls, options, threads);
  const usualZone = config.jobs.timezone ?? systemTimezone();
  const runs: RunServices = {
    ...{ home, log, agent, bus, meter, suspension, conversations, delivery, buttons, compaction, channelOf, isBlank },
    digests: options.digests,
    told: options.state,
    ...{ live: options.live, syncSoon: options.syncSoon, memory: afterRun },
    ...{ metrics: options.metrics, tracing: options.tracing },
    jobs: { answers: ofJobs.answers, ended: (entry, outcome) => jobs.ended(entry, outcome) },
    ...{ settings: { ...config, modelName }, attachRules: rulesAt, toolbox: tools.toolbox, play: mesh.play },
    chosen,
    vibers: options.vibers,
    nowFor: clockOf(options, usualZone),
    ...{ news: news.tell, tellOwners: options.notifier.tellOwners },
    reading: openReading({ config, env: options.env, home, meter, log }),
    speak: openSpeak({ config, env: options.env, home, meter, log }),
    tellsMemory: createTelling(config, ofJobs.targets),
    taskRecords: createTaskRecords({
      ...{ home, conversations, costs, log },
      hasOwner: () => options.pairing.ownership() === 'somebody',
      onState: (taskId, state) => news.tell({ type: 'task:state', taskId, state }),
    }),
    ...{ threads, titles },
    loadAgent: (id) => loadOwn(home, id, log),
  };
  return { runs, calls, approvals, compaction, jobs, memory, tools, threads, titles, afterRun, aboutViber, usualZone };
}

export function openWork(options: WorkOptions): Work {
  const { config, home, queue, conversations, languages, questions, log } = options;
  const { runs, calls, approvals, compaction, jobs, memory, tools, ...parts } = openRuns(options);
  const zonesAt: ZonesAt = {
    of: (principal) => options.zones.of(principal),
    set: (principal, zone) => options.zones.set(principal, zone),
    usual: parts.usualZone,
  };
  const gaveUp = noteGivenUp(runs.taskRecords, jobs);
  const promised = new Promised(options.state);
  const worker = new Worker({
    ...{
      queue,
      runs,
      questions,
      promised,
      reach: options.reach,
      giveUp: givingUp(options.giveUp, gaveUp),
      maxRuns: config.limits.runs,
    },
    processes: config.engine.kind === 'local' ? undefined : options.engine,
    commands: {
      ...{
        home,
        models: calls.choices,
        prefixes: options.prefixes,
        messagesAt: (address: Address) => languages.at(address),
        costs: calls.costs,
        approvals,
        compaction,
        attachRules: runs.attachRules,
        jobs: () => jobs.service(),
        timezone: config.jobs.timezone,
      },
      ...{ pairing: options.pairing, links: options.links, settings: options.settings, skills: tools.skills },
      ...(tools.prompts && { prompts: tools.prompts }),
      ...{ adding: tools.adding, expected: options.expected, zones: zonesAt, vibers: options.vibers },
      ...{ searchMemory: memory.searchMemory, aboutViber: parts.aboutViber, showTask: parts.threads.show },
      bound: (id) => conversations.bound(id).map(placeOf),
      boardLink: options.boardLink,
      shareTask: (person, from, was) => shareTask(conversations, person, from, was),
    },
  });

  return {
    ...{ modelName: calls.modelName, jobs: () => jobs.service(), records: runs.taskRecords },
    ...{ looking: { skills: tools.skills, searchMemory: memory.searchMemory }, gaveUp, approvals },
    stopping: worker.stopping,
    interrupt: createInterrupt({ live: options.live, conversations, queue, approvals, log }),
    async stopTask(taskId, by) {
      const look = (id: string) => queue.look(taskLane(id));
      const end = (id: string) => queue.signal(taskLane(id), 'stop');
      return (await stopTask(taskId, by, { home, stop: end, look, approvals })).isStopped;
    },
    preload: () => calls.agent.preload(calls.modelName()),
    async start(works) {
      await approvals.start();
      await tellUnkept({ promised, delivery: runs.delivery, buttons: runs.buttons }, languages.at);
      if (works) await worker.start();
    },
    connected: () => tools.start(),
    sweep(now) {
      void memory.sweep(now);
      void jobs.sweep(now);
    },
    async stop() {
      approvals.close();
      await jobs.stop();
      await worker.stop(DRAIN_MS);
      await Promise.all([parts.afterRun.flush(), compaction.close(), parts.titles?.close()]);
      await Promise.all([tools.close(), memory.close()]);
    },
  };
}

/** The parts of the gateway that tools may use. */
function toolServices(
  { viber: usualViber, settings, conversations, zones, vibers }: WorkOptions,
  own: Omit<ToolServices, 'usualViber' | 'settings' | 'conversations' | 'zones' | 'vibers'>,
): ToolServices {
  return { ...own, usualViber, settings, conversations, zones, vibers };
}

/** What time it is for somebody, and whether they may be asked where they are. */
function clockOf({ zones, clock }: WorkOptions, usual: string): NonNullable<RunServices['nowFor']> {
  return (principal, { run, mayAsk }) => {
    const zone = zones.of(principal);
    const known = zone !== undefined ? 'known' : mayAsk() && zones.asksIn(principal, run) ? 'ask' : 'guess';
    return nowText(new Date(clock?.now() ?? Date.now()), zone ?? usual, known);
  };
}

function titlesOf({ models, costs }: ModelCalls, { config, home, log }: WorkOptions, { show }: Threads) {
  const { small_model: model } = config;
  if (model === undefined || model === OFFLINE_MODEL) return undefined;
  return new SmallModelTitles({ home, model, models, costs, show, log });
}

function attachRulesOf({ channels }: Config, channelOf: WorkOptions['channelOf']): RunServices['attachRules'] {
  const { telegram, discord, slack } = channels;
  const modes = new Map(Object.entries({ telegram, discord, slack }).map(([id, section]) => [id, section?.attach]));
  return (address) => attachRules(channelOf(address), modes.get(address.channel));
}

/** The viber's own settings. Throws UserError when its file cannot be used. */
async function loadOwn(home: Home, id: string, log: Logger): ReturnType<RunServices['loadAgent']> {
  const own = await loadAgent(home.root, id);
  for (const warning of own.warnings) log.warn({ viber: id }, warning);
  if (own.isBroken) throw new UserError(say('vibers.broken', { id, why: own.warnings.join('; ') }));
  return own;
}
