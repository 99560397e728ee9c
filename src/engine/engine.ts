/**
 * The engine: what must hold whichever machine works on something. A mailbox with one lease per lane, an outbox with the same,
 * small state that is changed by one at a time, and locks. `local/` is the one for a single machine; another for several
 * implements the same calls and passes the same tests (`test/engine/contract.ts`).
 *
 * Invariants: a lane has one owner at a time and keeps its order; lanes never wait for each other. Nothing is acknowledged before
 * it is durable. Whoever has lost what it owned can change nothing any more: every call with its fence throws LeaseLost.
 */
import { createHash } from 'node:crypto';
import type { OutboundMessage } from '../channels/channel.ts';
import type { Arrival, OrderKey } from './arrival.ts';

export type { Arrival, OrderKey } from './arrival.ts';

/** The name of an event, of whatever length the platform's is: 32 hex characters; the first 12 are its trace id. */
export function spoolKey(dedupeId: string): string {
  return createHash('sha256').update(dedupeId).digest('hex').slice(0, 32);
}

/** What somebody owns for a while: a lane, a lock, the lead. */
export interface Fence {
  /** Rises with each time that it is given to somebody. */
  readonly epoch: number;
  /** Aborted when it was given to somebody else. */
  readonly lost: AbortSignal;
  /** Throws LeaseLost when it is not owned any more. */
  check(): void;
}

export interface QueueItem<T> {
  /** The dedupe id's hash: name of the file, and the message's trace. */
  id: string;
  lane: string;
  /** Rises with arrival, also across restarts. */
  seq: number;
  /** Crashes this message was part of; 0 on the first try. */
  attempts: number;
  message: T;
  /** ISO 8601. */
  acceptedAt: string;
  /** A stop came while it waited, durably: it is to be ended, and not worked on. */
  isStopped?: boolean;
}

export interface Lease<T> extends Fence {
  readonly lane: string;
  /** The first message of the lane, with those that belong to the same group. Never empty. */
  readonly items: QueueItem<T>[];
  /**
   * Something of the lane may have been worked on before, by whomever: by an owner that crashed, or by one that handed it back. What
   * only waited, however often the gateway was started, is not.
   */
  readonly isAgain: boolean;
  /** Resolves once all that it holds is durable: asked before the first effect that cannot be taken back. Throws LeaseLost when it could not be stored. */
  stored(): Promise<void>;
}

/** Whose work a message is: lanes are handed out round-robin by person. */
export interface Share {
  /** One text for all accounts of a person. */
  person: string;
  /** Owners have as many lanes in work as they like, and one that is kept for them. */
  isOwner: boolean;
}

export interface FairLimits {
  /** Lanes in work at the same time for one person who is no owner. */
  perPerson: number;
  /** The same for all of them together: what is above that is kept for owners. */
  others: number;
}

export interface EnqueueOptions {
  /** What the platform calls the event, made unique over channel, account and chat. */
  dedupeId: string;
  by: Share;
  /** Messages of one source that wait in a lane are handed out by this; without it, by arrival. */
  orderKey?: OrderKey;
  /** Milliseconds since the epoch before which the message is not handed out. */
  notBefore?: number;
  /** Neighbours of one lane with the same group are handed out together. */
  group?: string;
  /** The platform's event as it came; stored beside the message, never handed out. */
  raw?: unknown;
  /** Refused as `full` when so many wait. Asked here, since between a look and an enqueue others may have taken the place. */
  maxDepth?: number;
}

export interface DeadLetter {
  id: string;
  reason: string;
  /** ISO 8601. */
  diedAt: string;
}

/** What may be asked of the owner of a lane while it works. */
export type LaneSignal = 'stop' | 'steer';

/** What a lane at work looks like from outside. */
export interface LaneView {
  runId: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** The tool in use, if any. */
  tool?: string;
  /** It was stopped, or has its outcome: what is put into the lane now begins after it. */
  isEnding?: true;
}

export interface LaneLook {
  /** How many wait, those being stored at this moment included, those that were stopped not. */
  depth: number;
  /** How many of those that wait were stopped; absent: none. */
  stopped?: number;
  /** Somebody owns the lane now. */
  busy: boolean;
  /** What its owner shows. */
  view?: LaneView;
}

