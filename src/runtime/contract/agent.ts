/** What goes into a run and what comes out of it. */
import type { AgentStreamEvent } from '../../channels/channel.ts';
import type { Said } from '../../messages/messages.ts';
import type { Json, SessionEntry } from '../../workspace/types.ts';
import type { CallUsage } from './call-usage.ts';
import type { Thinking } from './settings.ts';
import type { InputFile, ResumedStep, RuntimeTool, TaskRequest } from './task.ts';
import type { TurnWatch } from './watch.ts';

export interface AgentRequest extends TaskRequest {
  taskId: string;
  runId: string;
  viber: string;
  /** System parts, the one that changes least first. */
  instructions: string[];
  /** `provider/model`. */
  model: string;
  fallback: string[];
  /** Absent: as the model usually does. */
  thinking?: Thinking;
  /** Model calls of the whole run, those before a restart included. */
  maxSteps: number;
  tools: RuntimeTool[];
  /** Of the person, as a tag: for the built-in model, and for what is added to an answer. */
  language?: string;
  /** What stands now: plan, files, the time. Told before the newest words, behind all that a provider may cache. */
  standing?: string;
  /** Steps of this run finished before a restart; they are not in `messages`. */
  resume: ResumedStep[];
  /** What people decided about calls of the last step that wait for them, by the call's id. */
  verdicts?: ReadonlyMap<string, Verdict>;
}

/** A call that waits for a person. */
export interface WaitingCall {
  callId: string;
  tool: string;
  input: Json;
  /** A sum of what the question shows beside the arguments, for a call that waits before it runs. */
  shows?: string;
  /** When that was looked at, ISO 8601. */
  at?: string;
  /** Where it asks another agent: what waits there, however far down. */
  below?: Waiting;
}

/** A run that waits for a person: whose session holds the call, and what went in. */
export interface Waiting {
  waiting: AgentOutcome;
  tools: readonly RuntimeTool[];
  viber: string;
  run: string;
  earlier: readonly SessionEntry[];
}

/** Thrown by a tool that asks another agent, when that waits for a person: so does its call. */
export class WaitsBelow extends Error {
  readonly below: Waiting;

  constructor(below: Waiting) {
    super(`${below.viber} waits for a person`);
    this.below = below;
  }
}

/**
 * The call runs with exactly this input, if what was shown beside it is still so, and is asked about again where it is not; or it does
 * not, and the model gets a result or a reason in its place. `at`: it is asked about anew, with the time that a person has named; `note`
 * then goes along with its result.
 */
export type Verdict =
  | { run: Json; shows?: string; note?: string }
  | { at: string; input: Json }
  | { value: Json }
  | { error: string };

/** A line of a step in the session: the model's messages (assistant, tool). */
export interface StepPart {
  index: number;
  messages: Json[];
}

export interface AgentHooks {
  /** Its abort ends the run with RunError `stopped`, whose cause is the reason. */
  signal: AbortSignal;
  /**
   * Live progress. A `state-change` to `thinking` voids the text told since the last one: a step, or another try of it,
   * begins.
   */
  onEvent(event: AgentStreamEvent): void;
  /**
   * Awaited before an `external` tool runs, when its turn has come. When it rejects, the tool does not run and the run ends. `said`:
   * what the model said with the call, where no line of its step is written yet.
   */
  onCall(call: { callId: string; tool: string }, said?: StepPart): Promise<void>;
  /**
   * Awaited for each part of a step with calls: what the model said with its first result, each further result as its call ends. A step
   * is whole before the next begins. When it rejects, the run ends.
   */
  onStep(step: StepPart): Promise<void>;
  /** Pictures that the tools of the steps noted so far have shown and the model has not seen. */
  takeShown?: () => readonly InputFile[];
  /** Before each tool and model call. When it throws, nothing of it is done and the run ends with that error. */
  check?: () => void;
  /** Before each model call. When it throws, the call is not made and the run ends with that error. */
  beforeCall?: () => void;
  watch?: Pick<TurnWatch, 'model' | 'tool'>;
  /** A model call has ended, also one that failed or was aborted on its way; `ms` after it began. Must not throw. */
  onUsage?: (model: string, usage: CallUsage, ms: number) => void;
}

/** A step that called tools. */
export interface Beside {
  /** '' when it said nothing with them. */
  text: string;
  tools: string[];
  /** The words belong to the answer: the calls only left something beside it, and have ended well. */
  isAside: boolean;
}

/** A file of the newest messages that the model was not shown. */
export interface Unseen {
  name: string;
  why: Said;
  /** Its pages are not shown: that is news only where the model looks at pages. */
  isPages?: true;
}

export interface AgentOutcome {
  /** Markdown for the person, never empty. */
  text: string;
  /** The steps before that text, oldest first. */
  beside?: Beside[];
  /** The model that answered last. */
  model: string;
  /** Model calls of the whole run. */
  steps: number;
  finish: 'stop' | 'max-steps' | 'length' | 'content-filter' | 'stuck' | 'parked';
  /** Tools have done something, and no model had a word to say about it. */
  isWordless?: true;
  /** The person has to be told of these. */
  unseen?: Unseen[];
  /** With `parked`: the calls that wait, in their order; the text is what the model said with them, and may be empty. */
  parked?: WaitingCall[];
  /** Tokens of the steps run here, not of those before a restart. */
  usage: { inputTokens: number; outputTokens: number; cachedInputTokens?: number };
}

/** In milliseconds (promise 9). */
export interface Timeouts {
  /** Until a connection to the provider stands. */
  connect: number;
  /** From the call to the first piece of text, reasoning or a tool call. */
  firstToken: number;
  /** Between two pieces after that. */
  idle: number;
  /** The whole run, tools included. */
  run: number;
  /** Pause before a model is asked again, where the provider names none. */
  retry: number;
  /** A provider that wants a longer pause than this is not waited for. */
  maxRetryAfter: number;
}

export interface Agent {
  /** Throws RunError, or the error a hook threw. */
  run(request: AgentRequest, hooks: AgentHooks): Promise<AgentOutcome>;
  /**
   * Loads what the first run needs, so that it does not wait for it. Never rejects: the run itself will say what is
   * wrong.
   */
  preload(model?: string): Promise<void>;
}
