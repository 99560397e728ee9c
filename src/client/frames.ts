/**
 * Defines the frames of `viber.v1` as plain types (docs/protocol.md), for this client, the Board and the server, whose
 * schemas are checked against them. Imports nothing.
 */

export type Verdict = 'approve' | 'reject' | 'answer';
export type LiveFrames = 'off' | 'text' | 'events';

/** The fields of `task:submit`. Each given field replaces what is on disk. */
export interface SubmittedTask {
  goal: string;
  messages?: readonly { role: 'user' | 'assistant'; text: string }[];
  plan?: string | { goal: string; steps: readonly { id: string; title: string; status: string }[] };
  artifacts?: readonly { id: string; title?: string; type?: string; ref?: string }[];
  /** Refs of uploads: files of the message itself. */
  files?: readonly string[];
  memory?: string;
  context?: { currentFile?: string; selection?: string };
  viberId?: string;
  /** The folder of an allowed project. */
  project?: string;
  live?: LiveFrames;
}

/** A command without its `id`; any type that the gateway knows may be sent. */
export interface CommandFrame {
  type: string;
  [field: string]: unknown;
}

export interface FrameError {
  code: string;
  message: string;
  field?: string;
}

/** The answer to a command once it is durable; `ok: false` becomes a thrown `ViberError`. */
export interface AckFrame {
  type: 'ack';
  id: string;
  ok: boolean;
  taskId?: string;
  error?: FrameError;
  [field: string]: unknown;
}

export interface ArtifactRefFrame {
  id: string;
  title: string;
  type: string;
  ref: string;
}

export interface TaskResultFrame {
  text: string;
  summary: string;
  artifactRefs: readonly ArtifactRefFrame[];
}

/** An event with its position in the order of events. Kinds that this version doesn't know are passed on unchanged. */
export type EventFrame = { cursor?: string } & (
  | { type: 'task:started'; taskId: string; runId: string }
  | { type: 'task:progress'; taskId: string; runId?: string; event: { type: string; [field: string]: unknown } }
  | { type: 'task:completed'; taskId: string; runId: string; result: TaskResultFrame }
  | { type: 'task:error'; taskId: string; runId: string; error: { message: string; trace: string } }
  | { type: 'task:state'; taskId: string; state: string; runId?: string }
  | { type: 'resync' }
  | { type: OtherEvent; taskId?: string; [field: string]: unknown }
);
export type OtherEvent =
  | 'task:changed'
  | 'plan:changed'
  | 'artifact:created'
  | 'approval:asked'
  | 'approval:decided'
  | 'memory:suggested'
  | 'memory:decided'
  | 'job:changed'
  | 'channel:status'
  | 'notice';

/** The gateway's first frame. */
export interface ConnectedFrame {
  type: 'connected';
  protocol: number;
  viber: { id: string; version: string; runningTasks: readonly string[] };
  cursor: string;
}