export interface QueueStats {
  /** Unfinished messages, those in work included. */
  waiting: number;
  /** Milliseconds since the epoch at which the oldest of them was accepted. */
  oldest?: number;
}

export interface Queue<T> {
  /** Resolves when the message is durable. `duplicate` means that it is so already, however long within 30 days. Rejects when it cannot be stored. */
  enqueue(lane: string, message: T, options: EnqueueOptions): Promise<'accepted' | 'duplicate' | 'full'>;
  /**
   * Asked before anything with an effect of its own is done for an event: false when it is new, true once it is durable. Rejects
   * when it could not be stored.
   */
  seen(dedupeId: string): Promise<boolean>;
  /**
   * Waits for the next lane of this kind (the name up to its first colon, that included) in the turn of whoever has waited
   * longest for one; undefined once the queue is closed. A lease counts for the person in whose turn it was given until it ends.
   */
  claim(kind: string): Promise<Lease<T> | undefined>;
  /**
   * Takes further waiting messages of the lane into the lease, whatever stands between: those that are due and that `pick`
   * says yes to, in order. They are given, not added to `lease.items`. Throws LeaseLost.
   */
  extend(lease: Lease<T>, pick: (item: QueueItem<T>) => boolean): Promise<QueueItem<T>[]>;
  /** These messages are finished: they leave the lane. The lease ends when it holds no more. Throws LeaseLost. */
  ack(lease: Lease<T>, ids: readonly string[]): Promise<void>;
  /**
   * Hands the lane back with its messages unfinished. `retryAt` in milliseconds since the epoch. Does not count as a crash. What is
   * not owned any more stays as it is: there is nothing to hand back.
   */
  release(lease: Lease<T>, options?: { retryAt?: number }): Promise<void>;
  /** What others may see of the lane while it is owned. Best effort: nobody waits for it. */
  show(lease: Lease<T>, view: LaneView): void;
  look(lane: string): Promise<LaneLook>;
  /**
   * Asks the owner of a lane; false when nobody owns it now, or its owner has nothing to do for it. Where nobody has begun, a stop
   * is for all that waits by now, durably: what is put after it is not stopped. With `before` it is only for what came in before that.
   */
  signal(lane: string, signal: LaneSignal, before?: Arrival): Promise<boolean>;
  /** The listener says whether it has done something; undefined where it does not own the lane, or has not begun. */
  onSignal(
    listener: (lane: string, signal: LaneSignal, before?: Arrival) => Promise<boolean> | boolean | undefined,
  ): void;
  /** A message accepted within the last days, finished or not. */
  find(id: string): Promise<T | undefined>;
  /** Why it was given up; undefined when it was not. Apart from `find`, which may have to search. */
  reasonOf(id: string): Promise<string | undefined>;
  /** Durable among the dead letters when it resolves; it leaves its lane by `ack`, so that a crash between the two loses nothing. */
  giveUp(item: GivenUp, reason: string): Promise<void>;
  deadLetters(): Promise<DeadLetter[]>;
  /** What is not finished, those in work included, lane by lane. */
  unfinished(): Promise<QueueItem<T>[]>;
  stats(): Promise<QueueStats>;
  /** No more claims; messages not started stay where they are. */
  close(): void;
}

/** A message to be kept among the dead letters: one of the queue, or an event that never got there. */
export interface GivenUp extends QueueItem<unknown> {
  dedupeId?: string;
  raw?: unknown;
}

/** An answer on its way. */
export interface OutboxFile {
  key: string;
  /** The trace of the message it answers. */
  trace: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  seq: number;
  message: OutboundMessage;
  /** The first part was about to be sent when this was written: its intent needs no line of its own. */
  sending: boolean;
  reason?: string;
}

/** What is known of one part of an answer. */
export interface PartState {
  sentId?: string;
  /** Attempts whose outcome is not known. */
  unsure: number;
  /** An intent without an outcome: the attempt under way, or one that a crash cut. */
  open: boolean;
  /** Milliseconds since the epoch of the first attempt that may have arrived. */
  since?: number;
}

