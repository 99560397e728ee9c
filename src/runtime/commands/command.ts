/** A command of the chats: one entry of the table, the same on every channel. */

import type { Action } from '../../access/authorise.ts';
import type { Links } from '../../access/links.ts';
import type { Pairing } from '../../access/pairing.ts';
import type { Principal } from '../../access/principal.ts';
import type { Zones } from '../../access/zones.ts';
import type { Address, Attachment, CommandSpec, QuotedText } from '../../channels/channel.ts';
import type { Arrival, LaneLook } from '../../engine/engine.ts';
import type { Messages, Said, Text } from '../../messages/messages.ts';
import type { Adding } from '../../skills/add/add.ts';
import type { Home } from '../../workspace/home.ts';
import type { MemorySearch } from '../../workspace/memory/search.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { ButtonAction } from '../contract/buttons.ts';
import type { PlayOrder } from '../contract/entry.ts';
import type { JobService } from '../contract/job-service.ts';
import type { Expected } from '../conversations/expected.ts';
import type { ConversationSettings } from '../conversations/settings.ts';
import type { ViberRules } from '../conversations/vibers.ts';
import type { Costs } from '../costs/costs.ts';
import type { Compaction } from '../memory/compaction.ts';
import type { ModelChoices } from '../model/choices.ts';
import type { AttachRules } from '../reply/render-answer.ts';
import type { ServerPrompt } from '../tools/mcp/prompts.ts';
import type { SkillService } from '../tools/skills/service.ts';

/** `usual`: the zone of those who have told none. */
export type ZonesAt = Pick<Zones, 'of' | 'set'> & { usual: string };

/** Prompts of servers of tools. */
export interface ServerPrompts {
  list(): Promise<ServerPrompt[]>;
  /** Its words. Throws UserError when the server does not give them. */
  read(prompt: ServerPrompt, values: Readonly<Record<string, string>>): Promise<string>;
}

/** Skills from elsewhere. */
export type SkillAdding = Pick<Adding, 'look' | 'take' | 'drop' | 'lookForUpdates' | 'lookBeforeRemoval' | 'remove'>;

/** A conversation that is bound to a task now. */
export interface BoundPlace {
  address: Address;
  isDirect: boolean;
  /** The linked person whose direct messages share the binding. */
  person?: string;
}

