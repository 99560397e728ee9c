/**
 * A feature: one object that describes what it adds to a gateway. Every member is optional. `Gw` is the gateway and
 * `Run` what its tools receive; `runtime/run/gateway.ts` provides both. Types only.
 *
 * `when` is data: a feature with nothing to do isn't entered. If it is a function it is synchronous, pure and cheap.
 * Heavy parts are loaded when they are first used.
 */

import type { Principal } from '../../access/principal.ts';
import type { Address } from '../../channels/channel.ts';
import type { QueueItem } from '../../engine/engine.ts';
import type { Messages, Text } from '../../messages/messages.ts';
import type { Plan } from '../../workspace/types.ts';
import type { Waiting } from './agent.ts';
import type { BoardAt, BoardDoor, BoardRoute } from './board.ts';
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
  /** An earlier process may have got as far. */
  readonly isAgain: boolean;
}

/** The facts of a turn with its answer. */
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

/** A session that is too long for a request, and the person for whom the run acts: a principal as text. */
export interface CutSession {
  viber: string;
  taskId: string;
  person: string;
}

/** The run for which a viber remembers. */
export interface RecallFor {
  viber: string;
  taskId: string;
  /** The message, for a task without a record. */
  query: string;
  plan: Plan | undefined;
}

export interface MemoryRecall {
  text: string;
  /** Whether it includes daily logs, which hold traces of what anyone has written (promise 40). */
  hasLogs: boolean;
}

export type PlaybookSummary = { name: string; problem: string } | { name: string; goal: string; steps: number };

export interface BlockOf {
  viber: string;
  task: string;
  run: string;
  /** The person for whom it ran. */
  principal: Principal;
  made: RunResults;
}

/** An element of answers that is meant for the gateway, such as `<memory_suggestion>`. */
export interface ReplyBlock<Gw> {
  /** Small letters and `_`. */
  name: string;
  /** Phrases a text of an agent that was asked for the agent that asked it. */
  passOn?(text: string): string;
  /** Handles `texts`, the contents of the elements of one answer, in order; at least one. */
  take(texts: readonly string[], of: BlockOf, gw: Gw): Promise<void>;
}

