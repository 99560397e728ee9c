/**
 * The event log: the newest 10,000 events or 4 MiB, under this process's epoch. A cursor is a position in it. For a
 * cursor of another epoch, or one older than the log, a client receives the current state instead.
 */
import type { EventFrame } from './frames.ts';

const MAX_EVENTS = 10_000;
const MAX_BYTES = 4 * 1024 * 1024;
/** Bytes per event beside its text. */
const OVERHEAD = 200;

/**
 * Who an event is for: people who may see the task, owners, or one conversation of a program, possibly about a task.
 */
export type Audience = { task: string } | 'owners' | { address: { channel: string; chat: string }; about?: string };

export interface LoggedEvent {
  seq: number;
  frame: EventFrame;
  audience: Audience;
  bytes: number;
}

export class EventLog {
  readonly #epoch: string;
  readonly #maxEvents: number;
  readonly #maxBytes: number;
  #events: LoggedEvent[] = [];
  /** The number of entries of `#events` that are already dropped. */
  #start = 0;
  #bytes = 0;
  #seq = 0;

  constructor(epoch: number | string, limits: { events?: number; bytes?: number } = {}) {
    this.#epoch = String(epoch);
    this.#maxEvents = limits.events ?? MAX_EVENTS;
    this.#maxBytes = limits.bytes ?? MAX_BYTES;
  }

  /** The position after the newest event. */
  get cursor(): string {
    return this.#cursorOf(this.#seq);
  }

  add(frame: EventFrame, audience: Audience): LoggedEvent {
    this.#seq += 1;
    const cursored: EventFrame = { ...frame, cursor: this.#cursorOf(this.#seq) };
    const event = { seq: this.#seq, frame: cursored, audience, bytes: JSON.stringify(cursored).length + OVERHEAD };
    this.#events.push(event);
    this.#bytes += event.bytes;
    while (this.#events.length - this.#start > this.#maxEvents || this.#bytes > this.#maxBytes) this.#forget();
    return event;
  }

  /** Returns the events after a cursor, oldest first, or undefined if the cursor is unknown. */
  after(cursor: string): readonly LoggedEvent[] | undefined {
    const [, epoch, place] = /^(.{1,32})\.(\d{1,15})$/.exec(cursor) ?? [];
    const seq = Number(place);
    const oldest = this.#events[this.#start]?.seq ?? this.#seq + 1;
    if (epoch !== this.#epoch || seq > this.#seq || seq < oldest - 1) return undefined;
    return this.#events.slice(this.#start + seq - (oldest - 1));
  }

  #cursorOf(seq: number): string {
    return `${this.#epoch}.${seq}`;
  }

  #forget(): void {
    this.#bytes -= this.#events[this.#start]?.bytes ?? 0;
    this.#start += 1;
    if (this.#start < 1_000 && this.#start < this.#events.length) return;
    this.#events = this.#events.slice(this.#start);
    this.#start = 0;
  }
}
