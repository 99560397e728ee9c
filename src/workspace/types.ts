/** Types that are stored in files and sent in the task protocol (docs/protocol.md). Plain JSON, no behaviour. */
import type { Json } from '../lib/json.ts';

/** A `skipped` step stays in the plan and isn't done. */
export type StepStatus = 'pending' | 'in_progress' | 'done' | 'skipped';

export interface PlanStep {
  id: string;
  title: string;
  status: StepStatus;
}

export interface Plan {
  goal: string;
  steps: PlanStep[];
}

/** `ref` is a path relative to the home, such as `artifacts/<taskId>/<id>.md`, and never content. */
export interface ArtifactRef {
  id: string;
  title: string;
  type: string;
  ref: string;
}

export type TaskState = 'pending' | 'running' | 'completed' | 'error' | 'stopped';

/** `artifacts/{taskId}/task.json`. `state` is that of the latest run. */
export interface TaskRecord {
  id: string;
  viber: string;
  goal: string;
  /** Has at most eight words, from the goal or a small model, unless a person chose it. */
  title: string;
  /** A small model was asked for a title, with or without success. */
  named?: true;
  state: TaskState;
  /** Principals as text (`telegram:1001`), or `person:alex`, who may steer and stop it. */
  people: string[];
  /** Addresses as text, with account, that have spoken to it. */
  conversations: string[];
  runs: number;
  /** Until a run has completed, the next message gives the task its goal and title. Absent in old records. */
  answered?: boolean;
  usage?: Usage;
  /** The last run in `usage`, and the usage before it: counted again after a crash, it counts once. */
  counted?: { run: string; before?: Usage };
  /** Permissions to act without asking again. */
  always?: Consent[];
  /** Skills that its people called by name. */
  called?: string[];
  /** The plan that a person approved (`planApproval`). */
  approvedPlan?: { hash: string; by: string; at: string };
  /** The task that delegated this one to an agent. */
  parent?: string;
  job?: string;
  /** The folder of the project that it works in: absolute, without links. */
  project?: string;
  /** A conversation's key: its digest continues there, and the other recipients have a copy. */
  digestAt?: string;
  /** When a person archived it; removed when somebody writes to it. ISO 8601. */
  archived?: string;
  /** ISO 8601. */
  createdAt: string;
  updatedAt: string;
}

/** "Always for this task": calls of a tool with one kind of arguments run without a question. */
/** The calls that a consent covers. */
export interface ConsentKey {
  tool: string;
  kind: string;
}

export interface Consent extends ConsentKey {
  by: string;
  /** ISO 8601. */
  at: string;
}

/** A further call that the question is about. */
export interface AskedCall {
  callId: string;
  input: Json;
  digest: string;
  shows?: string;
}

/** `wrote`: the person wrote something instead; `another`: they want it at another time. */
export type ApprovalVerdict = 'approve' | 'always' | 'deny' | 'expired' | 'answer' | 'another' | 'wrote' | 'stop';

/** Tokens of model calls, and their price. */
export interface Usage {
  /** All input, including what the provider had cached. */
  inputTokens: number;
  /** The cached part of the input, where the provider reports it. */
  cachedInputTokens?: number;
  outputTokens: number;
  /** Absent when no price is known. */
  cost?: number;
  /** Set with `cost`. */
  currency?: string;
  /** Tokens with an unknown price. */
  unpricedTokens?: number;
}

export type { Json };

/**
 * A line of `agents/{viber}/sessions/{taskId}.jsonl`. Where several processes share the home, `epoch` is that of the
 * lane's owner who wrote it.
 */
export type SessionEntry = { epoch?: number } & Entry;

type Entry =
  | { type: 'session'; version: 1; taskId: string; viber: string; createdAt: string }
  | {
      type: 'message';
      /** The spool key of the inbound message, so that it isn't appended twice. */
      id: string;
      /** Messages merged into this one. */
      also?: string[];
      run: string;
      at: string;
      /** When work on it began; absent in older lines. */
      takenAt?: string;
      /** Messages that, according to a program, came before this one. */
      before?: { role: 'user' | 'assistant'; text: string }[];
      text: string;
      /** The person's own words, where `text` adds files, quotes or the speaker for the model. */
      said?: string;
      from: { channel: string; user: string; name: string };
      /** A guest started the run: nothing in it comes from memory or other files of the viber. */
      isGuest?: true;
      /** The channel it was said on, where it differs from that of `from`. */
      via?: string;
      /** The run whose question it asks anew: what reads as an answer is the newest one, and both stay here. */
      again?: string;
      /** Said in a group: everybody there has read it, and reads the answer. */
      isGroup?: true;
      /** A job's prompt: nobody said it, and its answer is sent to people. */
      isJob?: true;
      files: ArtifactRef[];
      /** IDs of files that are voice messages with their transcript in `text`; they contain nothing else. */
      spoken?: string[];
      /** Web addresses that one of the task's people typed in it; not those of quotes and files. */
      addresses?: string[];
    }
  /** A call waits for a person; the `step` before it lacks its result. None of it has run. */
  | {
      type: 'approval';
      id: string;
      run: string;
      at: string;
      kind: 'tool' | 'plan' | 'question';
      callId: string;
      tool: string;
      input: Json;
      /** SHA-256 of tool, input and what is shown beside it, or of the plan. */
      digest: string;
      /** Hash of what is shown beside the input. */
      shows?: string;
      /** The tool's description of the arguments' kind. */
      scope?: string;
      expiresAt?: string;
      artifactRefs?: ArtifactRef[];
      /** Other calls of the step that the same question is about. */
      more?: AskedCall[];
    }
  /** The decision about it; the call's result follows in a `step`. */
  | { type: 'decision'; run: string; at: string; approval: string; verdict: ApprovalVerdict; by: string }
  /** A call with side effects is about to run; a `step` follows, unless it is interrupted. */
  | { type: 'call'; run: string; at: string; callId: string; tool: string }
  /**
   * A call is about to send so many characters out without a question, or to a person's own `address`; `run` is the
   * outermost.
   */
  | {
      type: 'sent';
      run: string;
      at: string;
      callId: string;
      tool: string;
      digest: string;
      characters: number;
      address?: string;
    }
  /** A finished step: the model's messages (assistant, tool). `shown`: pictures that its tools showed to the model. */
  | {
      type: 'step';
      run: string;
      at: string;
      index: number;
      messages: Json[];
      artifactRefs?: ArtifactRef[];
      shown?: ArtifactRef[];
    }
  | {
      type: 'result';
      decisions?: string[];
      run: string;
      at: string;
      state: Exclude<TaskState, 'pending' | 'running'>;
      text: string;
      summary: string;
      artifactRefs: ArtifactRef[];
      usage?: Usage;
      error?: string;
      /** What the provider said about the error. */
      providerSaid?: string;
    }
  | {
      type: 'compaction';
      at: string;
      /** Replaces everything up to the run (or message) `through`. */
      text: string;
      through: string;
      /** The byte offset in this file after which entries aren't replaced. */
      covers?: number;
    };
