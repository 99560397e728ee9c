/**
 * What the tools of one run may access, and the callbacks they report to. Created for every run; nothing outlives it.
 */
import type { Home } from '../../workspace/home.ts';
import type { ArtifactRef, Json, Plan } from '../../workspace/types.ts';
import type { FileText } from './reading.ts';
import type { RuntimeTool } from './tool.ts';

export type PlanChange =
  | { status: 'written'; text: string; hash: string; plan: Plan }
  /**
   * Somebody edited the plan since the model read it: their version stays, and the model's is only a proposal. Both are
   * Markdown.
   */
  | { status: 'conflict'; proposal: string; current: string };

/** The files that a run may reach: those of its task, and of its viber's workspace. */
export interface FileScope {
  home: Home;
  viber: string;
  taskId: string;
  /** The run acts for a guest: it reads and writes only the task's own files. */
  isGuest?: boolean;
}

/** The same, for what a run writes. */
export interface RunScope extends FileScope {
  runId: string;
}

export interface ToolScope extends RunScope {
  /** The hash of the plan that the model was shown; undefined if it was shown none. */
  planBase: string | undefined;
  onPlan(change: PlanChange): void;
  /** Attaches an artifact to the answer. The same ID may come several times: the latest counts. */
  onArtifact(ref: ArtifactRef): void;
  /** Shows the model a picture, which is an artifact of the task; false: the model gets no more of them in this run. */
  onShown?(ref: ArtifactRef): boolean;
  /** The setting `memory.auto_accept`; otherwise a person accepts each line (promise 40). */
  autoAcceptMemory: boolean;
  /** Whether a page may redirect to another address without a question; absent: only to its own host. */
  mayFollow?(from: URL, to: URL): Promise<boolean>;
  /**
   * Returns the words of a recording or a document; undefined for files that are read as they are. Absent: files are
   * never converted.
   */
  textOf?(file: { path: string; name: string; type?: string }, signal: AbortSignal): Promise<FileText | undefined>;
  /** Resolves a link that a tool server returned, by its name in the result; undefined for any other name. */
  readLink?(name: string, signal: AbortSignal): Promise<Json> | undefined;
  /** The source of new memory, for the record: conversation and run. */
  provenance: string;
}

/** Lets a list hold tools with different inputs that are made for one run, while each keeps its own types. */
export function runtimeTool<Input>(tool: RuntimeTool<Input>): RuntimeTool {
  return tool;
}
