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
  /** A name in the form `provider/model`. */
  model: string;
  fallback: string[];
  /** Absent: the model's default. */
  thinking?: Thinking;
  /** The limit on model calls of the whole run, including those before a restart. */
  maxSteps: number;
  tools: RuntimeTool[];
  /** The person's language as a tag, for the built-in model and for text that is added to an answer. */
  language?: string;
  /**
   * The current state: plan, files and time. It comes right before the newest words, after everything that a provider
   * may cache.
   */
  standing?: string;
  /** Steps that this run finished before a restart; `messages` doesn't contain them. */
  resume: ResumedStep[];
  /** People's decisions about pending calls of the last step, by call ID. */
  verdicts?: ReadonlyMap<string, Verdict>;
}

/** A call that is pending until a person decides. */
export interface WaitingCall {
  callId: string;
  tool: string;
  input: Json;
  /** A digest of what the question shows beside the arguments, for a call that waits before it runs. */
  shows?: string;
  /** The time when that was read, ISO 8601. */
  at?: string;
  /** The pending run of another agent that this call asks, at any depth. */
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
 * What happens to a call after a decision. `run` runs it with exactly this input; if what was shown beside the input
 * (`shows`) has changed, the person is asked again. `note` is added to the result. `at` asks again, with the time that
 * a person named. `value` and `error` give the model a result or a reason instead of running the call.
 */
export type Verdict =
  | { run: Json; shows?: string; note?: string }
  | { at: string; input: Json }
  | { value: Json }
  | { error: string };

/** A line of a step in the session: messages of the model (assistant, tool). */
export interface StepPart {
  index: number;
  messages: Json[];
}

export interface AgentHooks {
  /** Aborting it ends the run with RunError `stopped`, whose cause is the reason. */
  signal: AbortSignal;
  /**
   * Reports live progress. A `state-change` to `thinking` voids the text since the previous one: a step, or another try
   * of it, begins.
   */
  onEvent(event: AgentStreamEvent): void;
  /**
   * Awaited before an `external` tool runs, once its turn has come. If it rejects, the tool doesn't run and the run
   * ends. `said` is what the model said with the call, if no line of its step has been written yet.
   */
  onCall(call: { callId: string; tool: string }, said?: StepPart): Promise<void>;
  /**
   * Awaited for each part of a step with calls: what the model said comes with its first result, and each further
   * result comes as its call ends. A step is complete before the next one begins. If it rejects, the run ends.
   */
  onStep(step: StepPart): Promise<void>;
  /** Returns pictures from tools of the steps noted so far that the model hasn't seen yet. */
  takeShown?: () => readonly InputFile[];
  /**
   * Called before each tool call and model call. If it throws, the call isn't made and the run ends with that error.
   */
  check?: () => void;
  /** Called before each model call. If it throws, the call isn't made and the run ends with that error. */
  beforeCall?: () => void;
  watch?: Pick<TurnWatch, 'model' | 'tool'>;
  /**
   * Called when a model call has ended, also if it failed or was aborted midway; `ms` is its duration. Must not throw.
   */
  onUsage?: (model: string, usage: CallUsage, ms: number) => void;
}

export interface Beside {
  /** Empty if the step had no text beside its calls. */
  text: string;
  tools: string[];
  /** Whether the text belongs to the answer: the calls succeeded and only left something beside the answer. */
  isAside: boolean;
}

/** A file of the newest messages that the model wasn't shown. */
export interface UnseenFile {
  name: string;
  why: Wording;
  /** The file's pages aren't shown. That is worth mentioning only if the model can look at pages. */
  isPages?: true;
}

export interface AgentOutcome {
  /** Markdown for the person, never empty. */
  text: string;
  /** The steps before that text, oldest first. */
  beside?: Beside[];
  /** The model that answered last. */
  model: string;
  /** The number of model calls of the whole run. */
  steps: number;
  finish: 'stop' | 'max-steps' | 'length' | 'content-filter' | 'stuck' | 'parked';
  /** Tools did something, but no model said anything about it. */
  isWordless?: true;
  /** Files that the person must hear about. */
  unseen?: UnseenFile[];
  /**
   * The pending calls in their order, set with `parked`. The text is then what the model said with them and may be
   * empty.
   */
  parked?: WaitingCall[];
  /** Tokens of the steps that ran in this process, not of those before a restart. */
  usage: { inputTokens: number; outputTokens: number; cachedInputTokens?: number };
}

/** Times in ms (promise 9). */
export interface Timeouts {
  /** The limit until a connection to the provider is open. */
  connect: number;
  /** The limit from the call to the first piece of text, reasoning or a tool call. */
  firstToken: number;
  /** The limit between two later pieces. */
  idle: number;
  /** The limit for the whole run, including tools. */
  run: number;
  /** The pause before a model is asked again, if the provider names none. */
  retry: number;
  /** The longest pause that is waited for; if a provider wants a longer one, the run doesn't wait. */
  maxRetryAfter: number;
}

export interface Agent {
  /** @throws RunError, or the error that a hook threw */
  run(request: AgentRequest, hooks: AgentHooks): Promise<AgentOutcome>;
  /**
   * Loads what the first run needs, so that it starts without delay. Never rejects: the run itself reports the error.
   */
  preload(model?: string): Promise<void>;
}
