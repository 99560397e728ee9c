/** Events about tasks for programs and pages: few and small, unlike live progress. Types only. */
import type { ChannelStatus, EndedRun, OutboundMessage } from '../../channels/channel.ts';
import type { ArtifactRef, TaskState } from '../../workspace/types.ts';
import type { ApprovalRequest, Decision } from './approval.ts';

export type TaskNews =
  /** The task was accepted, stopped or given up. The other states follow from the events below. */
  | { type: 'task:state'; taskId: string; state: TaskState; runId?: string }
  /** A person named it, archived it or not, or deleted it (`deleted`: false once that is undone). */
  | { type: 'task:changed'; taskId: string; title?: string; archived?: boolean; deleted?: boolean }
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
  | { type: 'notice'; message: OutboundMessage; taskId?: string };
