/** What the tools of one run may touch, and whom they tell. Made anew for every run; nothing outlives it. */
import type { Home } from '../../workspace/home.ts';
import type { Suggestion } from '../../workspace/memory/suggestions.ts';
import type { ArtifactRef, Json, Plan } from '../../workspace/types.ts';
import type { FileText } from './reading.ts';
import type { RuntimeTool } from './tool.ts';

/** What became of a plan the model proposed. */
export type PlanChange =
  | { status: 'written'; text: string; hash: string; plan: Plan }
  /** Somebody edited the plan meanwhile: theirs stands, the model's is only a proposal. Both are Markdown. */
  | { status: 'conflict'; proposal: string; current: string };

export interface ToolScope {
  home: Home;
  viber: string;
  taskId: string;
  runId: string;
  /** The run is on a guest's word: nothing outside the task's own files is read or written. */
  isGuest?: boolean;
  /** Hash of the plan as the model was shown it; undefined when it was shown none. */
  planBase: string | undefined;
  onPlan(change: PlanChange): void;
  /** A page that an answer may rest on: named below it where the model names none. */
  onSource?(source: { title: string; url: string }): void;
  /** Another agent is asked: what it answers is named below the answer, in the order of asking. */
  onAsked?(agent: string): (answer: string) => void;
  /** To be attached to the answer. The same id may come several times: the latest counts. */
  onArtifact(ref: ArtifactRef): void;
  /** A picture that the model is to look at, an artifact of the task; false: it is shown no more of them in this run. */
  onShown?(ref: ArtifactRef): boolean;
  /** `memory.auto_accept`; otherwise a person accepts each line (promise 40). */
  autoAcceptMemory: boolean;
  /** Something waits for a person's consent: ask them. */
  onSuggestion?(suggestion: Suggestion): void;
  /** Whether a page may lead to another address without a question; absent: to its own host alone. */
  mayFollow?(from: URL, to: URL): Promise<boolean>;
  /** The words of a recording or a document; undefined for files that are to be read as they are. Absent: of none. */
  textOf?(file: { path: string; name: string; type?: string }, signal: AbortSignal): Promise<FileText | undefined>;
  /** What a link leads to that a server of tools has given, by its name in the result; undefined for any other name. */
  readLink?(name: string, signal: AbortSignal): Promise<Json> | undefined;
  /** Where new memory comes from, for the record: conversation and run. */
  provenance: string;
}

/** Lets a list hold tools that are made for one run, of different inputs, while each keeps its own types. */
export function runtimeTool<Input>(tool: RuntimeTool<Input>): RuntimeTool {
  return tool;
}
