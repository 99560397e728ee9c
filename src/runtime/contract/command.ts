/**
 * A command in chats, the same on every channel. `Gw` is the gateway that it works on; the runtime's own commands use
 * `commands/command.ts`.
 */
import type { Action } from '../../access/authorise.ts';
import type { Principal } from '../../access/principal.ts';
import type { Address, Attachment, CommandSpec, InboundMessage, QuotedText } from '../../channels/channel.ts';
import type { MessageKey, Messages, Text, Wording } from '../../messages/messages.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import type { ButtonAction } from './buttons.ts';
import type { PlayOrder } from './entry.ts';

export interface InvocationOf<Gw> {
  gw: Gw;
  /** Texts in the language of the person, with commands as they are typed there. */
  messages: Messages;
  viber: string;
  /** The text after the command's name and, for commands with `takesTask`, after the task's ID. */
  args: string;
  principal: Principal;
  message: InboundMessage;
  address: Address;
  isDirect: boolean;
  /**
   * The task whose ID was typed, else the task that the conversation was bound to when the command arrived (for
   * commands that bind: after it).
   */
  taskId: string;
  /**
   * Whether the command moved the conversation to `taskId`. An ID that isn't one of the person's tasks moves nothing.
   */
  moves: boolean;
  /** The task's record; undefined before its first message was handled. */
  task: TaskRecord | undefined;
  /**
   * Adds words to a task's lane as this person's message. Calling it again when the command is repeated adds nothing.
   */
  put(taskId: string, text: string, order: EntryAddition): Promise<void>;
  /**
   * Ends the task's run, and drops pending messages that arrived before the command. Returns false if there was nothing
   * to stop.
   */
  stop(taskId: string): Promise<boolean>;
  /**
   * Returns the newest tasks that this principal may see here; in direct messages only their own unless `all` is given.
   * If `looked` is set, only that many of the newest were searched and there may be more.
   */
  tasks(limit: number, whose?: 'own' | 'all'): Promise<{ found: TaskRecord[]; looked?: number }>;
}

/** A playbook to play, a skill to call, or other people's words to quote. */
export type EntryAddition = { play: PlayOrder } | { skill: string } | { quote: QuotedText };

export interface CommandReply {
  /** Markdown. */
  text: Text;
  files?: Attachment[];
  buttons?: ButtonAction[][];
  /** A second reply, posted here once it is known. Must not reject; it is lost if the process ends first. */
  later?: Promise<{ text: Text; files?: Attachment[]; buttons?: ButtonAction[][] }>;
  /** The question that this command decided: the messages that asked it show the outcome from then on. */
  decided?: { question: string; outcome: Wording };
  /** Notes to other conversations. A note that can't be sent is dropped. */
  elsewhere?: { address: Address; text: Text }[];
}

export const HELP_GROUPS = ['now', 'tasks', 'files', 'memory', 'routine', 'model', 'here'] as const;
export type HelpGroup = (typeof HELP_GROUPS)[number];

export interface CommandOf<Gw> extends CommandSpec {
  aliases?: readonly string[];
  /** Its place and description in /help. If absent, only its name appears, at the end. */
  help?: {
    group: HelpGroup;
    does: Extract<MessageKey, `does.${string}`>;
    /** Members may not do this. */
    for?: 'owner';
  };
  action: Action;
  /** Never listed, or not for this gateway; buttons and typing still run it. */
  hidden?: true | ((config: object) => boolean);
  /** The text after its name is a message, which steers or waits whatever the conversation's mode is. */
  says?: 'steer' | 'followup';
  /** Moves the conversation to another task; takes effect before the command is stored. */
  binds?: true;
  /** Ends something, so it doesn't run if it is followed by words that aren't its arguments. */
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
  /** Keyed by names and aliases in lower case. */
  readonly byName: ReadonlyMap<string, CommandOf<Gw>>;
}
