/**
 * Defines what programs send along with their text and receive along with an answer. Part of the channel interface;
 * types only.
 */

/** A file's metadata, never its content. */
export interface GivenArtifact {
  id: string;
  title: string;
  type: string;
  ref: string;
}

/** Context that a program supplies, replacing what is on disk field by field. Only program channels set it. */
export interface SuppliedContext {
  /** The goal of a new task, if the text alone doesn't say it. */
  goal?: string;
  /** The conversation before this text, oldest first. */
  messages?: readonly { role: 'user' | 'assistant'; text: string }[];
  /** The task's plan from now on: Markdown, or goal and steps. */
  plan?:
    | string
    | {
        goal: string;
        steps: { id: string; title: string; status: 'pending' | 'in_progress' | 'done' | 'skipped' }[];
      };
  memory?: string;
  /** The folder that a new task works in, if it is an allowed project of the person; each run checks it. */
  project?: string;
  /** The program's instructions for this text; the gateway's own and the viber's come first. */
  instructions?: string;
  artifacts?: readonly GivenArtifact[];
  /** The run whose question is asked anew: its answer makes way for the new one. */
  again?: string;
  /** How the text is handled if the task is busy; overrides the conversation's choice. */
  mode?: 'steer' | 'collect' | 'followup';
}

/** The end of a run as reported to programs; `taskId` and `runId` also name it in the home. */
export interface EndedRun {
  taskId: string;
  runId: string;
  state: 'completed' | 'error' | 'stopped';
  text: string;
  /** Plain text of at most 300 characters. */
  summary: string;
  artifactRefs: readonly GivenArtifact[];
}
