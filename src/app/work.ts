/**
 * Everything between the queue and the outbox, put together: the model and its tools, what waits for people, memory, scheduled
 * jobs, and the worker that takes messages through it. The order of its end is what it is about.
 */
import type { Languages } from '../access/languages.ts';
import type { Links } from '../access/links.ts';
import type { Pairing } from '../access/pairing.ts';
import type { People } from '../access/people.ts';
import type { Zones } from '../access/zones.ts';
import type { Address, Channel } from '../channels/channel.ts';
import { isBlank } from '../channels/markdown/blank.ts';
import { type Config, loadAgent } from '../config.ts';
import type { Queue } from '../engine/engine.ts';
import { UserError } from '../errors.ts';
import type { Clock } from '../jobs/clock.ts';
import { systemTimezone } from '../lib/timezone.ts';
import type { Logger } from '../log.ts';
import { createAgent } from '../runtime/agent/agent.ts';
import { Approvals } from '../runtime/approvals/approvals.ts';
import { RunSuspension } from '../runtime/approvals/suspend.ts';
import type { ZonesAt } from '../runtime/commands/command.ts';
import { createInterrupt, type Interrupt } from '../runtime/commands/interrupt.ts';
import { nowText } from '../runtime/context/now.ts';
import { questionId } from '../runtime/contract/buttons.ts';
import type { Entry } from '../runtime/contract/entry.ts';
import type { JobService } from '../runtime/contract/job-service.ts';
import { OFFLINE_MODEL } from '../runtime/contract/providers.ts';
import { type Conversations, placeOf, shareTask } from '../runtime/conversations/conversations.ts';
import type { Digests } from '../runtime/conversations/digests.ts';
import type { Expected } from '../runtime/conversations/expected.ts';
import type { OwnerNotifier } from '../runtime/conversations/owner-notifier.ts';
import type { ConversationSettings } from '../runtime/conversations/settings.ts';
import { createTaskRecords } from '../runtime/conversations/task-record.ts';
import { createThreads } from '../runtime/conversations/threads.ts';
import type { ViberRules } from '../runtime/conversations/vibers.ts';
import { Costs } from '../runtime/costs/costs.ts';
import { createMeter } from '../runtime/costs/meter.ts';
import type { Delivery } from '../runtime/delivery.ts';
import type { Bus } from '../runtime/live/bus.ts';
import type { Live } from '../runtime/live/live.ts';
import { createAfterRun } from '../runtime/memory/after-run.ts';
import { SmallModelTitles } from '../runtime/memory/titles.ts';
import { createModels } from '../runtime/model/models.ts';
import type { Buttons } from '../runtime/reply/buttons.ts';
import { outcomeOf } from '../runtime/reply/outcomes.ts';
import type { Questions } from '../runtime/reply/questions.ts';
import { attachRules } from '../runtime/reply/render-answer.ts';
import type { GiveUp } from '../runtime/run/retries.ts';
import { runAgent } from '../runtime/run/run-agent.ts';
import type { RunServices } from '../runtime/run/services.ts';
import { Worker } from '../runtime/worker.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Home } from '../workspace/home.ts';
import { openCompaction } from './compaction.ts';
import { countCall } from './counting.ts';
import { openEveryday } from './everyday.ts';
import { openAppJobs } from './jobs.ts';
import { openAppMemory } from './memory.ts';
import { openMesh } from './mesh.ts';
import { openAppModels } from './models.ts';
import { openReading, openSpeak } from './reading.ts';
import { openAppSearch } from './search.ts';
import { createTelling } from './telling.ts';
import { openTools } from './tools.ts';

const DRAIN_MS = 20_000;

export interface WorkOptions {
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
  bus: Bus;
  buttons: Buttons;
  questions: Questions;
  delivery: Delivery;
  live: Live;
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
  /** What commands begin with, by channel. */
  prefixes: Readonly<Record<string, string>>;
  channelOf: (address: Pick<Address, 'channel'>) => Channel | undefined;
  metrics: Metrics;
  log: Logger;
}

export interface Work {
  modelName(): string;
  /** Undefined until they have been read. */
  jobs(): Promise<JobService | undefined>;
  interrupt: Interrupt;
  records: RunServices['taskRecords'];
  /** Loads the model's libraries ahead of the first message. Never rejects. */
  preload(): Promise<void>;
  /** Takes up what waits. */
  start(): Promise<void>;
  /** The channels are connected: what needs them begins. */
  connected(): Promise<void>;
  /** Once a day. */
  sweep(now: Date): void;
  stop(): Promise<void>;
}

