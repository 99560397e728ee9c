/**
 * The running program as one object: what runs, commands and events are worked on with. `openGateway` in `src/app/` builds it, for the
 * program and for tests alike. Rooms below the runtime never see it. Types only.
 */
import type { AccessRules } from '../../access/authorise.ts';
import type { Languages } from '../../access/languages.ts';
import type { Links } from '../../access/links.ts';
import type { OutboundTargets } from '../../access/outbound-targets.ts';
import type { Pairing } from '../../access/pairing.ts';
import type { People } from '../../access/people.ts';
import type { Principal } from '../../access/principal.ts';
import type { Zones } from '../../access/zones.ts';
import type { Address, Channel, InboundMessage } from '../../channels/channel.ts';
import type { Lead } from '../../channels/lead.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../log.ts';
import type { Messages } from '../../messages/messages.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Tracing } from '../../telemetry/tracing.ts';
import type { Home } from '../../workspace/home.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { RunSuspension } from '../approvals/suspend.ts';
import type { MemoryLimits } from '../context/context.ts';
import type { HistoryLimits } from '../context/history-window.ts';
import type { Agent } from '../contract/agent.ts';
import type { Entry, JobOrder } from '../contract/entry.ts';
import type { FeatureOf, FeatureSet } from '../contract/feature.ts';
import type { KnownNames } from '../contract/job-service.ts';
import type { Toolbox } from '../contract/order.ts';
import type { OwnSettings, Thinking } from '../contract/settings.ts';
import type { Arrivals } from '../conversations/arrivals.ts';
import type { Conversations } from '../conversations/conversations.ts';
import type { Digests } from '../conversations/digests.ts';
import type { Expected } from '../conversations/expected.ts';
import type { OwnerNotifier } from '../conversations/owner-notifier.ts';
import type { Reach } from '../conversations/reach.ts';
import type { ConversationSettings } from '../conversations/settings.ts';
import type { TaskRecords } from '../conversations/task-record.ts';
import type { Threads } from '../conversations/threads.ts';
import type { ViberRules } from '../conversations/vibers.ts';
import type { Costs } from '../costs/costs.ts';
import type { Meter } from '../costs/meter.ts';
import type { Delivery } from '../delivery.ts';
import type { Bus } from '../live/bus.ts';
import type { Live } from '../live/live.ts';
import type { NewsDesk } from '../live/news.ts';
import type { SeenRuns } from '../live/seen.ts';
import type { ModelChoices } from '../model/choices.ts';
import type { ModelProviders } from '../model/models.ts';
import type { Buttons } from '../reply/buttons.ts';
import type { Questions } from '../reply/questions.ts';
import type { AttachRules } from '../reply/render-answer.ts';
import type { ServerPrompts } from '../tools/mcp/prompts.ts';
import type { ToolRun } from '../tools/run.ts';
import type { SkillAdding, SkillService } from '../tools/skills/service.ts';
import type { Lanes } from './work.ts';

export interface Gateway<Config = Settings> {
  home: Home;
  config: Config;
  engine: Engine<Entry>;
  people: PeopleStores;
  tasks: Tasks;
  places: Places;
  models: ModelCalls;
  tools: ToolTable;
  consent: Consent;
  delivery: Delivery;
  /** In the language of whoever reads there, with commands as they are typed there. */
  say: (address: Address) => Messages;
  features: Features;
  log: Logger;
  clock: Clock;
}

/** The part of the configuration that the runtime looks at; docs/configuration.md says what each key means. */
export interface Settings {
  fallback: string[];
  maxSteps: number | 'auto';
  memory: MemoryLimits & { auto_accept: boolean };
  history: HistoryLimits;
  /** Whether a task's first plan must be approved before anything is done. */
  plan_approval: 'on' | 'off';
  web: { hosts: string[] };
  limits: { downloadBytes: number; filesPerMessage: number; queue: number; runs: number };
  voice: { echo: 'on' | 'off'; reply: 'off' | 'same' };
  engine: { kind: 'local' | 'redis' };
  jobs: { timezone?: string | undefined };
}