/** What became of the attempt to send a part. */
export type PartOutcome = 'sent' | 'refused' | 'unsure';

/** The next answer to an address, for as long as it takes: the ones after it wait. */
export interface OutboxLease extends Fence {
  readonly lane: string;
  readonly entry: OutboxFile;
  /** By number. Whoever sends them notes here what it learns, and tells the outbox. */
  readonly parts: Map<number, PartState>;
}

export interface OutboxStats {
  waiting: number;
  unsure: number;
  dead: number;
  /** Milliseconds since the epoch at which the oldest that waits was added. */
  oldest?: number;
}

export interface AddOptions {
  /** An earlier process may have added it: the disk is asked as well. */
  isAgain?: boolean;
  /** Of the lane whose message it answers. */
  fence?: Fence | undefined;
}

/** Answers by address, in the order in which they were added. A lease is for one answer, so its calls name none. */
export interface Outbox {
  /** Durable when it resolves. The same key again has no effect. Throws LeaseLost for a fence that is not owned any more. */
  add(message: OutboundMessage, trace: string, options?: AddOptions): Promise<void>;
  /** Waits for the next answer of a lane that nobody sends from, of those whose name begins so; undefined once it is closed. */
  claim(prefix: string): Promise<OutboxLease | undefined>;
  /** A part is about to be sent: durable when it resolves. Throws LeaseLost. */
  intent(lease: OutboxLease, part: number): Promise<void>;
  /** Written at once, durable with the next intent. `id` is the platform's. Throws LeaseLost. */
  outcome(lease: OutboxLease, part: number, what: PartOutcome, id?: string): Promise<void>;
  /** It leaves the outbox: it was sent, or given up. Throws LeaseLost. */
  finish(lease: OutboxLease): Promise<void>;
  /** Durable in `to` when it resolves; it leaves the outbox by `finish`, so that a crash between the two repeats the end. Throws LeaseLost. */
  giveUp(lease: OutboxLease, to: 'dead' | 'unsure', reason: string): Promise<void>;
  /** Hands it back unsent. What is not owned any more stays as it is. */
  release(lease: OutboxLease): Promise<void>;
  stats(): Promise<OutboxStats>;
  /** No more claims. */
  close(): void;
}

/**
 * Small values that one at a time changes. They outlive the process; a power cut may take the newest, so what must not be lost goes
 * through the queue or stands in a file of the home.
 */
export interface State {
  get(key: string): Promise<string | undefined>;
  /** Gone after `ttlMs`; kept without it. */
  set(key: string, value: string, ttlMs?: number): Promise<void>;
  /** False where there is one: of several at once one gets true. */
  create(key: string, value: string, ttlMs?: number): Promise<boolean>;
  /** False where something else than `before` stands; undefined: nothing does. Gone after `ttlMs`; kept without it. */
  cas(key: string, before: string | undefined, after: string, ttlMs?: number): Promise<boolean>;
  /** The sum, which begins at 0. What is no number counts as that. */
  add(key: string, by: number, ttlMs?: number): Promise<number>;
  delete(key: string): Promise<void>;
}

/** Ends what was begun; resolves once it has ended. */
export type Stop = () => Promise<void>;

export interface EngineHealth {
  ok: boolean;
  /** What is in the way. */
  detail?: string;
}

export interface Engine<T> {
  /** Of this process: rises with each start. */
  readonly epoch: number;
  readonly queue: Queue<T>;
  readonly outbox: Outbox;
  readonly state: State;
  /** Does `work` while nobody else does what has this name; rejects as it does. Not from within work of the same name. */
  lock<R>(name: string, work: (fence: Fence) => Promise<R>): Promise<R>;
  /** Runs when nobody else leads what has this name, and is to end when the fence is lost; then, or when it ends by itself, another may lead. */
  lead(name: string, run: (fence: Fence) => Promise<void>): Stop;
  /** Tells everybody who listens now, here and elsewhere. Best effort. */
  publish(topic: string, text: string): void;
  subscribe(topic: string, on: (text: string) => void): Stop;
  ready(): Promise<EngineHealth>;
  /** Everything written is on the disk when it resolves. Idempotent. */
  close(): Promise<void>;
}
