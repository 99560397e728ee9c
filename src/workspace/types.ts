/** The shapes that stand in files and travel in the task protocol (docs/protocol.md). Plain JSON, no behaviour. */

export type StepStatus = 'pending' | 'in_progress' | 'done';

export interface PlanStep {
  id: string;
  title: string;
  status: StepStatus;
}

/** The structured form of a plan; its Markdown form is the `task.md` of S4. */
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

/** `artifacts/{taskId}/task.json`. States belong to the latest run (C33). */
export interface TaskRecord {
  id: string;
  viber: string;
  goal: string;
  /** At most eight words of the goal. */
  title: string;
  state: TaskState;
  /** Principals as text (`telegram:1001`) or `person:alex`, who may steer and stop it. */
  people: string[];
  /** Addresses as text with account, every conversation that has spoken to it. */
  conversations: string[];
  runs: number;
  parent?: string;
  /** ISO 8601. */
  createdAt: string;
  updatedAt: string;
}

/** A JSON value; what tools give back and what is stored of a model's messages. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** One line of `agents/{viber}/sessions/{taskId}.jsonl`. The first line is the header. */
export type SessionEntry =
  | { type: 'session'; version: 1; taskId: string; viber: string; createdAt: string }
  | {
      type: 'message';
      /** The spool key of the inbound message: appending it twice is noticed by it. */
      id: string;
      run: string;
      at: string;
      text: string;
      from: { channel: string; user: string; name: string };
      files: ArtifactRef[];
    }
  /** A side-effecting tool call is about to run; a `step` with this call, or nothing, follows. */
  | { type: 'call'; run: string; at: string; callId: string; tool: string }
  /** A finished step: the model's messages (assistant, tool) as JSON. */
  | { type: 'step'; run: string; at: string; index: number; messages: Json[]; artifactRefs?: ArtifactRef[] }
  | {
      type: 'result';
      run: string;
      at: string;
      state: Exclude<TaskState, 'pending' | 'running'>;
      text: string;
      summary: string;
      artifactRefs: ArtifactRef[];
      usage?: { inputTokens: number; outputTokens: number };
      error?: string;
    }
  | { type: 'compaction'; at: string; text: string; through: string };
