/** Types of what the protocol needs from the rest of the gateway; `src/app/board/protocol.ts` provides it. */
import type { Principal } from '../../access/principal.ts';
import type { AgentStreamEvent } from '../../channels/channel.ts';
import type { ApprovalRequest, Decision } from '../../runtime/contract/approval.ts';
import type { Caller } from '../../runtime/contract/board.ts';
import type { JobService } from '../../runtime/contract/job-service.ts';
import type { News } from '../../runtime/contract/news.ts';
import type { Home } from '../../workspace/home.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import type { Uploads } from '../../workspace/uploads.ts';
import type { CommandOf } from './schemas.ts';

/**
 * How a message was accepted: as a message with this ID in its task, or as a command with this name, which is answered
 * by a notice.
 */
export type Receipt = { message: string } | { command: string };

/** Not in the frames: programs that speak another protocol give them. */
interface Instructions {
  instructions?: string;
}

/** Messages that enter through the gateway; durable once resolved. Throws RequestError. */
export interface Submissions {
  /** `message`: the ID of the first message in its task. */
  submit(
    caller: Caller,
    id: string,
    task: CommandOf<'task:submit'> & Instructions,
  ): Promise<{ taskId: string; message: string }>;
  tell(
    caller: Caller,
    id: string,
    said: CommandOf<'task:message'> & Instructions,
  ): Promise<{ taskId: string } & Receipt>;
  say(caller: Caller, id: string, said: CommandOf<'message'>): Promise<{ taskId?: string } & Receipt>;
  /** Returns whether this client started the task or takes part in it. */
  isOwn(caller: Caller, task: { conversations: string[] }): boolean;
  /** Returns the ID of the client's conversations; no other client has it. */
  chatOf(caller: Caller): string;
}

/** What was stopped. `notice` says that a tool was at work whose effect may still come. */
export interface StopReceipt {
  taskIds: string[];
  notice?: string;
}

export interface Stopping {
  /** Returns no IDs if nothing was running. */
  task(taskId: string, caller: Caller): Promise<StopReceipt>;
  /** Stops what an agent (`*`: any) does in this client's conversations. */
  agent(target: string, reason: string, caller: Caller): Promise<StopReceipt>;
}

/** Files that arrive over a socket. */
export interface Pieces {
  /** @throws {RequestError} which aborts that file */
  take(
    by: string,
    piece: CommandOf<'upload'>,
  ): Promise<{ next: number } | { ref: string; name: string; size: number; contentType: string }>;
}

export interface Deleting {
  /** Resolves, once it is durable, to the time until which it can be undone (ISO 8601). */
  remove(taskId: string, caller: Caller): Promise<string>;
  /** The people of a task that was deleted and can be put back. */
  peopleOf(taskId: string): readonly string[] | undefined;
  restore(taskId: string): Promise<void>;
}

export interface Approving {
  get(id: string): ApprovalRequest | undefined;
  all(): ApprovalRequest[];
  decide(
    id: string,
    decision: Omit<Decision, 'at'>,
  ): Promise<{ isFirst: boolean; request: ApprovalRequest } | undefined>;
}

export interface ProtocolParts {
  home: Home;
  epoch: number;
  about: { id: string; version: string };
  submissions: Submissions;
  stopping: Stopping;
  approvals: Approving;
  deleting: Deleting;
  /** Tells programs and pages what was changed. */
  changed(change: Omit<Extract<News, { type: 'task:changed' }>, 'type'>): void;
  jobs: () => Promise<JobService>;
  /** Returns whether the principal may see the task in direct messages, whichever viber works on it. */
  maySee(principal: Principal, task: Pick<TaskRecord, 'viber' | 'people' | 'conversations' | 'digestAt'>): boolean;
  /** Watches these plans for manual edits until `rest` is called. */
  plans: { attend(taskIds: readonly string[]): Promise<void>; rest(): void };
  uploads: Uploads;
  pieces: Pieces;
  runningTasks(): readonly string[];
  /**
   * Decides a memory suggestion, like `/memory`.
   * @throws {RequestError}
   */
  decideMemory(caller: Caller, decision: CommandOf<'memory:decide'>): Promise<Record<string, unknown>>;
  /** The first answers to commands that must not run twice. */
  answered: { get(key: string): Promise<string | undefined>; set(key: string, answer: string): Promise<void> };
  /** Returns a function that unsubscribes, as does `onProgress`. */
  onNews(listener: (news: News) => void): () => void;
  /** Subscribes to live progress, as people may see it. */
  onProgress(listener: (event: AgentStreamEvent) => void): () => void;
  /** Returns the progress of current runs that a new subscriber has missed. */
  soFar(taskId: string): AgentStreamEvent[];
  onError(error: unknown): void;
}
