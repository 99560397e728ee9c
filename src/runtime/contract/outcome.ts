/** What came of a run. Types only. */
import type { Attachment } from '../../channels/channel.ts';
import type { Suggestion } from '../../workspace/memory/suggestions.ts';
import type { ArtifactRef, Plan, Usage } from '../../workspace/types.ts';
import type { ButtonAction } from './buttons.ts';
import type { TaskResult } from './task.ts';
import type { PlanChange } from './tool-scope.ts';

/** What people are given with a question: the run's words since the last one, and the files it has made. */
export interface Handed {
  said: string;
  refs: ArtifactRef[];
}

/** What the tools of a run have left for its answer. */
export interface Made {
  refs: ArtifactRef[];
  pending: Suggestion[];
  plan: PlanChange | undefined;
  /** As it stood when the run began. */
  planBefore?: Plan;
  /** Pages that searches have found. */
  sources?: { title: string; url: string }[];
  /** The agents that it asked, and what they have answered. */
  said?: { agent: string; text?: string }[];
  /** The run was told more than its people's own words: nothing is remembered without a question. */
  hasLogs?: boolean;
}

/** What came of a turn. */
export type Outcome =
  | Answer
  /** It has no answer: the next turn goes on from it, and answers its messages. */
  | { state: 'steered'; recordedAt?: undefined; failure?: undefined }
  /** The process ends, and nothing was settled. */
  | { state: 'shutdown'; recordedAt?: undefined; failure?: undefined }
  /** There was nothing to go on with. */
  | { state: 'void'; recordedAt?: undefined; failure?: undefined };

/** An answer, as the session's `result` line and the words for people are made of it. */
export interface Answer extends TaskResult {
  /** When its result was written to the session, ISO 8601; absent until then. */
  recordedAt?: string;
  /** In a word, where it failed. */
  failure?: string;
  /** `waiting`: the run goes on once a person has decided; the text is the question. */
  state: 'completed' | 'error' | 'stopped' | 'waiting';
  usage?: Usage;
  error?: string;
  /** There was more to do than `maxSteps` allowed. */
  isCutShort?: true;
  buttons: ButtonAction[][];
  /** What was decided, for the day's log. */
  decisions?: string[];
  /** What an owner is asked to let in. */
  asks?: Suggestion[];
  /** Words of the built-in model, and nothing done: not worth a line in the day's log. */
  isTalk?: boolean;
  /** Stands folded below the text, or is said at a press of the button. */
  details?: { text: string; button: ButtonAction };
  /** Of `artifactRefs`, by id: what people were sent with a question before. */
  handed?: string[];
  /** Sent along whatever the rules for artifacts are. */
  files?: Attachment[];
}
