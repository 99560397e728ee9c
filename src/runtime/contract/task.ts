/**
 * The task contract: what goes into a run and what comes out, and the states a task may take.
 * `run(request) -> events + result` reads no context from disk: everything it needs is in the request.
 */
import type { ArtifactRef, Json, Plan, SessionEntry, TaskState } from '../../workspace/types.ts';
import type { RuntimeTool } from './tool.ts';

export type { Reach, RuntimeTool, ToolEffect } from './tool.ts';

/** `task:submit`. `goal` and `messages` are required; the rest is optional context. */
export interface TaskRequest {
  goal: string;
  messages: TaskMessage[];
  plan?: string | Plan;
  artifacts?: ArtifactRef[];
  memory?: string;
}

/** One message of the history. `steps` hold a model's own messages (assistant and tool) verbatim. */
export type TaskMessage =
  | { role: 'user'; text: string; files?: InputFile[] }
  | { role: 'assistant'; text: string }
  | { role: 'steps'; messages: Json[]; files?: InputFile[] };

/** A file shown to the model itself, not just named: pictures and PDFs of messages, pictures of tools. */
export interface InputFile {
  path: string;
  name: string;
  mimeType: string;
}

/** `task:completed`. `summary` is plain text of at most 300 characters. */
export interface TaskResult {
  text: string;
  summary: string;
  artifactRefs: ArtifactRef[];
}

/** A finished step of the run at hand, with what its tools have shown. */
export type ResumedStep = FinishedStep & { files?: InputFile[] };

export type FinishedStep = Extract<SessionEntry, { type: 'step' }>;

const NEXT: Record<TaskState, readonly TaskState[]> = {
  pending: ['running', 'stopped', 'error'],
  running: ['completed', 'error', 'stopped'],
  completed: ['pending', 'running'],
  error: ['pending', 'running'],
  stopped: ['pending', 'running'],
};

/** Whether the state machine allows the step; the three terminal states may only begin the next run. */
export function canBecome(from: TaskState, to: TaskState): boolean {
  return NEXT[from].includes(to);
}

/** The kind of a call: what "always" would cover. */
export const kindOf = (tool: RuntimeTool, input: unknown): string => tool.kindOf?.(input) ?? '';
