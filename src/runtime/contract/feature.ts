/**
 * A feature: one object with what it adds to a gateway, all of it optional. `runtime/run/gateway.ts` has `Gw`, the
 * gateway, and `Run`, what tools receive. A part whose `when` doesn't hold isn't entered; a `when` that is a function is
 * synchronous, pure and cheap. Heavy parts are loaded when they are first used.
 */

import type { Principal } from '../../access/principal.ts';
import type { Address } from '../../channels/channel.ts';
import type { QueueItem } from '../../engine/engine.ts';
import type { Messages, Text, Wording } from '../../messages/messages.ts';
import type { Plan } from '../../workspace/types.ts';
import type { Waiting } from './agent.ts';
import type { BoardAt, BoardDoor, BoardRoute, OpenRoute } from './board.ts';
import type { ButtonAction } from './buttons.ts';
import type { CommandOf, CommandReply, CommandTable, InvocationOf } from './command.ts';
import type { Entry, EntryFacts } from './entry.ts';
import type { Finding } from './finding.ts';
import type { JobFiles, JobFilesAt, JobService, KnownNames } from './job-service.ts';
import type { MemoryHit } from './memory.ts';
import type { AnswerReader, OwnModels } from './model.ts';
import type { FeatureOffer, Order, TakenTurn } from './order.ts';
import type { Answer, RunResults } from './outcome.ts';
import type { FileKind, ReadableFile, ReadFor } from './reading.ts';
import type { OwnSettings } from './settings.ts';
import type { Spending, SpendingAt } from './spending.ts';
import type { KnownTool, NativeSkill, Tool } from './tool.ts';
import type { ToolScope } from './tool-scope.ts';
import type { Values, When } from './when.ts';

export type StopFeature = () => void | Promise<void>;

export interface EndedTurn {
  readonly run: string;
  /** The messages that it answers, at least one. */
  readonly items: readonly QueueItem<Entry>[];
  /** An earlier process may have begun to answer them already. */
  readonly isAgain: boolean;
}

export interface TurnFacts {
  readonly state: Answer['state'];
  readonly isJob: boolean;
  /** An earlier process or turn has begun the run. */
  readonly isContinued: boolean;
  /** The newest message is spoken and has no text. */
  readonly isSpoken: boolean;
  readonly hasGuest: boolean;
  /** The answer suggests something to remember. */
  readonly hasAsks: boolean;
  /** Something waits for the run of this task to end. */
  readonly isAwaited: boolean;
}

export interface CutSession {
  viber: string;
  taskId: string;
  person: string;
  /** The limit of the request's history, in tokens. */
  maxTokens: number;
}

/** The run for which a viber remembers; `query` is the message, for a task without a record. */
export interface RecallFor {
  viber: string;
  taskId: string;
  query: string;
  plan: Plan | undefined;
}

export interface MemoryRecall {
  text: string;
  /** Daily logs hold traces of what anyone has written (promise 40). */
  hasLogs: boolean;
}

export type PlaybookSummary = { name: string; problem: string } | { name: string; goal: string; steps: number };

export interface BlockOf {
  viber: string;
  task: string;
  run: string;
  principal: Principal;
  made: RunResults;
}

/** An element of answers that is meant for the gateway, such as `<memory_suggestion>`. */
export interface ReplyBlock<Gw> {
  /** Small letters and `_`. */
  name: string;
  /** Rewrites a text for the agent that asked, if the answer is for one. */
  passOn?(text: string): string;
  /** Handles the contents of the elements of one answer, at least one. */
  take(texts: readonly string[], of: BlockOf, gw: Gw): Promise<void>;
}

export interface Below {
  text: Text;
  buttons: ButtonAction[][];
}

export interface ReplyTo {
  address: Address;
  text: string;
  repliesTo: string;
}

export interface Verdict {
  /** The subject, as its buttons name it. */
  name: string;
  verb: 'accept' | 'edit' | 'reject';
  text: string;
}

export interface Deciding {
  viber: string;
  principal: Principal;
  address: Address;
  messages: Messages;
}

export interface ServerHealth {
  name: string;
  state: 'idle' | 'connecting' | 'connected' | 'failed';
  tools: number;
  problem?: string;
  /** A person must log in there. */
  needsLogin?: true;
}

