/** What the protocol asks of the rest of the gateway; `src/app/protocol.ts` gives it. Types only. */
import type { Principal } from '../../access/principal.ts';
import type { AgentStreamEvent } from '../../channels/channel.ts';
import type { ApprovalRequest, Decision } from '../../runtime/contract/approval.ts';
import type { JobService } from '../../runtime/contract/job-service.ts';
import type { News } from '../../runtime/contract/news.ts';
import type { Home } from '../../workspace/home.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import type { Upload, Uploads } from '../../workspace/uploads.ts';
import type { Caller } from '../contract.ts';
import type { CommandOf } from './schemas.ts';

/** What became of words: a message of this id in its task, or a command of this name, which is answered by a notice. */
export type Told = { message: string } | { command: string };

/** What is said enters through the gateway's door: durable when it resolves. Throws Refused. */
export interface Submissions {
  submit(caller: Caller, id: string, task: CommandOf<'task:submit'>): Promise<{ taskId: string }>;
  tell(caller: Caller, id: string, said: CommandOf<'task:message'>): Promise<{ taskId: string } & Told>;
  say(caller: Caller, id: string, said: CommandOf<'message'>): Promise<{ taskId?: string } & Told>;
  /** Whether a task was begun, or is taken part in, by this client itself. */
  isOwn(caller: Caller, task: Pick<TaskRecord, 'conversations'>): boolean;
  /** The client's conversations as a text that no other client has. */
  chatOf(caller: Caller): string;
}

export interface Stopping {
  /** False where there is nothing to stop. */
  task(taskId: string, by: Principal): Promise<boolean>;
  /** What an agent (`*`: any) does in this client's conversations. Gives the ids of the tasks. */
  agent(target: string, reason: string, caller: Caller): Promise<string[]>;
}

/** Files that come over a socket. */
export interface Pieces {
  /** Throws Refused, which ends that file. */
  take(
    by: string,
    piece: CommandOf<'upload'>,
  ): Promise<{ next: number } | (Pick<Upload, 'ref' | 'name' | 'size'> & { contentType: string })>;
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
  jobs: () => Promise<JobService | undefined>;
  /** What they may see in direct messages, whatever viber works on it. */
  maySee(principal: Principal, task: Pick<TaskRecord, 'viber' | 'people' | 'conversations' | 'digestAt'>): boolean;
  /** Whoever edits these plans by hand is heard from now on, until nobody looks any more. */
  plans: { attend(taskIds: readonly string[]): Promise<void>; rest(): void };
  uploads: Pick<Uploads, 'store'>;
  pieces: Pieces;
  /** Tasks at work now. */
  runningTasks(): readonly string[];
  /** Decides what waits to be remembered, as `/memory` does. Throws Refused. */
  decideMemory(caller: Caller, decision: CommandOf<'memory:decide'>): Promise<Record<string, unknown>>;
  /** Of a command whose repetition would do it again: what it was answered with the first time. */
  answered: { get(key: string): Promise<string | undefined>; set(key: string, answer: string): Promise<void> };
  /** Gives the function that ends it, as the next does. */
  onNews(listener: (news: News) => void): () => void;
  /** Live progress as people may see it. */
  onProgress(listener: (event: AgentStreamEvent) => void): () => void;
  /** What whoever begins to look at a task now has missed of its runs at work. */
  soFar(taskId: string): AgentStreamEvent[];
  onError(error: unknown): void;
}
