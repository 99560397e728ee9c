/** A command in chats, the same on every channel. The runtime's own commands use `commands/command.ts`. */
import type { Action } from '../../access/authorise.ts';
import type { Principal } from '../../access/principal.ts';
import type { Address, Attachment, CommandSpec, InboundMessage, QuotedText } from '../../channels/channel.ts';
import type { MessageKey, Messages, Text, Wording } from '../../messages/messages.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import type { ButtonAction } from './buttons.ts';
import type { PlayOrder } from './entry.ts';

export interface InvocationOf<Gw> {
  gw: Gw;
  /** Speaks the person's language, with commands as they are typed there. */
  messages: Messages;
  viber: string;
  /** The text after the command's name and, for commands with `takesTask`, after the task's ID. */
  args: string;
  principal: Principal;
  message: InboundMessage;
  address: Address;
  isDirect: boolean;
  /**
   * The task whose ID was typed, else the one that the conversation was bound to when the command arrived (for commands
   * that bind: after it).
   */
  taskId: string;
  /** The command moved the conversation to `taskId`. An ID that isn't one of the person's tasks moves nothing. */
  moves: boolean;
  /** Undefined before the task's first message was handled. */
  task: TaskRecord | undefined;
  /**
   * Adds words to a task's lane as this person's message, once the reply is on its way, so that their answer comes
   * after it; once, however often the command is repeated.
   */
  put(taskId: string, text: string, order: EntryAddition): Promise<void>;
  /** Ends the task's run, and drops pending messages that came before the command. Returns false if there were none. */
  stop(taskId: string): Promise<boolean>;
  /**
   * Returns the newest tasks that the person may see here; in direct messages their own unless `all` is given. If
   * `looked` is set, only that many were searched.
   */
  tasks(limit: number, whose?: 'own' | 'all'): Promise<{ found: TaskRecord[]; looked?: number }>;
}

export type EntryAddition = { play: PlayOrder } | { skill: string } | { quote: QuotedText };

export interface CommandReply {
  text: Text;
  files?: Attachment[];
  buttons?: ButtonAction[][];
  /** The text shows the plan of this task, and is kept up to date. */
  plan?: { task: string; binding: string };
  /** No command has this name. */
  isUnknown?: true;
  /** Posted here once it is known. Must not reject; lost if the process ends first. */
  later?: Promise<{ text: Text; files?: Attachment[]; buttons?: ButtonAction[][] }>;
  /** The messages that asked it show the outcome from then on. */
  decided?: { question: string; outcome: Wording };
  /** A note that can't be sent is dropped. */
  elsewhere?: { address: Address; text: Text }[];
}

export const HELP_GROUPS = ['now', 'tasks', 'files', 'memory', 'routine', 'model', 'here'] as const;
export type HelpGroup = (typeof HELP_GROUPS)[number];

export interface CommandOf<Gw> extends CommandSpec {
  aliases?: readonly string[];
  /** Without it, only the name appears, at the end. */
  help?: {
    group: HelpGroup;
    does: Extract<MessageKey, `does.${string}`>;
    for?: 'owner';
  };
  action: Action;
  /** Never listed, or not for this gateway; buttons and typing still run it. */
  hidden?: true | ((config: object) => boolean);
  /** The text after its name is a message, which steers or waits whatever the conversation's mode is. */
  says?: 'steer' | 'followup';
  /** Moves the conversation to another task; takes effect before the command is stored. */
  binds?: true;
  /** It doesn't run if it is followed by words that aren't its arguments. */
  isEnd?: true;
  /** A press in a channel continues in the thread below the message. */
  isBelow?: true;
  /** Opens a thread on platforms where every task has one. */
  begins?: true;
  /** The first word may be the ID of another task. `any` also accepts the end of an ID, `full` only whole IDs. */
  takesTask?: 'any' | 'full';
  run(context: InvocationOf<Gw>): Promise<CommandReply>;
}

export interface CommandTable<Gw> {
  readonly all: readonly CommandOf<Gw>[];
  /** Keys are names and aliases in lower case. */
  readonly byName: ReadonlyMap<string, CommandOf<Gw>>;
}
