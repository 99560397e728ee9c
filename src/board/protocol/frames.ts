/** The frames that the gateway sends (docs/protocol.md). `src/client/frames.ts` defines how a client reads them. */

import type { AgentStreamEvent, ChannelStatus, EndedRun, OutboundMessage } from '../../channels/channel.ts';
import type { GivenArtifact } from '../../channels/programs.ts';
import type { ArtifactRef, TaskState } from '../../workspace/types.ts';

export type ErrorFields = { code: string; message: string; field?: string };

export type AckFrame =
  | { type: 'ack'; id: string; ok: true; [field: string]: unknown }
  | { type: 'ack'; id: string; ok: false; error: ErrorFields; [field: string]: unknown };

type Bare<T> = T extends unknown ? Omit<T, 'taskId' | 'runId'> : never;
export type ProgressEvent = Bare<AgentStreamEvent>;

/** The end of a run; a stop is a state. */
export type EndFrame =
  | {
      type: 'task:completed';
      taskId: string;
      runId: string;
      result: { text: string; summary: string; artifactRefs: readonly GivenArtifact[] };
    }
  | { type: 'task:error'; taskId: string; runId: string; error: { message: string; trace: string } }
  | { type: 'task:state'; taskId: string; runId?: string; state: TaskState };

export type EventFrame = { cursor?: string } & (
  | EndFrame
  | { type: 'task:changed'; taskId: string; title?: string; archived?: boolean; deleted?: boolean }
  | { type: 'task:started'; taskId: string; runId: string }
  | { type: 'task:progress'; taskId: string; runId: string; event: ProgressEvent }
  | { type: 'plan:changed'; taskId: string; hash: string }
  | { type: 'artifact:created'; taskId: string; artifact: ArtifactRef }
  | ApprovalFrame
  | { type: 'approval:decided'; taskId: string; approval: string; verdict: string; by: string; answer?: string }
  | { type: 'memory:suggested'; viberId: string; suggestion: string; section?: string; text: string }
  | { type: 'memory:decided'; viberId: string; suggestion: string }
  | { type: 'job:changed'; job: string }
  | ({ type: 'channel:status'; channel: string } & ChannelStatus)
  | { type: 'notice'; text: string; taskId?: string; files: { name: string; type: string; size: number }[] }
  | { type: 'resync' }
);

export interface ApprovalFrame {
  type: 'approval:asked';
  taskId: string;
  runId: string;
  approval: string;
  digest: string;
  kind: 'tool' | 'plan' | 'question';
  tool: string;
  /** Markdown, as in the chat. */
  question: string;
  /** All arguments, as Markdown. */
  details?: string;
  options?: string[];
  /** The words of the buttons, where they aren't the usual ones; `always` and `all` only where these verdicts count. */
  labels?: { yes: string; no: string; always?: string; all?: string };
  expiresAt?: string;
}

export interface ConnectedFrame {
  type: 'connected';
  protocol: number;
  viber: { id: string; version: string; runningTasks: string[] };
  cursor: string;
}

/** Converts the end of a run into a frame; a stop is a state, never a completion. */
export function endFrame({ taskId, runId, state, text, summary, artifactRefs }: EndedRun): EndFrame {
  if (state === 'stopped') return { type: 'task:state', taskId, runId, state };
  if (state === 'error')
    return { type: 'task:error', taskId, runId, error: { message: text || summary, trace: runId } };
  return { type: 'task:completed', taskId, runId, result: { text, summary, artifactRefs } };
}

/** Converts a message that ends no run into a frame, with its files' names and the task it is about. */
export function noticeFrame(
  { text, files }: OutboundMessage,
  taskId?: string,
): Extract<EventFrame, { type: 'notice' }> {
  return {
    type: 'notice',
    text,
    files: files.map(({ name, mimeType, size }) => ({ name, type: mimeType, size })),
    ...(taskId !== undefined && { taskId }),
  };
}
