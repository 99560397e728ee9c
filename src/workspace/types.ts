/** The shapes that stand in files and travel in the task protocol (docs/protocol.md). Plain JSON, no behaviour. */
import type { Json } from '../lib/json.ts';

/** `skipped`: it stays in the plan and is not to be done. */
export type StepStatus = 'pending' | 'in_progress' | 'done' | 'skipped';

export interface PlanStep {
  id: string;
  title: string;
  status: StepStatus;
}

/** The structured form of a plan; its Markdown form is the `task.md`. */
export interface Plan {
  goal: string;
  steps: PlanStep[];
}

/** Metadata of an artifact. `ref` is a path relative to the home, for example `artifacts/<taskId>/<id>.md`; never content. */
export interface ArtifactRef {
  id: string;
  title: string;
  /** MIME type. */
  type: string;
  ref: string;
}

export type TaskState = 'pending' | 'running' | 'completed' | 'error' | 'stopped';

/** `artifacts/{taskId}/task.json`. States belong to the latest run. */
export interface TaskRecord {
  id: string;
  viber: string;
  goal: string;
  /** At most eight words: of the goal, of what a small model made of it, or as somebody has written it here. */
  title: string;
  /** The small model was asked for a title, whatever came of it. */
  named?: true;
  state: TaskState;
  /** Principals as text (`telegram:1001`) or `person:alex`, who may steer and stop it. */
  people: string[];
  /** Addresses as text with account, every conversation that has spoken to it. */
  conversations: string[];
  runs: number;
  /** What all its runs have used. */
  usage?: Usage;
  /** The last run that is counted in `usage`, and what stood there before: counted again after a crash, it counts once. */
  counted?: { run: string; before?: Usage };
  /** What its people let it do without being asked again. */
  always?: Consent[];
  /** Skills that its people have called by their names. */
  called?: string[];
  /** The plan that somebody approved (`plan_approval`). */
  approvedPlan?: { hash: string; by: string; at: string };
  /** The task that asked for it: an agent works on it for another. */
  parent?: string;
  /** The scheduled job whose run it is. */
  job?: string;
  /** The conversation, as a key, in which its digest goes on: each other one that was sent it has a copy. */
  digestAt?: string;
  /** ISO 8601. */
  createdAt: string;
  updatedAt: string;
}

/** "Always for this task": calls of a tool with arguments of one kind run without a question. */
export interface Consent {
  tool: string;
  /** In words; '' for any arguments. */
  kind: string;
  /** A principal as text. */
  by: string;
  /** ISO 8601. */
  at: string;
}

/** What a person, or the time that went by, decided about a call that waited. `wrote`: the person wrote something instead; `another`: they want it at another time. */
export type ApprovalVerdict = 'approve' | 'always' | 'deny' | 'expired' | 'answer' | 'another' | 'wrote' | 'stop';

/** Tokens of one or more model calls and their price. */
export interface Usage {
  /** All input, what the provider had cached included. */
  inputTokens: number;
  /** The part of the input that the provider had cached, where it tells. */
  cachedInputTokens?: number;
  outputTokens: number;
  /** Of the tokens whose price is known; absent where none is. */
  cost?: number;
  /** With `cost`. */
  currency?: string;
  /** Tokens whose price is not known. */
  unpricedTokens?: number;
}

/** A JSON value; what tools give back and what is stored of a model's messages. */
export type { Json };

/** One line of `agents/{viber}/sessions/{taskId}.jsonl`. The first line is the header. */
/** `epoch`: of whose lane it was when it was written, where several processes share the home. */
export type SessionEntry = { epoch?: number } & Entry;

type Entry =
  | { type: 'session'; version: 1; taskId: string; viber: string; createdAt: string }
  | {
      type: 'message';
      /** The spool key of the inbound message: appending it twice is noticed by it. */
      id: string;
      /** Of further messages that are part of this one. */
      also?: string[];
      run: string;
      at: string;
      /** When work on it began; absent in older lines. */
      takenAt?: string;
      /** What a program says was said before these words. */
      before?: { role: 'user' | 'assistant'; text: string }[];
      text: string;
      /** The person's own words, where `text` says more to the model: of files, quotes, and who speaks. */
      said?: string;
      from: { channel: string; user: string; name: string };
      /** Its run is on the word of a guest: nothing in it comes from memory or other files of the viber. */
      isGuest?: true;
      /** On which channel it was said, where that is not the one of `from`. */
      via?: string;
      /** Said in a group: everybody there has read it, and reads the answer. */
      isGroup?: true;
      /** A job's prompt: nobody has said it, and its answer is sent to people. */
      isJob?: true;
      files: ArtifactRef[];
      /** Of the files, by id, the voice messages whose words stand in the text: they are no more than those words. */
      spoken?: string[];
      /** Web addresses that one of the task's people typed in it; not those of quotes and files. */
      addresses?: string[];
    }
  /** A call waits for a person; with the `step` before it, where it has no result yet. Nothing of it has run. */
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
      /** A sum of what is shown beside the input. */
      shows?: string;
      /** What the tool says of the arguments' kind. */
      scope?: string;
      expiresAt?: string;
      /** Files that went along with the question. */
      artifactRefs?: ArtifactRef[];
    }
  /** What was decided about it; the call's result follows in a `step`. */
  | { type: 'decision'; run: string; at: string; approval: string; verdict: ApprovalVerdict; by: string }
  /** A side-effecting tool call is about to run; a `step` with this call, or nothing, follows. */
  | { type: 'call'; run: string; at: string; callId: string; tool: string }
  /** A call is about to carry so many characters out without a question, or to a person's own `address`; `run` is the outermost. */
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
  /** A finished step: the model's messages (assistant, tool) as JSON. `shown`: pictures that its tools have shown to the model. */
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
    }
  | {
      type: 'compaction';
      at: string;
      /** Stands for everything up to the run (or message) `through`, and for what the compactions before it stood for. */
      text: string;
      through: string;
      /** The byte of this file at which what it does not stand for begins. */
      covers?: number;
    };
