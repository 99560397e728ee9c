/**
 * The engine's contract, for any number of machines: a mailbox with one lease per lane, an outbox with one lease per
 * address, small state with atomic changes, and locks. `local/` implements it for a single machine, `redis/` for
 * several; both pass `test/engine/contract.ts`.
 *
 * Invariants: a lane has one owner at a time and keeps its order; lanes never wait for each other. Nothing is
 * acknowledged before it is durable. An owner that lost its lease can't change anything any more: every call with its
 * fence throws LeaseLost.
 */
import { createHash } from 'node:crypto';
import type { OutboundMessage } from '../channels/channel.ts';
import type { Arrival, OrderKey } from './arrival.ts';

export type { Arrival, OrderKey } from './arrival.ts';

/**
 * Hashes an event's dedupe ID, of any length, to 32 hex characters. The first 12 are its trace ID.
 * @example
 * const trace = spoolKey('telegram 42 7').slice(0, 12);
 */
export function spoolKey(dedupeId: string): string {
  return createHash('sha256').update(dedupeId).digest('hex').slice(0, 32);
}

/** Temporary ownership of a lane, a lock or the lead. */
export interface Fence {
  /** Rises with each new owner. */
  readonly epoch: number;
  /** Aborted when ownership passes to somebody else. */
  readonly lost: AbortSignal;
  /** @throws LeaseLost when it isn't owned any more */
  check(): void;
}

export interface QueueItem<T> {
  /** The hash of the dedupe ID. Its first 12 characters are the message's trace. */
  id: string;
  lane: string;
  /** Rises with arrival, also across restarts. */
  seq: number;
  /** Crashes this message was part of; 0 on the first try. */
  attempts: number;
  message: T;
  /** ISO 8601. */
  acceptedAt: string;
  /** A stop arrived while the message waited, durably: end it, don't run it. */
  isStopped?: boolean;
}

export interface Lease<T> extends Fence {
  readonly lane: string;
  /** The first message of the lane and its neighbours in the same group. Never empty. */
  readonly items: QueueItem<T>[];
  /**
   * True when something in the lane may have been run before, by an owner that crashed or one that released it.
   * Messages that only waited don't count, however often the gateway was restarted.
   */
  readonly isAgain: boolean;
  /**
   * Resolves once everything in the lease is durable. Await it before the first effect that can't be undone.
   * @throws LeaseLost when it couldn't be stored
   */
  stored(): Promise<void>;
}

/** The person a message belongs to: lanes are handed out round-robin by person. */
export interface Share {
  /** The same text for all accounts of a person. */
  person: string;
  /** Owners may have any number of running lanes, and one is reserved for them. */
  isOwner: boolean;
}

export interface FairLimits {
  /** Most running lanes of one person who isn't an owner. */
  perPerson: number;
  /** Most running lanes of all of them together; the rest is reserved for owners. */
  others: number;
}

export interface EnqueueOptions {
  /** The platform's ID of the event, made unique over channel, account and chat. */
  dedupeId: string;
  by: Share;
  /** Orders waiting messages of one source within a lane; without it they keep the order of arrival. */
  orderKey?: OrderKey;
  /** Milliseconds since the epoch before which the message isn't handed out. */
  notBefore?: number;
  /** Neighbours of one lane with the same group are handed out together. */
  group?: string;
  /** The platform's raw event, stored beside the message and never handed out. */
  raw?: unknown;
  /**
   * Refuses the message as `full` when this many wait. Checked here, since others may fill the lane between a look and
   * an enqueue.
   */
  maxDepth?: number;
}

export interface DeadLetter {
  id: string;
  reason: string;
  /** ISO 8601. */
  diedAt: string;
}

export type LaneSignal = 'stop' | 'steer';

/** The state of a running lane, as others see it. */
export interface LaneView {
  runId: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
  tool?: string;
  /** The run was stopped or has its outcome: a message enqueued now starts after it. */
  isEnding?: true;
}

export interface LaneLook {
  /** Messages waiting, including those being stored, but not the stopped ones. */
  depth: number;
  /** How many of the waiting messages were stopped; absent for none. */
  stopped?: number;
  busy: boolean;
  view?: LaneView;
}

export interface QueueStats {
  /** Unfinished messages, including the running ones. */
  waiting: number;
  /** Milliseconds since the epoch at which the oldest of them was accepted. */
  oldest?: number;
}

/**
 * Holds messages by lane. Whoever claims a lane owns it until it is empty, released or lost.
 * @example
 * const by = { person: 'telegram:42', isOwner: true };
 * await queue.enqueue('task:7', 'hello', { dedupeId: 'telegram 42 7', by });
 * const lease = await queue.claim('task:');
 * if (lease) await queue.ack(lease, [lease.items[0]?.id ?? '']);
 */
