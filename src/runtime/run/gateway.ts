/**
 * The running program as one object: everything that runs, commands and events need. `openGateway` in `src/app/` builds
 * it, for the program and for tests alike. Modules below the runtime never see it. Types only.
 */

import type { AccessRules } from '../../access/authorise.ts';
import type { Languages, Zones } from '../../access/known.ts';
import type { Links } from '../../access/links.ts';
import type { OutboundTargets } from '../../access/outbound-targets.ts';
import type { Pairing } from '../../access/pairing.ts';
import type { People } from '../../access/people.ts';
import type { Principal } from '../../access/principal.ts';
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
import type { ContextLimits } from '../context/context.ts';
import type { Agent } from '../contract/agent.ts';
import type { Entry, JobOrder } from '../contract/entry.ts';
import type { FeatureOf, FeatureSet } from '../contract/feature.ts';
import type { News } from '../contract/news.ts';
import type { RunBudget } from '../contract/order.ts';
import type { OwnSettings, Thinking } from '../contract/settings.ts';
import type { Spending } from '../contract/spending.ts';
import type { Arrivals } from '../conversations/arrivals.ts';
import type { ConversationSettings, Conversations, ViberRules } from '../conversations/conversations.ts';
import type { Digests } from '../conversations/digests.ts';
import type { ExpectedAnswers } from '../conversations/expected.ts';
import type { OwnerNotifier } from '../conversations/owner-notifier.ts';
import type { Reach } from '../conversations/reach.ts';
import type { TaskRecords } from '../conversations/task-record.ts';
import type { Threads } from '../conversations/threads.ts';
import type { Delivery } from '../delivery.ts';
import type { Bus } from '../live/bus.ts';
import type { Live } from '../live/live.ts';
import type { SeenRuns } from '../live/seen.ts';
import type { ModelChoices } from '../model/choices.ts';
import type { HistorySettings, ModelProviders } from '../model/models.ts';
import type { Buttons } from '../reply/buttons.ts';
import type { Questions } from '../reply/questions.ts';
import type { AttachRules } from '../reply/render-answer.ts';
import type { ShownPlans } from '../reply/shown-plans.ts';
import type { ToolRun } from '../tools/run.ts';
import type { Lanes } from './work.ts';

export interface Gateway<Config = Settings> {
  home: Home;
  config: Config;
  engine: Engine<Entry>;
  people: PeopleStores;
  tasks: Tasks;
  places: Places;
  models: ModelCalls;
  consent: Consent;
  delivery: Delivery;
  /** Returns texts in the language of an address's readers, with commands as they are typed there. */
  say: (address: Address) => Messages;
  features: Features;
  log: Logger;
  clock: Clock;
}

/** The part of the configuration that the runtime uses; docs/configuration.md describes each key. */
export interface Settings {
  fallback: string[];
  maxSteps: number | 'auto';
  memory: ContextLimits['memory'] & { autoAccept: boolean };
  history: HistorySettings;
  /** Whether a task's first plan must be approved before any work. */
  planApproval: 'on' | 'off';
  web: { hosts: string[] };
  limits: { downloadBytes: number; filesPerMessage: number; queue: number; runs: number };
  voice: { echo: 'on' | 'off'; reply: 'off' | 'same' };
  engine: { kind: 'local' | 'redis' };
  jobs: { timezone?: string | undefined };
}

/** Identities, access of strangers, and each person's language. */
export interface PeopleStores extends People {
  pairing: Pairing;
  links: Links;
  languages: Languages;
  zones: Zones;
  owners: OwnerNotifier;
  rulesOf(address: Address): AccessRules;
  /** Returns a person's local time for the model. `mayAsk`: whether this run may ask them where they are. */
  nowFor(principal: Principal, turn: { run: string; mayAsk: () => boolean }): string;
}

export interface Tasks {
  /** State of events while they are being accepted. */
  arrivals: Arrivals;
  /** The lanes that this process works on. */
  lanes: Lanes;
  records: TaskRecords;
  conversations: Conversations;
  threads: Threads;
  digests: Digests;
  /** The messages that show plans. */
  shownPlans: ShownPlans;
  /** The questions that a person's next words answer. */
  expected: ExpectedAnswers;
  bus: Bus;
  news: Bus<News>;
  seen: SeenRuns;
  /** Makes an existing file durable within a moment. */
  syncSoon: (file: string) => void;
}

export interface Places {
  channelOf: (address: { channel: string }) => Channel | undefined;
  reach: Reach;
  /** Places where messages may go unprompted. */
  targets: OutboundTargets;
  live: Live;
  /** Settings that people chose for conversations. */
  settings: ConversationSettings;
  vibers: ViberRules;
  /** Prefixes of commands by the IDs of the enabled channels: `{ telegram: '/', slack: '/viber ' }`. */
  prefixes: Readonly<Record<string, string>>;
  attachRules: (address: Address) => AttachRules;
  /** Whether a text shows nothing visible once a chat renders it. */
  isBlank: (text: string) => Promise<boolean>;
  /** Whether the prompt of a run may contain MEMORY.md, USER.md and the daily logs, given where its answer goes. */
  tellsMemory: (run: {
    principal: Principal;
    answered: readonly InboundMessage[];
    job: JobOrder | undefined;
  }) => Promise<boolean>;
}

/** Model selection, the cost of calls, and the loop that makes them. */
export interface ModelCalls {
  agent: Agent;
  /** Returns the default model, `provider/model`. */
  modelName: () => string;
  /** The models themselves, by `provider/model`. */
  providers: ModelProviders;
  choices: ModelChoices;
  /** Returns a conversation's choice of model, if any. */
  chosen: (address: Address) => { model?: string; thinking?: Thinking };
  /**
   * Returns the settings of a viber's file.
   * @throws UserError if the file can't be used
   */
  loadAgent: (viber: string) => Promise<OwnSettings>;
  spending: Spending;
}

export interface Consent {
  approvals: Approvals;
  suspension: Pick<RunSuspension, keyof RunSuspension>;
  buttons: Buttons;
  questions: Questions;
}

export interface FeatureRun extends ToolRun {
  /** Absent in a run that a test creates. */
  readonly budget?: RunBudget | undefined;
  readonly gw: Gateway;
}

export type Feature = FeatureOf<Gateway, FeatureRun>;

/** Features and everything else that a message doesn't pass through. */
export interface Features extends FeatureSet<Gateway, FeatureRun> {
  /** The names of all our own tools, of features that are off too: no skill and no server of tools may use one. */
  reserved: readonly string[];
  /** The bundled skills that have code. */
  natives: readonly string[];
  /** The environment, which settings may refer to and which may contain keys. */
  env: NodeJS.ProcessEnv;
  /** Runs work that only one of several processes may do at a time. */
  lead: Lead;
  /** Returns where HTTP is served; undefined without a server. */
  served(): { host: string; port: number; origins: readonly string[] } | undefined;
  metrics: Metrics;
  /** Absent if tracing is off. */
  tracing?: Tracing | undefined;
}
