/**
 * A feature: one object that says what it adds to a gateway. Every member may be left out, which means "nothing". `Gw` is the gateway and
 * `Run` what its tools are handed; `runtime/run/gateway.ts` gives both. Types only.
 *
 * `when` is synchronous, pure and cheap: a feature with nothing to do costs one call of it. What is heavy is loaded when it is first used.
 */
import type { Principal } from '../../access/principal.ts';
import type { Address } from '../../channels/channel.ts';
import type { QueueItem } from '../../engine/engine.ts';
import type { Messages, Text } from '../../messages/messages.ts';
import type { MemoryHit } from '../../workspace/memory/search.ts';
import type { Waiting } from './agent.ts';
import type { ButtonAction } from './buttons.ts';
import type { CommandOf, CommandReply, CommandTable, InvocationOf } from './command.ts';
import type { Entry } from './entry.ts';
import type { Finding } from './finding.ts';
import type { JobService } from './job-service.ts';
import type { TakenTurn } from './order.ts';
import type { Answer, Made } from './outcome.ts';
import type { FileKind, ReadableFile, ReadFor } from './reading.ts';
import type { Tool } from './tool.ts';

/** Ends what `start` began. */
export type StopFeature = () => void | Promise<void>;

/** A turn that has its outcome. */
export interface EndedTurn {
  readonly run: string;
  /** The messages it answers, at least one. */
  readonly items: readonly QueueItem<Entry>[];
  /** An earlier process may have come as far. */
  readonly isAgain: boolean;
}

/** A session that is too long for a request, and on whose word the run is: a principal as text. */
export interface CutSession {
  viber: string;
  taskId: string;
  person: string;
}

/** The run whose answer holds a block. */
export interface BlockOf {
  viber: string;
  task: string;
  run: string;
  /** On whose word it ran. */
  principal: Principal;
  made: Made;
}

/** An element of answers that is meant for the gateway: `<memory_suggestion>`. */
export interface ReplyBlock<Gw> {
  name: 'memory_suggestion';
  /** `texts`: what stands in the elements of one answer, in order; at least one. */
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
  /** The message of ours. */
  repliesTo: string;
}

export interface Verdict {
  /** What it is about, as its buttons name it. */
  name: string;
  verb: 'accept' | 'edit' | 'reject';
  /** In place of what was suggested. */
  text: string;
}

/** Who decides, where, and in conversation with which viber. */
export interface Deciding {
  viber: string;
  principal: Principal;
  address: Address;
  messages: Messages;
}

/** Where the doctor looks: no gateway has to run there. */
export interface CheckedAt<Gw extends { config: unknown }> {
  readonly config: Gw['config'];
  readonly env: NodeJS.ProcessEnv;
  /** The folder of the home. */
  readonly home: string;
}

export interface FeatureOf<Gw extends { config: unknown }, Run> {
  readonly name: string;
  readonly commands?: readonly CommandOf<Gw>[];
  readonly tools?: readonly Tool<unknown, Run>[];
  /** Entries that are more than a message: the feature does the turn's work in place of the model. */
  readonly takes?: {
    when(entry: Entry): boolean;
    /** Throws RunError when the turn was ended, or a system error when the disk fails. */
    run(turn: TakenTurn, gw: Gw): Promise<Answer | Waiting>;
  };
  /** Takes the words out of files of these kinds. */
  readonly reads?: {
    kinds: readonly FileKind[];
    /** @throws Unreadable with the reason; RunError at a daily cap; the signal's reason */
    read(file: ReadableFile, by: ReadFor, gw: Gw): Promise<string>;
  };
  /** Adds to an answer before it is sent. Done again after a crash, so it must give the same again. */
  readonly answers?: {
    when(outcome: Answer, turn: EndedTurn): boolean;
    add(outcome: Answer, turn: EndedTurn, gw: Gw): Promise<Answer>;
  };
  /** Entries whose answer goes elsewhere than to the conversation that they came from. */
  readonly delivers?: {
    when(entry: Entry): boolean;
    /**
     * Resolves when all that is to be sent is durable in the outbox; the same again sends nothing twice. Throws DeliveryError while a
     * place cannot be looked up.
     */
    send(outcome: Answer, item: QueueItem<Entry>, turn: EndedTurn, gw: Gw): Promise<void>;
  };
  /** Follows an answer that is in the outbox, before its messages leave the lane: done again after a crash, and then the same again. */
  readonly keeps?: {
    when(outcome: Answer, turn: EndedTurn): boolean;
    keep(outcome: Answer, turn: EndedTurn, at: string, gw: Gw): Promise<void>;
  };
  /** Follows an answer that is durable. Nothing waits for it, and it must not throw. `at`: when the result was recorded, ISO 8601. */
  readonly after?: {
    when(outcome: Answer, turn: EndedTurn): boolean;
    note(outcome: Answer, turn: EndedTurn, at: string, gw: Gw): void;
  };
  /** Hears of a message that cannot be worked on and is kept aside. It must not throw. */
  gaveUp?(entry: Entry, reason: string, gw: Gw): void;
  /** A person lives by another clock now. */
  readonly zone?: {
    /** Says that they do, and asks about what goes on by the old one; undefined where nothing does. */
    left(context: InvocationOf<Gw>, from: string, to: string): Promise<CommandReply | undefined>;
    /** They want it moved along. @param shown the stamp of what they were asked about; undefined where it was typed */
    move(context: InvocationOf<Gw>, from: string, shown: string | undefined): Promise<CommandReply>;
  };
  /** The work at set times, as commands of the protocol and pages of the Board ask for it; undefined while it cannot be read. */
  jobs?(gw: Gw): Promise<JobService | undefined>;
  /** A request had to leave the beginning of its session out. Must not throw. */
  cut?(session: CutSession, gw: Gw): void;
  /** What blocks of an answer ask for is done: again after a crash, and then the same again. */
  readonly reply?: readonly ReplyBlock<Gw>[];
  /** What stands below an answer in one conversation; undefined for nothing. */
  below?(entry: Entry, outcome: Answer, messages: Messages): Below | undefined;
  /** What a reply to a message of ours stands for; undefined where it is a message like any other. */
  replied?(reply: ReplyTo, gw: Gw): Promise<{ command: string; args: string } | undefined>;
  /** A person's word on something that a run has suggested, said in another way than by a command. */
  decide?(verdict: Verdict, by: Deciding, gw: Gw): Promise<CommandReply>;
  /** Looks through what it keeps of a viber. */
  search?(viber: string, words: string, limit: number, gw: Gw): Promise<MemoryHit[]>;
  /** What the doctor says of it. Changes nothing, and does not throw for what a setting can mend. */
  check?(at: CheckedAt<Gw>): Promise<Finding[]>;
  /** Once a day. */
  sweep?(now: Date, gw: Gw): void;
  /** Begins its work in the background; the result ends it. */
  start?(gw: Gw): StopFeature | Promise<StopFeature>;
}

/** The features that are on, with what each adds to one thing put together, in the order of the table. */
export interface FeatureSet<Gw extends { config: unknown }, Run> {
  readonly on: readonly FeatureOf<Gw, Run>[];
  readonly tools: readonly Tool<unknown, Run>[];
  /** With those of the core. */
  readonly commands: CommandTable<Gw>;
}
