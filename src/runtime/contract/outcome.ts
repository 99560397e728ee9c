/** The outcome of a run. Types only. */

import type { Attachment } from '../../channels/channel.ts';
import type { ArtifactRef, Plan, Usage } from '../../workspace/types.ts';
import type { ButtonAction } from './buttons.ts';
import type { Suggestion } from './memory.ts';
import type { TaskResult } from './task.ts';
import type { PlanChange } from './tool-scope.ts';

/** People get these with a question: the run's words since the last one, and its files. */
export interface QuestionContents {
  said: string;
  refs: ArtifactRef[];
}

export interface RunResults {
  refs: ArtifactRef[];
  pending: Suggestion[];
  plan: PlanChange | undefined;
  planBefore?: Plan;
  /** Listed below the answer if the model doesn't name them. */
  sources: { title: string; url: string }[];
  /** The agents that it asked, in order. */
  said: { agent: string; text?: string }[];
  /** It read more than its people's own words, so it stores no memory without a question. */
  hasLogs?: boolean;
}

export type Outcome =
  | Answer
  | { state: 'steered'; recordedAt?: undefined; failure?: undefined }
  | { state: 'shutdown'; recordedAt?: undefined; failure?: undefined }
  /** There was nothing to resume. */
  | { state: 'void'; recordedAt?: undefined; failure?: undefined };

/** An answer, as the source of the session's `result` line and of the text for people. */
export interface Answer extends TaskResult {
  /** When its result was written to the session; absent until then. */
  recordedAt?: string;
  failure?: string;
  /** What the provider said about an error, for `viber trace`. */
  providerSaid?: string;
  /** `waiting`: the run resumes once a person has decided; the text is the question. */
  state: 'completed' | 'error' | 'stopped' | 'waiting';
  usage?: Usage;
  error?: string;
  /** There was more to do than `maxSteps` allowed. */
  isCutShort?: true;
  buttons: ButtonAction[][];
  /** Decisions for the log of the day. */
  decisions?: string[];
  /** Suggestions that an owner is asked to accept. */
  asks?: Suggestion[];
  /** The built-in model's text, not worth a line in the day's log. */
  isTalk?: boolean;
  /** Folded below the text, or shown when the button is pressed. */
  details?: { text: string; button: ButtonAction };
  /** `artifactRefs` that people already received with a question. */
  handed?: string[];
  /** Attached whatever the rules for artifacts are. */
  files?: Attachment[];
}
