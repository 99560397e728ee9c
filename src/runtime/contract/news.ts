/** Events about tasks for programs and pages: few and small, unlike live progress. Types only. */
import type { ChannelStatus, EndedRun, OutboundMessage } from '../../channels/channel.ts';
import type { ArtifactRef, TaskState } from '../../workspace/types.ts';
import type { ApprovalRequest, Decision } from './approval.ts';

export type TaskNews =
  /** The task was accepted, stopped or given up. The other states follow from the events below. */
  | { type: 'task:state'; taskId: string; state: TaskState; runId?: string }
  | { type: 'task:started'; taskId: string; runId: string }
  /** The run's result is in its session, and its answer is in the outbox. */
  | { type: 'run:ended'; end: EndedRun }
  | { type: 'plan:changed'; taskId: string; hash: string }
  | { type: 'artifact:created'; taskId: string; artifact: ArtifactRef }
  | { type: 'approval:asked'; request: ApprovalRequest }
  | { type: 'approval:decided'; request: ApprovalRequest; decision: Decision };

export type News =
  | TaskNews
  | { type: 'memory:suggested'; viber: string; suggestion: { id: string; section?: string; text: string } }
  | { type: 'memory:decided'; viber: string; suggestion: string }
  | { type: 'job:changed'; job: string }
  | { type: 'channel:status'; channel: string; status: ChannelStatus }
  /** A message for a program that doesn't end a run; it may be about a task. */
  | { type: 'notice'; message: OutboundMessage; taskId?: string };
