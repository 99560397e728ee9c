/** A command of the chats: one entry of the table, the same on every channel. */
import type { Action } from '../../access/authorise.ts';
import type { Pairing } from '../../access/pairing.ts';
import type { Principal } from '../../access/principal.ts';
import type { Address, Attachment, CommandSpec } from '../../channels/channel.ts';
import type { Home } from '../../workspace/home.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import type { ButtonAction } from '../reply/buttons.ts';

/** What a running task looks like from outside. */
export interface RunView {
  runId: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** The tool in use, if any. */
  tool?: string;
}

export interface CommandContext {
  home: Home;
  viber: string;
  args: string;
  principal: Principal;
  address: Address;
  isDirect: boolean;
  /** The task the conversation was bound to when the command arrived (after it, for commands that bind). */
  taskId: string;
  /** The task's record; undefined before its first message was taken up. */
  task: TaskRecord | undefined;
  model: string;
  runOf(taskId: string): RunView | undefined;
  waitingFor(taskId: string): number;
  /** Ends the task's run; false when none is under way. */
  stop(taskId: string): boolean;
  mayUse(action: Action, task: TaskRecord | undefined): boolean;
  /** The newest tasks this principal may see here. */
  tasks(limit: number): Promise<TaskRecord[]>;
  pairing: Pick<Pairing, 'approve' | 'deny' | 'pending'>;
  /** Other commands, for `/help`. */
  list(): readonly CommandSpec[];
}

export interface CommandReply {
  /** Markdown. */
  text: string;
  files?: Attachment[];
  buttons?: ButtonAction[][];
}

export interface Command extends CommandSpec {
  /** What a person must be allowed to do (T4). */
  action: Action;
  /** Not listed: reached by buttons, and by those who know. */
  hidden?: true;
  /** Moves the conversation to another task: takes effect at the door. */
  binds?: true;
  run(context: CommandContext): Promise<CommandReply>;
}
