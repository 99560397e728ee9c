/**
 * A mailbox with one lease per lane. The spool implements it on one machine; an engine for several machines implements
 * the same few calls. A lane is worked on by one owner at a time and in order; lanes never wait for each other.
 */
import type { OutboundMessage } from '../channels/channel.ts';

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
}

export interface Lease<T> {
  lane: string;
  /** Rises with each claim of the gateway's life; ack and release with an older one have no effect. */
  epoch: number;
  /** The first message of the lane, with those that belong to the same group. Never empty. */
  items: QueueItem<T>[];
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

export interface EnqueueOptions {
  /** What the platform calls the event, made unique over channel, account and chat. */
  dedupeId: string;
  by: Share;
  /** Milliseconds since the epoch before which the message is not handed out. */
  notBefore?: number;
  /** Neighbours of one lane with the same group are handed out together. */
  group?: string;
  /** The platform's event as it came; stored beside the message, never handed out. */
  raw?: unknown;
}

export interface DeadLetter {
  id: string;
  reason: string;
  /** ISO 8601. */
  diedAt: string;
}

/** What may be asked of the owner of a lane while it works. */
export type LaneSignal = 'stop' | 'steer';

export interface Queue<T> {
  /** Resolves when the message is durable. `duplicate` means that it is so already, however long within 30 days. Rejects when it cannot be stored. */
  enqueue(lane: string, message: T, options: EnqueueOptions): Promise<'accepted' | 'duplicate'>;
  /**
   * Asked before anything with an effect of its own is done for an event: undefined when it is new, else resolves when it is
   * durable, and rejects when it could not be stored.
   */
  seen(dedupeId: string): Promise<void> | undefined;
  /**
   * Waits for the next lane of this kind (the name up to its first colon, that included) in the turn of whoever has waited
   * longest for one; undefined once the queue is closed. A lease counts for the person in whose turn it was given until it ends.
   */
  claim(kind: string): Promise<Lease<T> | undefined>;
  /**
   * Takes further waiting messages of the lane into the lease, whatever stands between: those that are due and that `pick`
   * says yes to, in order. They are given, not added to `lease.items`.
   */
  extend(lease: Lease<T>, pick: (item: QueueItem<T>) => boolean): QueueItem<T>[];
  /** These messages are finished: they leave the lane. The lease ends when it holds no more. */
  ack(lease: Lease<T>, ids: readonly string[]): void;
  /** Hands the lane back with its messages unfinished. `retryAt` in milliseconds since the epoch. Does not count as a crash. */
  release(lease: Lease<T>, options?: { retryAt?: number }): void;
  /** How many wait in a lane, those being stored at this moment included. */
  depth(lane: string): number;
  /** Whether somebody owns the lane now. */
  isBusy(lane: string): boolean;
  /** Asks the owner of a lane; false when nobody owns it now, or its owner has nothing to do for it. */
  signal(lane: string, signal: LaneSignal): boolean;
  /** The listener says whether it has done something. */
  onSignal(listener: (lane: string, signal: LaneSignal) => boolean): void;
  deadLetters(): DeadLetter[];
  /** No more claims; messages not started stay where they are. */
  close(): void;
}
