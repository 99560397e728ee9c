/** A command of the chats, the same on every channel. `Gw` is the gateway that it works on; the runtime's own commands use `commands/command.ts`. */
import type { Action } from '../../access/authorise.ts';
import type { Principal } from '../../access/principal.ts';
import type { Address, Attachment, CommandSpec, InboundMessage, QuotedText } from '../../channels/channel.ts';
import type { MessageKey, Messages, Said, Text } from '../../messages/messages.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import type { ButtonAction } from './buttons.ts';
import type { PlayOrder } from './entry.ts';

/** A command that somebody has given, in its place. */
export interface InvocationOf<Gw> {
  gw: Gw;
  /** In the language of whoever gave it, with commands as they are typed there. */
  messages: Messages;
  viber: string;
  /** What was typed after the command's name and, for commands with `takesTask`, after the task's id. */
  args: string;
  principal: Principal;
  /** As it came. */
  message: InboundMessage;
  address: Address;
  isDirect: boolean;
  /**
   * The task the conversation was bound to when the command arrived (after it, for commands that bind), or the one whose id
   * was typed.
   */
  taskId: string;
  /** The command has moved the conversation to `taskId`; an id that means no task of theirs moves nothing. */
  moves: boolean;
  /** The task's record; undefined before its first message was taken up. */
  task: TaskRecord | undefined;
  /** Puts words into a task's lane as this person's own; once, however often the command is carried out. */
  put(taskId: string, text: string, order: Put): Promise<void>;
  /** Ends the task's run, and what waits in it, of what came in before the command; false when there is neither. */
  stop(taskId: string): Promise<boolean>;
  /**
   * The newest tasks this principal may see here; in direct messages their own unless `all` is asked for. With `looked` there
   * may be more: so many of the newest were looked at, and no others.
   */
  tasks(limit: number, whose?: 'own' | 'all'): Promise<{ found: TaskRecord[]; looked?: number }>;
}

/** A playbook that is played, a skill that is called, or the words of others that are quoted. */
export type Put = { play: PlayOrder } | { skill: string } | { quote: QuotedText };

export interface CommandReply {
  /** Markdown. */
  text: Text;
  files?: Attachment[];
  buttons?: ButtonAction[][];
  /** Said here as well, when it is known. Must not reject; the end of the process may cost it. */
  later?: Promise<Pick<CommandReply, 'text' | 'files' | 'buttons'>>;
  /** A question that this has decided: the messages that ask it tell so from now on. */
  decided?: { question: string; outcome: Said };
  /** Notes to other conversations; one that cannot be sent is nobody's loss. */
  elsewhere?: { address: Address; text: Text }[];
}

export const HELP_GROUPS = ['now', 'tasks', 'files', 'memory', 'routine', 'model', 'here'] as const;
export type HelpGroup = (typeof HELP_GROUPS)[number];

export interface CommandOf<Gw> extends CommandSpec {
  /** Other names that people type for it. */
  aliases?: readonly string[];
  /** Its place in /help, and what is said of it there; absent: its name alone stands at the end. */
  help?: {
    group: HelpGroup;
    does: Extract<MessageKey, `does.${string}`>;
    /** Members are refused what it does. */
    for?: 'owner';
  };
  /** What a person must be allowed to do. */
  action: Action;
  /** Not listed: reached by buttons, and by those who know. `servers`: listed where there are servers of tools. */
  hidden?: true | 'servers';
  /** What follows its name is a message, which steers or waits whatever the conversation's mode is. */
  says?: 'steer' | 'followup';
  /** Moves the conversation to another task: takes effect before the command is stored. */
  binds?: true;
  /** It ends something: with words that are none of its arguments it is not carried out. */
  isEnd?: true;
  /** Pressed in a channel, it goes on in the thread below the message. */
  isBelow?: true;
  /** Where every task has its thread, it begins one. */
  begins?: true;
  /** The first word may be the id of another task: `any` takes the end of one as well, `full` whole ids only. */
  takesTask?: 'any' | 'full';
  run(context: InvocationOf<Gw>): Promise<CommandReply>;
}

/** The commands of a gateway: its own, and those of its features. */
export interface CommandTable<Gw> {
  readonly all: readonly CommandOf<Gw>[];
  /** By name and by alias, in lower case. */
  readonly byName: ReadonlyMap<string, CommandOf<Gw>>;
}
