/** The outcome of a run. Types only. */

import type { Attachment } from '../../channels/channel.ts';
import type { ArtifactRef, Plan, Usage } from '../../workspace/types.ts';
import type { ButtonAction } from './buttons.ts';
import type { Suggestion } from './memory.ts';
import type { TaskResult } from './task.ts';
import type { PlanChange } from './tool-scope.ts';

/** Everything that people get with a question: the run's words since the last one, and the files it has made. */
export interface QuestionContents {
  said: string;
  refs: ArtifactRef[];
}

/** Results that the tools of a run have left for its answer. */
export interface RunResults {
  refs: ArtifactRef[];
  pending: Suggestion[];
  plan: PlanChange | undefined;
  planBefore?: Plan;
  /** Pages that the answer may rest on. They are listed below it if the model doesn't name them. */
  sources: { title: string; url: string }[];
  /** The agents that it asked, in the order of asking, with their answers; they are listed below the run's answer. */
  said: { agent: string; text?: string }[];
  /** The run read more than its people's own words: it stores no memory without a question. */
  hasLogs?: boolean;
}

export type Outcome =
  | Answer
  /** The turn has no answer: the next turn continues it and answers its messages. */
  | { state: 'steered'; recordedAt?: undefined; failure?: undefined }
  /** The process ends before anything was settled. */
  | { state: 'shutdown'; recordedAt?: undefined; failure?: undefined }
  /** There was nothing to resume. */
  | { state: 'void'; recordedAt?: undefined; failure?: undefined };

/** An answer, as the source of the session's `result` line and of the text for people. */
export interface Answer extends TaskResult {
  /** The time when its result was written to the session, ISO 8601; absent until then. */
  recordedAt?: string;
  /** A word for the failure, if it failed. */
  failure?: string;
  /** `waiting`: the run resumes once a person has decided; the text is the question. */
  state: 'completed' | 'error' | 'stopped' | 'waiting';
  usage?: Usage;
  error?: string;
  /** There was more to do than `maxSteps` allowed. */
  isCutShort?: true;
  buttons: ButtonAction[][];
  /** Decisions for the log of the day. */
  decisions?: string[];
  /** Memory suggestions that an owner is asked to accept. */
  asks?: Suggestion[];
  /** Text of the built-in model that did nothing, so it isn't worth a line in the day's log. */
  isTalk?: boolean;
  /** Folded below the text, or shown when the button is pressed. */
  details?: { text: string; button: ButtonAction };
  /** IDs of `artifactRefs` that people already received with a question. */
  handed?: string[];
  /** Files that are attached whatever the rules for artifacts are. */
  files?: Attachment[];
}
