/**
 * Defines the gateway's answers as far as the page reads them. The gateway's routes are checked against these types at
 * compile time. What an older or newer gateway may omit is optional. Imports nothing.
 */

export interface Me {
  name: string;
  role: 'owner' | 'member' | 'guest';
  person?: string;
  principal: string;
  viber: string;
  vibers: readonly string[];
  version: string;
  language?: string;
  /** How many files a message can have. */
  filesPerMessage: number;
  session?: string;
  /** The command that connects a model, while answers come from the built-in one. */
  connectModel?: string;
  /** The task of the person's own conversation. */
  taskId?: string;
}

/** The commands and models that a message box offers. */
export interface Composing {
  commands?: readonly { name: string; description: string; argument?: string }[];
  /** The default model comes first. */
  models?: readonly { id: string; name: string }[];
  /** The model that answers now. */
  model?: { id: string; name: string };
  isUsual?: boolean;
  /** The level of thinking, if somebody has chosen one. */
  thinking?: string;
  levels?: readonly string[];
}

export type TaskState = 'pending' | 'running' | 'completed' | 'error' | 'stopped';

export interface TaskRow {
  taskId: string;
  title: string;
  goal?: string;
  state: TaskState;
  /** True while the task waits for somebody's answer. */
  waiting?: boolean;
  /** Its last run has completed, and steps of its plan are left. */
  open?: boolean;
  channel?: string;
  person?: string;
  viberId?: string;
  /** The name of the project that it works in. */
  project?: string;
  /** Lists leave it out. */
  archived?: boolean;
  updatedAt: string;
}

export interface TaskPage {
  tasks: readonly TaskRow[];
  next?: string;
  /** The position in the order of events up to which the page was read. */
  cursor?: string;
}

export interface FoundTask {
  taskId: string;
  title: string;
  goal: string;
  state: TaskState;
  updatedAt: string;
}

export interface FoundFile {
  taskId: string;
  title: string;
  type: string;
  ref: string;
  size?: number;
}

export interface FoundMessage {
  taskId: string;
  /** The title of its task. */
  title: string;
  at: string;
  /** Its ID among the task's messages. */
  id: string;
  /** Absent for the viber's own words. */
  who?: string;
  text: string;
  /** Where the sought words stand in the text: offset and length. */
  marks: readonly (readonly [number, number])[];
}

export interface Artifact {
  id: string;
  title: string;
  type: string;
  ref: string;
  size?: number;
}

export interface PlanStep {
  id: string;
  title: string;
  status: 'pending' | 'in_progress' | 'done' | 'skipped';
}

export interface PlanText {
  text: string;
  hash: string;
  plan?: { goal?: string; steps: readonly PlanStep[] };
}

export interface TaskDetail extends TaskRow {
  goal: string;
  plan?: PlanText;
  artifacts?: readonly Artifact[];
  createdAt?: string;
  runs?: number;
  cursor?: string;
}

export interface Message {
  id: string;
  /** The IDs of further messages merged into this one. */
  also?: readonly string[];
  role: 'user' | 'assistant';
  text: string;
  at: string;
  runId?: string;
  /** The run whose question it asks anew. */
  again?: string;
  name?: string;
  channel?: string;
  files?: readonly Artifact[];
  artifactRefs?: readonly Artifact[];
}

export interface MessagePage {
  messages: readonly Message[];
  next?: string;
}

/** What became of people's messages. */
export interface ReceiptCounts {
  messages: number;
  answered: number;
  /** The answers that say that something went wrong. */
  failed: number;
  stopped: number;
  waiting: number;
  givenUp: number;
  /** No answer is on record, and nothing waits. */
  unknown: number;
  /** Counts answers, as `unsure` does. */
  undelivered: number;
  unsure: number;
  /** Turns in tasks that have been deleted since. */
  deleted: number;
  restarts: number;
}

/** The counts with their time, in ISO 8601, and in sentences. */
export interface ReceiptShown extends ReceiptCounts {
  text: string;
  from: string;
  to: string;
}

/** What led to an answer, in sentences with Markdown. */
export interface Explanation {
  sections?: readonly {
    title: string;
    /** `to`: a page of the Board, or the `ref` of a file; `isPart`: it belongs to the line before. */
    lines: readonly { text: string; to?: string; isPart?: true }[];
  }[];
}

export interface Approval {
  id: string;
  taskId: string;
  title?: string;
  kind: 'tool' | 'plan' | 'question';
  sentence?: string;
  details?: string;
  tool?: string;
  digest: string;
  options?: readonly string[];
  labels?: { yes: string; no: string; always?: string; all?: string };
  askedAt?: string;
  expiresAt?: string;
}

export interface FileText {
  name: string;
  text: string;
  hash: string;
  place: string;
}

export interface FileRow {
  name: string;
  place: string;
  size?: number;
  exists: boolean;
}

export interface JobRow {
  id: string;
  name: string;
  schedule: string;
  words: string;
  timezone: string;
  state: 'on' | 'paused' | 'broken' | 'done';
  next: readonly string[];
  deliver: readonly string[];
  problem?: string;
  /** A sentence for each viber, model, skill, tool and chat that it names but that isn't there. */
  lacks?: readonly string[];
  lastRun?: { task: string; slot: string; state: 'running' | 'completed' | 'error' | 'stopped' };
}

export interface JobText {
  view: JobRow;
  text: string;
  hash: string;
}

export interface JobCheck {
  ok: boolean;
  problems?: readonly string[];
  words?: string;
  next?: readonly string[];
}

export interface Suggestion {
  id: string;
  section?: string;
  text: string;
  createdAt?: string;
  provenance?: string;
}

export interface MemoryHit {
  content: string;
  source_file?: string;
  section?: string;
  date?: string;
}

export interface ChannelHealth {
  state: 'off' | 'connecting' | 'connected' | 'reconnecting' | 'failed';
  detail?: string;
}

export interface Health {
  ready: boolean;
  channels: Readonly<Record<string, ChannelHealth>>;
  workspace: { writable: boolean; detail?: string };
  waiting: number;
  dead: number;
  unsure: number;
  oldestUndeliveredSeconds?: number | null;
  /** The command that connects a model, while answers come from the built-in one. */
  connectModel?: string;
}

/** A message or an answer that was given up, or that may or may not have arrived. */
export interface Letter {
  id: string;
  kind: 'dead' | 'unsure';
  reason: string;
  /** The chat that an answer goes to or a message came from. */
  to: string;
  text: string;
  /** ISO 8601. */
  diedAt: string;
}

export interface Sum {
  cost?: number;
  currency?: string;
  inputTokens?: number;
  outputTokens?: number;
  calls?: number;
}

export interface UsageSums {
  nextModel?: string | undefined;
  nextPerson?: string | undefined;
  nextTask?: string | undefined;
  days: readonly (Sum & { day: string })[];
  models: readonly (Sum & { model: string })[];
  people: readonly (Sum & { person: string })[];
  tasks: readonly (Sum & { task: string; title?: string })[];
  total: Sum;
}

export interface LogLine {
  at: string;
  level: string;
  msg: string;
  trace?: string;
  [field: string]: unknown;
}
