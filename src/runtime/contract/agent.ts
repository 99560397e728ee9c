/** The input and the outcome of an agent run, and the hooks that it calls. */
import type { AgentStreamEvent } from '../../channels/channel.ts';
import type { Wording } from '../../messages/messages.ts';
import type { Json, SessionEntry } from '../../workspace/types.ts';
import type { CallUsage } from './call-usage.ts';
import type { Thinking } from './settings.ts';
import type { InputFile, ResumedStep, RuntimeTool, TaskRequest } from './task.ts';
import type { TurnWatch } from './watch.ts';

export interface AgentRequest extends TaskRequest {
  taskId: string;
  runId: string;
  viber: string;
  /** Parts of the system prompt; the part that changes least comes first. */
  instructions: string[];
  model: string;
  fallback: string[];
  thinking?: Thinking;
  /** Includes those before a restart. */
  maxSteps: number;
  /** Model calls of the parts of this run, which count as its own; absent if it can't have any. */
  ofParts?: () => number;
  tools: RuntimeTool[];
  /** The person's language as a tag, for the built-in model and for text that is added to an answer. */
  language?: string;
  /** Plan, files and time; comes right before the newest words, after everything that a provider may cache. */
  standing?: string;
  /** Steps that this run finished before a restart; `messages` doesn't contain them. */
  resume: ResumedStep[];
  /** People's decisions about pending calls of the last step, by call ID. */
  verdicts?: ReadonlyMap<string, Verdict>;
}

export interface WaitingCall {
  callId: string;
  tool: string;
  input: Json;
  /** A digest of what the question shows beside the arguments, for a call that waits before it runs. */
  shows?: string;
  at?: string;
  /** The pending run, at any depth, of another agent that this call asks. */
  below?: Waiting;
}

/** A run that waits for a person, with its input and the session that holds the call. */
export interface Waiting {
  waiting: AgentOutcome;
  tools: readonly RuntimeTool[];
  viber: string;
  run: string;
  earlier: readonly SessionEntry[];
}

/** Thrown by a tool that asks another agent when that agent waits for a person: the call waits too. */
export class WaitsBelow extends Error {
  readonly below: Waiting;

  constructor(below: Waiting) {
    super(`${below.viber} waits for a person`);
    this.below = below;
  }
}

/**
 * `run` runs the call with exactly this input; the person is asked again if what was shown beside it (`shows`) has
 * changed. `note` is added to the result. `at` asks again, with the time that a person named. `value` and `error` give
 * the model a result or a reason instead.
 */
export type Verdict =
  | { run: Json; shows?: string; note?: string }
  | { at: string; input: Json }
  | { value: Json }
  | { error: string };

/** Messages of the model (assistant, tool). */
export interface StepPart {
  index: number;
  messages: Json[];
}

export interface AgentHooks {
  /** Aborting it ends the run with RunError `stopped`, whose cause is the reason. */
  signal: AbortSignal;
  /**
   * Live progress. A `state-change` to `thinking` voids the text since the previous one: a step, or another try of it,
   * begins.
   */
  onEvent(event: AgentStreamEvent): void;
  /**
   * Awaited before an `external` tool runs, once its turn has come; if it rejects, the run ends without it. `said` is
   * what the model said with the call, if no line of its step has been written yet.
   */
  onCall(call: { callId: string; tool: string }, said?: StepPart): Promise<void>;
  /**
   * Awaited for each part of a step: what the model said comes with its first result, each further result as its call
   * ends. A step is complete before the next one begins; if this rejects, the run ends.
   */
  onStep(step: StepPart): Promise<void>;
  takeShown?: () => readonly InputFile[];
  /** Called before each tool call and model call; if it throws, the run ends without the call. */
  check?: () => void;
  /** The same, before model calls only. */
  beforeCall?: () => void;
  watch?: Pick<TurnWatch, 'model' | 'tool'>;
  /** Called at the end of each model call, also a failed or aborted one. Must not throw. */
  onUsage?: (model: string, usage: CallUsage, ms: number) => void;
}

export interface Beside {
  text: string;
  tools: string[];
  /** Whether the text belongs to the answer: the calls succeeded and only left something beside the answer. */
  isAside: boolean;
}

export interface UnseenFile {
  name: string;
  why: Wording;
  /** Worth mentioning only to a model that can look at pages. */
  isPages?: true;
}

export interface AgentOutcome {
  text: string;
  /** The steps before that text, oldest first. */
  beside?: Beside[];
  model: string;
  steps: number;
  finish: 'stop' | 'other-tools' | 'max-steps' | 'length' | 'content-filter' | 'stuck' | 'parked';
  /** Tools did something, but no model said anything about it. */
  isWordless?: true;
  /** Files that the person must be told about. */
  unseen?: UnseenFile[];
  /** Set with `parked`, in their order; the text is what the model said with them and may be empty. */
  parked?: WaitingCall[];
  /** Tokens of the steps that ran in this process, not of those before a restart. */
  usage: { inputTokens: number; outputTokens: number; cachedInputTokens?: number };
}

export interface Timeouts {
  connect: number;
  /** Until the first piece of text, reasoning or a tool call. */
  firstToken: number;
  idle: number;
  run: number;
  retry: number;
  /** A provider that wants a longer pause isn't waited for. */
  maxRetryAfter: number;
}

export interface Agent {
  /** @throws RunError, or the error that a hook threw */
  run(request: AgentRequest, hooks: AgentHooks): Promise<AgentOutcome>;
  /** Loads what the first run needs. Never rejects: the run itself reports the error. */
  preload(model?: string): Promise<void>;
}