export interface CommandContext {
  home: Home;
  /** In the language of whoever gave it, with commands as they are typed there. */
  messages: Messages;
  /** In the language of whoever reads at another place. */
  messagesAt(address: Address): Messages;
  viber: string;
  /** What was typed after the command's name and, for commands with `takesTask`, after the task's id. */
  args: string;
  principal: Principal;
  address: Address;
  isDirect: boolean;
  /** The answer is for this person's eyes alone, wherever they asked. */
  isPrivate: boolean;
  /** Begins a conversation in a thread of its own: every task has its thread here. */
  opensThread: boolean;
  /**
   * The task the conversation was bound to when the command arrived (after it, for commands that bind), or the one whose id
   * was typed.
   */
  taskId: string;
  /** The command has moved the conversation to `taskId`; an id that means no task of theirs moves nothing. */
  moves: boolean;
  /** The task's record; undefined before its first message was taken up. */
  task: TaskRecord | undefined;
  model: string;
  /** Which models there are, and what they cost. */
  models: ModelChoices;
  /** What the task's lane is at, on whichever machine. */
  look(taskId: string): Promise<LaneLook>;
  /** IANA; the machine's own when absent. */
  timezone?: string | undefined;
  /** What waits for a person's decision; absent where nothing can. */
  approvals?: Pick<Approvals, 'get' | 'open' | 'decide'>;
  /** Pieces of a viber's memory that fit a question; absent where it is only looked through line by line. */
  searchMemory?: MemorySearch['searchMemory'];
  /** What was used and what may be; absent where nobody counts. */
  costs?: Pick<Costs, 'ofRun' | 'today' | 'check' | 'limits' | 'currency'>;
  /** The scheduled jobs, once they have been read; undefined where there are none. */
  jobs(): Promise<JobService | undefined>;
  /** What it can use; absent where there is nothing of the kind. */
  skills?: SkillService;
  /** What servers of tools keep for people to choose; absent where there are no servers. */
  prompts?: ServerPrompts;
  /** Adds, updates and removes skills, once it has been loaded; absent where that cannot be done. */
  adding?: () => Promise<SkillAdding>;
  /** Makes room in a session; absent where there is no model. */
  compaction?: Pick<Compaction, 'compact'>;
  /** Puts a playbook into a task's lane, as words of this person; once, however often the command is carried out. */
  play(taskId: string, order: PlayOrder, text: string): Promise<void>;
  /** Puts words into a task's lane as this person's own, with others' that they quote; once, however often it is carried out. */
  say(taskId: string, text: string, quote: QuotedText): Promise<void>;
  /** Shows how a task stands where its threads begin; absent where nothing is shown. */
  showTask?(taskId: string): void;
  /** Puts words of this person into a task's lane that call a skill; once, however often the command is carried out. */
  call(taskId: string, skill: string, text: string): Promise<void>;
  /** Ends the task's run, and what waits in it; false when there is neither. With `before` only what came in before that. */
  stop(taskId: string, before?: Arrival): Promise<boolean>;
  /** What is at work under the eyes of a conversation, with the agents that work on it. */
  runsAt(address: Address): { taskId: string; agentId: string }[];
  /** The same anywhere. */
  runs(): { taskId: string; agentId: string }[];
  mayUse(action: Action, task: TaskRecord | undefined): boolean;
  /**
   * The newest tasks this principal may see here; in direct messages their own unless `all` is asked for. With `looked` there
   * may be more: so many of the newest were looked at, and no others.
   */
  tasks(limit: number, whose?: 'own' | 'all'): Promise<{ found: TaskRecord[]; looked?: number }>;
  pairing: Pick<Pairing, 'approve' | 'deny' | 'pending'>;
  links: Links;
  /** The conversations bound to a task now, the one the command came from among them. */
  bound(taskId: string): readonly BoundPlace[];
  /**
   * Gives the shared direct conversation of a person the task of the conversation at `from`, unless it has a task already:
   * whoever links a second account goes on with the task of the first.
   */
  shareTask(person: string, from: Address, was?: string): Promise<void>;
  /** What may be attached to an answer at an address: `attach` of its channel and the bytes it takes for one file. */
  attachRules(address: Address): AttachRules;
  /** By whose clock people live; absent where nobody asks. */
  zones?: ZonesAt;
  /** What the next words of a person answer; absent where nothing can be asked so. */
  expected?: Pick<Expected, 'set' | 'clear'>;
  /** Which vibers there are, and who may talk to them; absent where there is only one. */
  vibers?: ViberRules;
  /** What a viber's file says it is for. */
  aboutViber?: (id: string) => Promise<string | undefined>;
  /** What was chosen for conversations. */
  settings: ConversationSettings;
  /** What is typed before a command's name, by channel id, for the channels that are on: `{ telegram: '/', slack: '/viber ' }`. */
  prefixes: Readonly<Record<string, string>>;
  /** A link that logs this owner in on the Board, once; undefined where it cannot be reached, absent where there is none. */
  boardLink?(principal: Principal, address: Address): Promise<{ url: string; isHereOnly: boolean } | undefined>;
  /** Other commands, for `/help`. */
  list(): readonly CommandSpec[];
}

/** How the id of a task looks, or the end of one: a word with a digit in it. */
export const TASK_ID = '^(?=\\S*\\d)[\\w-]+$';

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

export interface Command extends CommandSpec {
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
  run(context: CommandContext): Promise<CommandReply>;
}