export interface Below {
  /** Markdown. */
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

/** The person who decides, and the conversation and viber where they do. */
export interface Deciding {
  viber: string;
  principal: Principal;
  address: Address;
  messages: Messages;
}

/** The state of a server of tools. */
export interface ServerHealth {
  name: string;
  state: 'idle' | 'connecting' | 'connected' | 'failed';
  tools: number;
  /** One sentence, if it has failed. */
  problem?: string;
}

/** A home; no gateway needs to run there. */
export interface HomeAt {
  /** The whole configuration. */
  readonly config: object;
  readonly home: string;
  /** Names that no skill may have. */
  readonly reserved: readonly string[];
  /** The bundled skills that have code. */
  readonly natives: readonly string[];
}

/** What jobs may name of tools and skills that come and go. */
export type OfferedNames = Pick<KnownNames, 'skills' | 'off' | 'servers'>;

/** The home that the doctor checks. */
export interface CheckedAt extends HomeAt {
  readonly env: NodeJS.ProcessEnv;
  /** Returns what jobs of these vibers may name. */
  names(vibers: readonly string[]): Promise<OfferedNames>;
}

export interface FeatureOf<Gw extends { config: unknown }, Run> {
  readonly name: string;
  /**
   * Whether the configuration gives it something to do. Asked once per gateway; without it, `offers` and `after` are
   * left out.
   */
  isSetUp?(at: { config: object }): boolean;
  readonly commands?: readonly CommandOf<Gw>[];
  readonly tools?: readonly Tool<unknown, Run>[];
  /** The code of bundled skills, by the name in their SKILL.md. */
  readonly natives?: Readonly<Record<string, NativeSkill<{ scope: ToolScope; gw: Gw }>>>;
  /** Offers a run tools that come and go, and stand after those of the table. */
  readonly offers?: {
    /** Our own among them; no skill and no server may use their names. */
    known?: readonly KnownTool[];
    /** Those that are bundled skills; a skill of the same name takes their place. */
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
  /** Extracts the words from files of these kinds. */
  readonly reads?: {
    kinds: readonly FileKind[];
    /** @throws Unreadable with the reason; RunError at a daily cap; the signal's reason */
    read(file: ReadableFile, by: ReadFor, gw: Gw): Promise<string>;
  };
  /** Adds to an answer before it is sent. Repeated after a crash, so it must return the same again. */
  readonly answers?: {
    readonly when: When<TurnFacts, [Answer, EndedTurn]>;
    add(outcome: Answer, turn: EndedTurn, gw: Gw): Promise<Answer>;
  };
  /** Delivers answers that go elsewhere than to the conversation of their entry. */
  readonly delivers?: {
    readonly when: When<EntryFacts, [Entry]>;
    /**
     * Resolves when everything to send is durable in the outbox; repeating it sends nothing twice.
     * @throws DeliveryError while a place can't be looked up
     */
    send(outcome: Answer, item: QueueItem<Entry>, turn: EndedTurn, gw: Gw): Promise<void>;
  };
  /**
   * Runs once an answer is in the outbox, before its messages leave the lane. Repeated after a crash, so it must do the
   * same again.
   */
  readonly keeps?: {
    readonly when: When<TurnFacts, [Answer, EndedTurn]>;
    keep(outcome: Answer, turn: EndedTurn, at: string, gw: Gw): Promise<void>;
  };
  /**
   * Runs once an answer is durable. Nothing waits for it, and it must not throw. `at`: when the result was recorded,
   * ISO 8601.
   */
  readonly after?: {
    readonly when: When<TurnFacts, [Answer, EndedTurn, Gw]>;
    note(outcome: Answer, turn: EndedTurn, at: string, gw: Gw): void;
  };
  /** Called when a message can't be handled and is kept aside. Must not throw. */
  gaveUp?(entry: Entry, reason: string, gw: Gw): void;
  /** Called when a person's time zone changes. */
  readonly zone?: {
    /** Reports the change and asks about things that follow the old zone; undefined if there are none. */
    left(context: InvocationOf<Gw>, from: string, to: string): Promise<CommandReply | undefined>;
    /**
     * Moves those things to the new zone.
     * @param shown the stamp of the question; undefined if the command was typed
     */
    move(context: InvocationOf<Gw>, from: string, shown: string | undefined): Promise<CommandReply>;
  };
  /**
   * Returns the scheduled jobs, for commands of the protocol and pages of the Board; undefined while they can't be
   * read.
   */
  jobs?(gw: Gw): Promise<JobService | undefined>;
  jobFiles?(at: JobFilesAt): JobFiles;
  /** Returns the names that jobs may use, of tools and skills that come and go. No gateway needs to run at the home. */
  names?(vibers: readonly string[], at: HomeAt, gw: Gw | undefined): Promise<Partial<OfferedNames>>;
  /** Returns the state of the servers of tools. */
  servers?(gw: Gw): Promise<ServerHealth[]>;
  /** Counts what calls use; the first feature that does it does it for all. No gateway needs to run at the home. */
  spending?(at: SpendingAt): Spending;
  /** Returns routes of the Board. Called once, at the first request for it. */
  routes?(at: BoardAt, gw: Gw): Promise<BoardRoute[]>;
  /** Lets people in with a browser. Called once, at the first request for the Board. */
  door?(at: BoardAt, gw: Gw): Promise<BoardDoor>;
  /** Answers what the feature's commands of `viber` ask a running gateway, by name. */
  readonly requests?: Readonly<Record<string, (asked: unknown, gw: Gw) => Promise<object>>>;
  /** Lists the playbooks, for the Board. */
  playbooks?(gw: Gw): PlaybookSummary[];
  /** Returns what a run is told of the viber's memory; text is '' for nothing. */
  recall?(of: RecallFor, gw: Gw): Promise<MemoryRecall>;
  /** Called when a request had to omit the beginning of its session. Must not throw. */
  cut?(session: CutSession, gw: Gw): void;
  /** Handles blocks of answers. Repeated after a crash, so it must do the same again. */
  readonly reply?: readonly ReplyBlock<Gw>[];
  /** The turns for which `below` is called; absent: all. */
  readonly belowWhen?: Values<TurnFacts>;
  /** Returns what to add below an answer in one conversation; undefined for nothing. */
  below?(entry: Entry, outcome: Answer, messages: Messages): Below | undefined;
  /** Returns the command that an unknown one stands for, which then gets it as `use NAME ...`; undefined for none. */
  called?(name: string, viber: string, gw: Gw): Promise<string | undefined>;
  /** Returns the command that a reply to our message stands for; undefined if it is an ordinary message. */
  replied?(reply: ReplyTo, gw: Gw): Promise<{ command: string; args: string } | undefined>;
  /** Handles a person's decision about a suggestion of a run that didn't come as a command. */
  decide?(verdict: Verdict, by: Deciding, gw: Gw): Promise<CommandReply>;
  /** Searches what the feature keeps for a viber. */
  search?(viber: string, words: string, limit: number, gw: Gw): Promise<MemoryHit[]>;
  /** Returns the doctor's findings. Changes nothing, and doesn't throw for anything that a setting can fix. */
  check?(at: CheckedAt): Promise<Finding[]>;
  sweep?(now: Date, gw: Gw): void;
  /** Starts background work; the result stops it. */
  start?(gw: Gw): StopFeature | Promise<StopFeature>;
}

/** The enabled features, with their tools and commands combined, in the order of the table. */
export interface FeatureSet<Gw extends { config: unknown }, Run> {
  readonly on: readonly FeatureOf<Gw, Run>[];
  readonly tools: readonly Tool<unknown, Run>[];
  /** Includes the core's commands. */
  readonly commands: CommandTable<Gw>;
}
