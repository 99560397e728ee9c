/**
 * The task contract. `run(request) -> events + result` reads nothing from disk: everything it needs is in the request.
 */
import type { ArtifactRef, Json, Plan, SessionEntry, TaskState } from '../../workspace/types.ts';
import type { RuntimeTool } from './tool.ts';

export type { Reach, RuntimeTool, ToolEffect } from './tool.ts';

/** The payload of `task:submit`. `goal` and `messages` are required; the rest is optional context. */
export interface TaskRequest {
  goal: string;
  messages: TaskMessage[];
  plan?: string | Plan;
  artifacts?: ArtifactRef[];
  memory?: string;
}

/** `steps` hold a model's own messages (assistant and tool) verbatim. */
export type TaskMessage =
  | { role: 'user'; text: string; files?: InputFile[] }
  | { role: 'assistant'; text: string }
  | { role: 'steps'; messages: Json[]; files?: InputFile[] };

export interface InputFile {
  path: string;
  name: string;
  mimeType: string;
}

/** The payload of `task:completed`; `summary` is plain text of at most 300 characters. */
export interface TaskResult {
  text: string;
  summary: string;
  artifactRefs: ArtifactRef[];
}

/** A step with the files that its tools showed. */
export type ResumedStep = FinishedStep & { files?: InputFile[] };

export type FinishedStep = Extract<SessionEntry, { type: 'step' }>;

const NEXT: Record<TaskState, readonly TaskState[]> = {
  pending: ['running', 'stopped', 'error'],
  running: ['completed', 'error', 'stopped'],
  completed: ['pending', 'running'],
  error: ['pending', 'running'],
  stopped: ['pending', 'running'],
};

/** From the three terminal states only the next run may begin. */
export function canBecome(from: TaskState, to: TaskState): boolean {
  return NEXT[from].includes(to);
}

export const callKind = (tool: RuntimeTool, input: unknown): string => tool.kindOf?.(input) ?? '';