export interface Queue<T> {
  /**
   * Resolves when the message is durable. `duplicate` means that it already is, or was within the last 30 days. Rejects
   * when it can't be stored.
   */
  enqueue(lane: string, message: T, options: EnqueueOptions): Promise<'accepted' | 'duplicate' | 'full'>;
  /**
   * Resolves to false for a new event, to true once a known one is durable. Ask before any effect outside the queue.
   * Rejects when the event couldn't be stored.
   */
  seen(dedupeId: string): Promise<boolean>;
  /**
   * Waits for the next lane of this kind (the name up to and including its first colon), for the person who has waited
   * longest; undefined once the queue is closed. A lease counts against the person it was given for until it ends.
   */
  claim(kind: string): Promise<Lease<T> | undefined>;
  /**
   * Moves further waiting messages of the lane into the lease, at any position: those that are due and that `pick`
   * accepts, in order. Returns them without adding them to `lease.items`.
   * @throws LeaseLost
   */
  extend(lease: Lease<T>, pick: (item: QueueItem<T>) => boolean): Promise<QueueItem<T>[]>;
  /**
   * Finishes these messages: they leave the lane. The lease ends when it is empty.
   * @throws LeaseLost
   */
  ack(lease: Lease<T>, ids: readonly string[]): Promise<void>;
  /**
   * Hands the lane back with its messages unfinished. `retryAt` is in milliseconds since the epoch. Doesn't count as a
   * crash. Does nothing for a lease that was lost.
   */
  release(lease: Lease<T>, options?: { retryAt?: number }): Promise<void>;
  /** Sets what others see of the lane while it is owned. Best effort: nobody waits for it. */
  show(lease: Lease<T>, view: LaneView): void;
  /** Returns how many messages wait, and whether somebody works on the lane. An unknown lane is empty and idle. */
  look(lane: string): Promise<LaneLook>;
  /**
   * Signals the owner of a lane; false when it has no owner, or its owner has nothing to do for it. If the owner hasn't
   * begun, a stop durably applies to everything waiting now, and not to what is enqueued later. With `before` it
   * applies only to what arrived before that.
   */
  signal(lane: string, signal: LaneSignal, before?: Arrival): Promise<boolean>;
  /** The listener returns whether it did something; undefined where it doesn't own the lane or hasn't begun. */
  onSignal(
    listener: (lane: string, signal: LaneSignal, before?: Arrival) => Promise<boolean> | boolean | undefined,
  ): void;
  /** Finds a message accepted within the last days, finished or not. */
  find(id: string): Promise<T | undefined>;
  /** Returns why the message was given up; undefined if it wasn't. Separate from `find`, which may have to search. */
  reasonOf(id: string): Promise<string | undefined>;
  /**
   * Keeps the message among the dead letters, durably when it resolves. Only `ack` removes it from its lane, so a crash
   * between the two loses nothing.
   */
  giveUp(item: GivenUp, reason: string): Promise<void>;
  /** Lists the messages that were given up, without their content. */
  deadLetters(): Promise<DeadLetter[]>;
  /** Lists unfinished messages, including the running ones, lane by lane. */
  unfinished(): Promise<QueueItem<T>[]>;
  /** Counts the unfinished messages of all lanes. */
  stats(): Promise<QueueStats>;
  /** Ends all claims; messages that haven't started stay where they are. */
  close(): void;
}

/** A message for the dead letters: one of the queue, or an event that never got there. */
export interface GivenUp extends QueueItem<unknown> {
  dedupeId?: string;
  raw?: unknown;
}

/** An answer being delivered. */
export interface OutboxFile {
  key: string;
  /** The trace of the message that it answers. */
  trace: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  seq: number;
  message: OutboundMessage;
  /** The first part was about to be sent when this was written, so its intent needs no line of its own. */
  sending: boolean;
  reason?: string;
}

export interface PartState {
  sentId?: string;
  /** Attempts with an unknown outcome. */
  unsure: number;
  /** An intent without an outcome: the current attempt, or one interrupted by a crash. */
  open: boolean;
  /** Milliseconds since the epoch of the first attempt that may have arrived. */
  since?: number;
}

export type PartOutcome = 'sent' | 'refused' | 'unsure';

/** The next answer to an address; the ones behind it wait until it ends. */
export interface OutboxLease extends Fence {
  readonly lane: string;
  readonly entry: OutboxFile;
  /** States by part number. The sender updates them and reports to the outbox. */
  readonly parts: Map<number, PartState>;
}

export interface OutboxStats {
  waiting: number;
  unsure: number;
  dead: number;
  /** Milliseconds since the epoch at which the oldest waiting answer was added. */
  oldest?: number;
}

export interface AddOptions {
  /** An earlier process may have added it, so the disk is checked too. */
  isAgain?: boolean;
  /** Fence of the lane whose message it answers. */
  fence?: Fence | undefined;
}