/** A home; no gateway needs to run there. */
export interface HomeAt {
  readonly config: object;
  readonly home: string;
  /** Names that no skill may have. */
  readonly reserved: readonly string[];
  readonly natives: readonly string[];
}

/** The skills and servers that jobs may name. */
export type OfferedNames = Pick<KnownNames, 'skills' | 'off' | 'servers'>;

export interface CheckedAt extends HomeAt {
  readonly env: NodeJS.ProcessEnv;
  names(vibers: readonly string[]): Promise<OfferedNames>;
}

/** A question with one answer. `no` changes nothing and comes first. */
export interface SetupQuestion {
  question: Wording;
  no: Wording;
  choices: readonly { label: Wording; settings: readonly { path: readonly (string | number)[]; value: unknown }[] }[];
}

export interface FeatureOf<Gw extends { config: unknown }, Run> {
  readonly name: string;
  /** Asked once per gateway; if it returns false, `offers`, `after` and `below` are left out. */
  isSetUp?(at: { config: object }): boolean;
  readonly commands?: readonly CommandOf<Gw>[];
  readonly tools?: readonly Tool<unknown, Run>[];
  readonly natives?: Readonly<Record<string, NativeSkill<{ scope: ToolScope; gw: Gw }>>>;
  /** Tools that come and go, after those of the table. */
  readonly offers?: {
    /** Our own tools among them: no skill and no server may use their names. */
    known?: readonly KnownTool[];
    /** Bundled skills, which another skill of the same name replaces. */
    bundled?: readonly KnownTool[];
    when(order: Order, own: OwnSettings, gw: Gw): boolean;
    tools(order: Order, own: OwnSettings, scope: ToolScope, gw: Gw): Promise<FeatureOffer>;
  };
  /** Handles entries that are more than a message, in place of the model. */
  readonly takes?: {
    readonly when: When<EntryFacts, [Entry]>;
    /**
     * @throws RunError if the turn was ended
     * @throws a system error if the disk fails
     */
    run(turn: TakenTurn, gw: Gw): Promise<Answer | Waiting>;
  };
  readonly models?: OwnModels;
  readonly understands?: AnswerReader;
  /** Reads the words of files. */
  readonly reads?: {
    kinds: readonly FileKind[];
    /** @throws Unreadable with the reason; RunError at a daily cap; the signal's reason */
    read(file: ReadableFile, by: ReadFor, gw: Gw): Promise<string>;
  };
  /** Adds to an answer before it is sent. Repeated after a crash: it must return the same again. */
  readonly answers?: {
    readonly when: When<TurnFacts, [Answer, EndedTurn]>;
    add(outcome: Answer, turn: EndedTurn, gw: Gw): Promise<Answer>;
  };
  /** Delivers answers that go elsewhere than to the conversation of their entry. */
  readonly delivers?: {
    readonly when: When<EntryFacts, [Entry]>;
    /**
     * Resolves when all is durable in the outbox; repeating it sends nothing twice.
     * @throws DeliveryError while a place can't be looked up
     */
    send(outcome: Answer, item: QueueItem<Entry>, turn: EndedTurn, gw: Gw): Promise<void>;
  };
  /** Runs once an answer is in the outbox, before its messages leave the lane. Repeated after a crash. */
  readonly keeps?: {
    readonly when: When<TurnFacts, [Answer, EndedTurn]>;
    keep(outcome: Answer, turn: EndedTurn, at: string, gw: Gw): Promise<void>;
  };
  /** Runs once an answer is durable; its result was recorded `at` (ISO 8601). Nothing waits for it. Must not throw. */
  readonly after?: {
    readonly when: When<TurnFacts, [Answer, EndedTurn, Gw]>;
    note(outcome: Answer, turn: EndedTurn, at: string, gw: Gw): void;
  };
  /** A message can't be handled and is kept aside. Must not throw. */
  gaveUp?(entry: Entry, reason: string, gw: Gw): void;
  readonly zone?: {
    /** Reports a change of a person's zone, and asks about things that follow the old one. */
    left(context: InvocationOf<Gw>, from: string, to: string): Promise<CommandReply | undefined>;
    /**
     * Moves those things to the new zone.
     * @param shown the stamp of the question; undefined if the command was typed
     */
    move(context: InvocationOf<Gw>, from: string, shown: string | undefined): Promise<CommandReply>;
  };
  /** Scheduled jobs; undefined while they can't be read. */
  jobs?(gw: Gw): Promise<JobService | undefined>;
  jobFiles?(at: JobFilesAt): JobFiles;
  /** Names that jobs may use, also without a gateway. */
  names?(vibers: readonly string[], at: HomeAt, gw: Gw | undefined): Promise<Partial<OfferedNames>>;
  servers?(gw: Gw): Promise<ServerHealth[]>;
  /** The first feature that counts does it for all. */
  spending?(at: SpendingAt): Spending;
  routes?(at: BoardAt, gw: Gw): Promise<BoardRoute[]>;
  /** Logins with a browser. */
  door?(at: BoardAt, gw: Gw): Promise<BoardDoor>;
  /** Routes of HTTP that anybody may call: they check a secret of their own. */
  openRoutes?(gw: Gw): Promise<OpenRoute[]>;
  /** A text that is never stored, whoever sends it: a command takes its place before the message is. */
  readonly conceals?: {
    /** Tested on every message of people who may write. */
    pattern: RegExp;
    /** The command, without arguments if `keep` fails. */
    command: string;
    /** Takes the text, and returns the command's arguments, which hold nothing secret. */
    keep(text: string, gw: Gw): Promise<string>;
  };
  /** Answers what the feature's commands of `viber` ask a running gateway. */
  readonly requests?: Readonly<Record<string, (asked: unknown, gw: Gw) => Promise<object>>>;
  playbooks?(gw: Gw): PlaybookSummary[];
  /** Returns the memory that a run is told; '' for none. */
  recall?(of: RecallFor, gw: Gw): Promise<MemoryRecall>;
  /**
   * Whether what this run has seen may be sent to a place without a question; absent: yes. All features are asked before
   * a job writes to a place that its file doesn't name.
   */
  mayTell?(order: Order, to: { address: Address; isDirect: boolean }, gw: Gw): boolean;
  /** A request had to omit the beginning of its session. Must not throw. */
  cut?(session: CutSession, gw: Gw): void;
  /** Repeated after a crash, so it must do the same again. */
  readonly reply?: readonly ReplyBlock<Gw>[];
  /** When `below` is called; absent: always. */
  readonly belowWhen?: Values<TurnFacts>;
  /** Adds to an answer in one conversation. */
  below?(entry: Entry, outcome: Answer, messages: Messages, gw: Gw): Below | undefined;
  /** The command that an unknown one stands for, which then gets it as `use NAME ...`. */
  called?(name: string, viber: string, gw: Gw): Promise<string | undefined>;
  /** The command that a reply to our message stands for. */
  replied?(reply: ReplyTo, gw: Gw): Promise<{ command: string; args: string } | undefined>;
  /** A decision about a suggestion of a run that didn't come as a command. */
  decide?(verdict: Verdict, by: Deciding, gw: Gw): Promise<CommandReply>;
  /** Searches what it keeps for a viber. */
  search?(viber: string, words: string, limit: number, gw: Gw): Promise<MemoryHit[]>;
  /** A question of `viber init`, after those about chats. Undefined if there is nothing to ask. */
  setup?(at: HomeAt): Promise<SetupQuestion | undefined>;
  /** The doctor's findings. Changes nothing, and doesn't throw for anything that a setting can fix. */
  check?(at: CheckedAt): Promise<Finding[]>;
  /** Returns what /status says of its work for a task beside the run. */
  status?(taskId: string, messages: Messages, gw: Gw): Text[];
  /** A person stops a task: ends work for it beside the run, and returns whether there was any. */
  stop?(taskId: string, gw: Gw): Promise<boolean>;
  sweep?(now: Date, gw: Gw): void;
  /** Background work, until the result is called. */
  start?(gw: Gw): StopFeature | Promise<StopFeature>;
}

export interface FeatureSet<Gw extends { config: unknown }, Run> {
  readonly on: readonly FeatureOf<Gw, Run>[];
  readonly tools: readonly Tool<unknown, Run>[];
  readonly commands: CommandTable<Gw>;
}
