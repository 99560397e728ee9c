/**
 * Defines the gateway's answers as far as the page reads them. The gateway's routes are checked against these types at
 * compile time. What an older or newer gateway may omit is optional. Imports nothing.
 */

export interface Me {
  name: string;
  role: 'owner' | 'member' | 'guest';
  person?: string;
  principal?: string;
  viber: string;
  vibers?: readonly ({ id: string } | string)[];
  version?: string;
  language?: string;
  /** How many files a message can have. */
  filesPerMessage?: number;
  session?: string;
  /** The command that connects a model, while answers come from the built-in one. */
  connectModel?: string;
  /** The task of the person's own conversation. */
  taskId?: string;
}

export type TaskState = 'pending' | 'running' | 'completed' | 'error' | 'stopped';

export interface TaskRow {
  taskId: string;
  title: string;
  goal?: string;
  state: TaskState;
  /** True while the task waits for somebody's answer. */
  waiting?: boolean;
  channel?: string;
  person?: string;
  viberId?: string;
  updatedAt: string;
}

export interface TaskPage {
  tasks: readonly TaskRow[];
  next?: string;
  /** The position in the order of events up to which the page was read. */
  cursor?: string;
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
  name?: string;
  channel?: string;
  files?: readonly Artifact[];
  artifactRefs?: readonly Artifact[];
}

export interface MessagePage {
  messages: readonly Message[];
  next?: string;
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
  askedAt?: string;
  expiresAt?: string;
}

export interface FileText {
  name: string;
  text: string;
  hash: string;
  place?: string;
}

export interface FileRow {
  name: string;
  place?: string;
  size?: number;
  exists?: boolean;
  about?: string;
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
  workspace?: { writable: boolean; detail?: string };
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
  total?: Sum;
}

export interface LogLine {
  at: string;
  level: string;
  msg: string;
  trace?: string;
  [field: string]: unknown;
}