/** Who is who, how strangers are let in, and how each is spoken to. */
export interface PeopleStores extends People {
  pairing: Pairing;
  links: Links;
  languages: Languages;
  zones: Zones;
  owners: OwnerNotifier;
  /** Who may write there. */
  rulesOf(address: Address): AccessRules;
  /** What time it is for somebody, as the model is told; `mayAsk`: whether this run is one in which they may be asked where they are. */
  nowFor(principal: Principal, turn: { run: string; mayAsk: () => boolean }): string;
}

/** What is known of tasks, and what happens to them as it happens. */
export interface Tasks {
  /** What is remembered of events while they are taken in. */
  arrivals: Arrivals;
  /** The lanes that this process works on. */
  lanes: Lanes;
  records: TaskRecords;
  conversations: Conversations;
  threads: Threads;
  /** What jobs have said. */
  digests: Digests;
  /** What the next words of a person answer. */
  expected: Expected;
  bus: Bus;
  news: NewsDesk;
  seen: SeenRuns;
  /** Makes an existing file durable within a moment. */
  syncSoon: (file: string) => void;
}

/** The conversations of all channels, and what holds there. */
export interface Places {
  channelOf: (address: Pick<Address, 'channel'>) => Channel | undefined;
  reach: Reach;
  /** Where messages may go that nobody has asked for there. */
  targets: OutboundTargets;
  live: Live;
  /** What was chosen for conversations. */
  settings: ConversationSettings;
  /** Which vibers there are, and who may talk to them. */
  vibers: ViberRules;
  /** What commands begin with, by channel id, for the channels that are on: `{ telegram: '/', slack: '/viber ' }`. */
  prefixes: Readonly<Record<string, string>>;
  attachRules: (address: Address) => AttachRules;
  /** Whether nothing of a text can be seen once a chat shows it. */
  isBlank: (text: string) => Promise<boolean>;
  /** Whether MEMORY.md, USER.md and the daily logs may stand in the prompt of a run whose answer goes there. */
  tellsMemory: (run: {
    principal: Principal;
    answered: readonly InboundMessage[];
    job: JobOrder | undefined;
  }) => Promise<boolean>;
}

/** Which model answers, what a call costs, and the loop that calls. */
export interface ModelCalls {
  agent: Agent;
  /** The model where a viber names none, `provider/model`. */
  modelName: () => string;
  /** The models themselves, by `provider/model`. */
  providers: ModelProviders;
  /** Which models there are, and what they cost. */
  choices: ModelChoices;
  /** Which model a conversation has chosen, where it has. */
  chosen: (address: Address) => { model?: string; thinking?: Thinking };
  /** What a viber's file says. Throws UserError when it cannot be used. */
  loadAgent: (viber: string) => Promise<OwnSettings>;
  meter: Meter;
  costs: Costs;
}

export interface ToolTable {
  toolbox: Toolbox;
  skills: SkillService;
  /** What may be named, of the skills those of these vibers. */
  names(vibers: readonly string[]): Promise<KnownNames>;
  /** What servers of tools keep for people to choose; absent where there are no servers. */
  prompts?: ServerPrompts | undefined;
  /** Adds, updates and removes skills, once it has been loaded. */
  adding: () => Promise<SkillAdding>;
}

/** What waits for a person. */
export interface Consent {
  approvals: Approvals;
  suspension: Pick<RunSuspension, keyof RunSuspension>;
  buttons: Buttons;
  questions: Questions;
}

/** What the tools of features are handed. */
export interface FeatureRun extends ToolRun {
  readonly gw: Gateway;
}

export type Feature = FeatureOf<Gateway, FeatureRun>;

/** What is there beside the way of a message. */
export interface Features extends FeatureSet<Gateway, FeatureRun> {
  /** The environment, which settings may name and keys may stand in. */
  env: NodeJS.ProcessEnv;
  /** What only one of several processes may do at a time. */
  lead: Lead;
  /** A link that logs an owner in on the Board, once; undefined where it cannot be reached. */
  boardLink(principal: Principal, address: Address): Promise<{ url: string; isHereOnly: boolean } | undefined>;
  metrics: Metrics;
  /** Absent where nobody asked for traces. */
  tracing?: Tracing | undefined;
}
