/** What programs give along with their words, and what they are given beside an answer. Part of the seam; types only. */

/** Metadata of a file: never content. */
export interface GivenArtifact {
  id: string;
  title: string;
  /** MIME type. */
  type: string;
  ref: string;
}

/** Takes the place of what is on disk, field by field; only where programs come in does anybody set it. */
export interface Given {
  /** What a task that begins is about, where the words alone do not say it. */
  goal?: string;
  /** What was said before these words, oldest first. */
  messages?: readonly { role: 'user' | 'assistant'; text: string }[];
  /** Markdown, or goal and steps: the task's plan from now on. */
  plan?:
    | string
    | {
        goal: string;
        steps: { id: string; title: string; status: 'pending' | 'in_progress' | 'done' | 'skipped' }[];
      };
  memory?: string;
  artifacts?: readonly GivenArtifact[];
  /** What becomes of the words when they find the task at work, whatever its conversation has chosen. */
  mode?: 'steer' | 'collect' | 'followup';
}

/** The end of a run as programs are told it; `taskId` and `runId` name it in the home as well. */
export interface EndedRun {
  taskId: string;
  runId: string;
  state: 'completed' | 'error' | 'stopped';
  text: string;
  /** Plain text of at most 300 characters. */
  summary: string;
  artifactRefs: readonly GivenArtifact[];
}
