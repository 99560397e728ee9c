/** The access of the tools of one run, and whom they report to. */
import type { Home } from '../../workspace/home.ts';
import type { ArtifactRef, Json, Plan } from '../../workspace/types.ts';
import type { FileText } from './reading.ts';
import type { RuntimeTool } from './tool.ts';

export type PlanChange =
  | { status: 'written'; text: string; hash: string; plan: Plan }
  /** Somebody edited the plan since the model read it: their version stays. Both are Markdown. */
  | { status: 'conflict'; proposal: string; current: string };

/** The task's files, and those of its viber's workspace. */
export interface FileScope {
  home: Home;
  viber: string;
  taskId: string;
  /** Only the task's own files. */
  isGuest?: boolean;
}

export interface RunScope extends FileScope {
  runId: string;
}

export interface ToolScope extends RunScope {
  /** The hash of the plan that the model was shown, if any. */
  planBase: string | undefined;
  onPlan(change: PlanChange): void;
  /** Attaches it to the answer. The same ID may come several times: the latest counts. */
  onArtifact(ref: ArtifactRef): void;
  /** Shows the model a picture; false: it gets no more of them in this run. */
  onShown?(ref: ArtifactRef): boolean;
  /** `memory.autoAccept`; otherwise a person accepts each line (promise 40). */
  autoAcceptMemory: boolean;
  /** Whether a page may redirect to another host without a question; absent: no. */
  mayFollow?(from: URL, to: URL): Promise<boolean>;
  /** The words of a recording or a document; undefined for files that are read as they are. */
  textOf?(file: { path: string; name: string; type?: string }, signal: AbortSignal): Promise<FileText | undefined>;
  /** Resolves a link that a tool server returned, by its name in the result. */
  readLink?(name: string, signal: AbortSignal): Promise<Json> | undefined;
  /** Conversation and run, for what is remembered. */
  provenance: string;
}

/** Lets a list hold tools with different inputs, while each keeps its own types. */
export function runtimeTool<Input>(tool: RuntimeTool<Input>): RuntimeTool {
  return tool;
}
