/** What runs are made with: one record, built once in `app/work.ts`. Each part names in its signature what it takes of it. Types only. */
import type { Principal } from '../../access/principal.ts';
import type { Address, Attachment, Channel, InboundMessage } from '../../channels/channel.ts';
import type { QueueItem, State } from '../../engine/engine.ts';
import type { Logger } from '../../log.ts';
import type { Said } from '../../messages/messages.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Tracing } from '../../telemetry/tracing.ts';
import type { Home } from '../../workspace/home.ts';
import type { Suspension } from '../approvals/suspend.ts';
import type { MemoryLimits } from '../context/context.ts';
import type { HistoryLimits } from '../context/history-window.ts';
import type { Agent } from '../contract/agent.ts';
import type { Entry, JobOrder } from '../contract/entry.ts';
import type { Play, Toolbox } from '../contract/order.ts';
import type { RunOutcome } from '../contract/outcome.ts';
import type { Reading } from '../contract/reading.ts';
import type { OwnSettings, Thinking } from '../contract/settings.ts';
import type { Conversations } from '../conversations/conversations.ts';
import type { Digests } from '../conversations/digests.ts';
import type { TaskRecords } from '../conversations/task-record.ts';
import type { Threads } from '../conversations/threads.ts';
import type { ViberRules } from '../conversations/vibers.ts';
import type { Meter } from '../costs/meter.ts';
import type { Delivery } from '../delivery.ts';
import type { Bus } from '../live/bus.ts';
import type { Live } from '../live/live.ts';
import type { Tell } from '../live/news.ts';
import type { AfterRun } from '../memory/after-run.ts';
import type { Compaction } from '../memory/compaction.ts';
import type { Titles } from '../memory/titles.ts';
import type { Buttons } from '../reply/buttons.ts';
import type { Rendering } from '../reply/render-answer.ts';
import type { JobAnswers } from './job-answers.ts';

/** The part of the configuration that every run looks at; docs/configuration.md says what each key means. */
export interface RunSettings {
  /** The model where a viber names none, `provider/model`. */
  modelName: () => string;
  fallback: string[];
  maxSteps: number | 'auto';
  memory: MemoryLimits & { auto_accept: boolean };
  history: HistoryLimits;
  /** Whether a task's first plan must be approved before anything is done. */
  plan_approval: 'on' | 'off';
  web: { hosts: string[] };
  limits: { downloadBytes: number; filesPerMessage: number };
  voice: { echo: 'on' | 'off'; reply: 'off' | 'same' };
}

export interface JobRuns {
  answers: JobAnswers;
  /** Told of each turn that is over; nothing happens for those that are no job's. */
  ended(entry: Entry, outcome: RunOutcome): void;
}

/** A turn whose answer may be spoken. */
export interface SpokenTurn {
  run: string;
  items: readonly QueueItem<Entry>[];
}

export interface RunServices {
  home: Home;
  log: Logger;
  settings: RunSettings;
  agent: Agent;
  bus: Bus;
  meter: Meter;
  /** What time it is for somebody, as the model is told; `mayAsk`: whether this run is one in which they may be asked where they are. */
  nowFor?: (principal: Principal, turn: { run: string; mayAsk: () => boolean }) => string;
  loadAgent: (viber: string) => Promise<OwnSettings>;
  toolbox?: Toolbox | undefined;
  /** Told of requests that had to leave something of their session out, and of each run that has its answer. */
  compaction?: Pick<Compaction, 'due' | 'ended'> | undefined;
  /** Told of each run that has its answer; absent where no small model is set. */
  titles?: Pick<Titles, 'ended'> | undefined;
  /** Which vibers there are; absent where there is only one. */
  vibers?: Pick<ViberRules, 'configured'>;
  /** Which model a conversation has chosen, where it has. */
  chosen?: (address: Address) => { model?: string; thinking?: Thinking };
  suspension: Suspension;
  channelOf: (address: Address) => Channel | undefined;
  /** How far threads were told; absent where there are none. */
  told?: Pick<State, 'get' | 'set'>;
  /** Takes the words out of recordings and documents. */
  reading: Reading;
  /** Speaks the answers to voice messages; absent where nothing is spoken. */
  speak?: ((turn: SpokenTurn, outcome: RunOutcome) => Promise<Attachment[]>) | undefined;
  /** Whether MEMORY.md, USER.md and the daily logs may stand in the prompt of a run whose answer goes there. */
  tellsMemory: (run: {
    principal: Principal;
    answered: readonly InboundMessage[];
    job: JobOrder | undefined;
  }) => Promise<boolean>;
  /** Plays playbooks; absent where there are none. */
  play?: Play | undefined;
  taskRecords: TaskRecords;
  conversations: Conversations;
  threads: Threads;
  /** What jobs have said; absent where there are none. */
  digests?: Pick<Digests, 'of' | 'unseen' | 'shown'>;
  live: Live;
  delivery: Delivery;
  buttons: Buttons;
  attachRules: Rendering['attachRules'];
  isBlank?: Rendering['isBlank'];
  /** What runs leave in the memory; absent where none is kept. */
  memory?: AfterRun | undefined;
  /** For the runs of scheduled jobs. */
  jobs?: JobRuns | undefined;
  /** Never rejects; the same id again has no effect. */
  tellOwners?: ((id: string, said: Said) => Promise<void>) | undefined;
  /** Told when a run begins and when it has its answer; absent where nobody can listen. */
  news?: Tell | undefined;
  /** Makes an existing file durable within a moment. */
  syncSoon: (file: string) => void;
  metrics: Metrics;
  /** Absent where nobody asked for traces. */
  tracing?: Tracing | undefined;
}