/**
 * Answers by address, in the order they were added. A lease covers one answer, so its calls don't name one.
 * @example
 * await outbox.add(answer, spoolKey('telegram 42 7').slice(0, 12));
 * const lease = await outbox.claim('');
 * if (lease) {
 *   await outbox.intent(lease, 0);
 *   await outbox.outcome(lease, 0, 'sent', 'the ID that the platform gave it');
 *   await outbox.finish(lease);
 * }
 */
export interface Outbox {
  /**
   * Adds an answer: durable when it resolves. Adding the same key again has no effect.
   * @throws LeaseLost when the fence isn't owned any more
   */
  add(message: OutboundMessage, trace: string, options?: AddOptions): Promise<void>;
  /**
   * Waits for the next answer of a lane without a sender whose name starts with `prefix`; undefined once the outbox is
   * closed.
   */
  claim(prefix: string): Promise<OutboxLease | undefined>;
  /**
   * Records that a part is about to be sent: durable when it resolves.
   * @throws LeaseLost
   */
  intent(lease: OutboxLease, part: number): Promise<void>;
  /**
   * Records what became of a part: written at once, durable with the next intent. `id` is the platform's.
   * @throws LeaseLost
   */
  outcome(lease: OutboxLease, part: number, what: PartOutcome, id?: string): Promise<void>;
  /**
   * Removes the answer from the outbox, sent or given up.
   * @throws LeaseLost
   */
  finish(lease: OutboxLease): Promise<void>;
  /**
   * Stores the answer in `to`: durable when it resolves. Only `finish` removes the answer from the outbox, so a crash
   * between the two repeats the end.
   * @throws LeaseLost
   */
  giveUp(lease: OutboxLease, to: 'dead' | 'unsure', reason: string): Promise<void>;
  /** Hands the answer back unsent. Does nothing for a lease that was lost. */
  release(lease: OutboxLease): Promise<void>;
  /** Counts the answers that wait, and those that were given up. */
  stats(): Promise<OutboxStats>;
  /** Ends all claims. */
  close(): void;
}

/**
 * Small values with atomic changes. They outlive the process, but a power cut may lose the newest, so what must not be
 * lost goes through the queue or into a file of the home. Each call rejects if the store can't be reached.
 * @example
 * if (await state.create('digest:today', 'sent', 24 * 3_600_000)) outbox.close();
 */
export interface State {
  /** Returns the value; undefined if there is none or it has expired. */
  get(key: string): Promise<string | undefined>;
  /** Sets the value, which expires after `ttlMs`; without it, it is kept. */
  set(key: string, value: string, ttlMs?: number): Promise<void>;
  /** Sets the value only where none exists: of several callers at once, one gets true. */
  create(key: string, value: string, ttlMs?: number): Promise<boolean>;
  /** Replaces `before` (undefined: no value), else returns false. Expires after `ttlMs`; kept without it. */
  cas(key: string, before: string | undefined, after: string, ttlMs?: number): Promise<boolean>;
  /** Returns the sum, which starts at 0. A value that isn't a number counts as 0. */
  add(key: string, by: number, ttlMs?: number): Promise<number>;
  /** Removes the value, if there is one. */
  delete(key: string): Promise<void>;
}

/** Stops the work; resolves once it has ended. */
export type Stop = () => Promise<void>;

export interface EngineHealth {
  ok: boolean;
  detail?: string;
}

/**
 * Everything durable, behind one interface.
 * @example
 * const stop = engine.lead('jobs', async ({ lost }) => new Promise((end) => lost.addEventListener('abort', () => end())));
 * await engine.lock('people', async (fence) => fence.check());
 * await stop();
 * await engine.close();
 */
export interface Engine<T> {
  /** This process's number: rises with each start. */
  readonly epoch: number;
  readonly queue: Queue<T>;
  readonly outbox: Outbox;
  readonly state: State;
  /** Runs `work` while nobody else holds the lock of this name; rejects as it does. Not reentrant. */
  lock<R>(name: string, work: (fence: Fence) => Promise<R>): Promise<R>;
  /**
   * Runs `run` while nobody else leads this name; it should end when the fence is lost. Once it ends, another may lead.
   */
  lead(name: string, run: (fence: Fence) => Promise<void>): Stop;
  /** Notifies all current listeners, in all processes. Best effort. */
  publish(topic: string, text: string): void;
  /** Calls `on` for each later `publish` of the topic, in this process or another. */
  subscribe(topic: string, on: (text: string) => void): Stop;
  /** Returns whether messages can be stored now, and if not, why. */
  ready(): Promise<EngineHealth>;
  /** Resolves when everything written is on disk. Idempotent. */
  close(): Promise<void>;
}