export function openWork(options: WorkOptions): Work {
  const { config, home, viber, queue, bus, buttons, delivery, conversations, notifier, languages, channelOf, log } =
    options;
  const models = createModels({ providers: config.providers, env: options.env });
  const modelName = () => config.model ?? models.defaultModel;
  const { choices, chosen, ...chooser } = openAppModels({ config, models, modelName, settings: options.settings });
  const seconds = (value: number) => value * 1000;
  const { connect, firstToken, idle, run } = config.timeouts;
  const agent = createAgent({
    ...{ models, log, isBlank },
    onModelFailure: (kind) => options.metrics.count('viber_errors_total', { stage: 'model', kind }),
    timeouts: { connect: seconds(connect), firstToken: seconds(firstToken), idle: seconds(idle), run: seconds(run) },
  });
  const rulesAt = attachRulesOf(config, channelOf);
  const costs = new Costs({
    ...{ home, log, prices: config.prices, currency: config.currency, limits: config.limits },
    onCall: (call, usage) => countCall(options.metrics, call, usage),
  });
  const meter = createMeter({ costs, tellOwners: (id, text) => void notifier.tellOwners(id, text) });
  const { questions } = options;
  const approvals = new Approvals({
    ...{ folder: home.access, queue, log },
    onDecided: ({ id }, decision) =>
      questions.decided(questionId.approval(id), outcomeOf(decision, config.jobs.timezone)),
  });
  const suspension = new RunSuspension({ home, approvals });
  const { askOwners } = notifier;
  const compaction = openCompaction({
    ...{ config, home, agent, costs, approvals, modelName, log, askOwners },
  });
  const mesh = openMesh({
    config,
    home,
    agent,
    bus,
    meter,
    modelName,
    log,
    runAgent: (order) => runAgent(order, runs),
  });
  const { jobs, ...ofJobs } = openAppJobs({
    ...{ config, home, viber, queue, buttons, delivery, notifier, languages, channelOf, log },
    ...{ people: options.people, zones: options.zones, clock: options.clock, folder: options.env.OPENVIBER_JOBS_DIR },
    ...{ attachRules: rulesAt, isBlank },
    lookUp: (vibers) => tools.names(vibers, models),
  });
  const memory = openAppMemory({ config, home, embedders: models, costs, log });
  const searching = openAppSearch({
    ...{ config, env: options.env, models, meter },
    modelOf: ({ address, job, asked, own: ordered }, own) => {
      const here = address && !job && !asked ? chosen(address).model : undefined;
      return ordered?.model ?? here ?? own.model ?? modelName();
    },
  });
  const aboutViber = async (id: string) => (await loadAgent(home.root, id)).description;
  const everyday = openEveryday({ conversations, zones: options.zones, vibers: options.vibers, aboutViber });
  const tools = openTools({
    config,
    home,
    log,
    parts: [memory.toolbox, mesh.toolbox, ofJobs.toolbox, chooser.toolbox, searching, everyday],
  });
  const afterRun = createAfterRun({ home, log, askOwners });
  const threads = createThreads({ home, conversations, channelOf, log });
  const { small_model: small } = config;
  const titles =
    small === undefined || small === OFFLINE_MODEL
      ? undefined
      : new SmallModelTitles({ home, model: small, models, costs, show: threads.show, log });
  const usualZone = config.jobs.timezone ?? systemTimezone();
  const runs: RunServices = {
    ...{ home, log, agent, bus, meter, suspension, conversations, delivery, buttons, compaction, channelOf, isBlank },
    digests: options.digests,
    ...{ live: options.live, metrics: options.metrics, syncSoon: options.syncSoon, memory: afterRun },
    jobs: { answers: ofJobs.answers, ended: (entry, outcome) => jobs.ended(entry, outcome) },
    ...{ settings: { ...config, modelName }, attachRules: rulesAt, toolbox: tools.toolbox, play: mesh.play },
    chosen,
    vibers: options.vibers,
    nowFor(principal, { run, mayAsk }) {
      const zone = options.zones.of(principal);
      const known = zone !== undefined ? 'known' : mayAsk() && options.zones.asksIn(principal, run) ? 'ask' : 'guess';
      return nowText(new Date(options.clock?.now() ?? Date.now()), zone ?? usualZone, known);
    },
    reading: openReading({ config, env: options.env, home, meter, log }),
    speak: openSpeak({ config, env: options.env, home, meter, log }),
    tellsMemory: createTelling(config, ofJobs.targets),
    taskRecords: createTaskRecords({
      ...{ home, conversations, costs, log },
      hasOwner: () => options.pairing.ownership() === 'somebody',
    }),
    ...{ threads, titles },
    loadAgent: (id) => loadOwn(home, id, log),
  };
  const zonesAt: ZonesAt = {
    of: (principal) => options.zones.of(principal),
    set: (principal, zone) => options.zones.set(principal, zone),
    usual: usualZone,
  };
  const worker = new Worker({
    ...{ queue, runs, questions, giveUp: options.giveUp, maxRuns: config.limits.runs },
    commands: {
      ...{
        home,
        models: choices,
        prefixes: options.prefixes,
        messagesAt: (address: Address) => languages.at(address),
        costs,
        approvals,
        compaction,
        attachRules: rulesAt,
        jobs: () => jobs.service(),
        timezone: config.jobs.timezone,
      },
      ...{ pairing: options.pairing, links: options.links, settings: options.settings, skills: tools.skills },
      adding: tools.adding,
      ...(tools.prompts && { prompts: tools.prompts }),
      expected: options.expected,
      zones: zonesAt,
      searchMemory: memory.searchMemory,
      vibers: options.vibers,
      aboutViber,
      bound: (id) => conversations.bound(id).map(placeOf),
      showTask: threads.show,
      shareTask: (person, from) => shareTask(conversations, person, from),
    },
  });

  return {
    modelName,
    jobs: () => jobs.service(),
    records: runs.taskRecords,
    interrupt: createInterrupt({ live: options.live, conversations, queue, approvals, log }),
    preload: () => agent.preload(modelName()),
    async start() {
      await approvals.start();
      worker.start();
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
      await Promise.all([afterRun.flush(), compaction.close(), titles?.close()]);
      await Promise.all([tools.close(), memory.close()]);
    },
  };
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
  if (own.isBroken)
    throw new UserError(`agents/${id}.yaml cannot be used, so nothing runs by it: ${own.warnings.join('; ')}`);
  return own;
}
