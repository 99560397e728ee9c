/**
 * What has happened, for as long as it is remembered: the newest 10,000 events or 4 MiB, under the epoch of this process. A cursor names a
 * place in it; one of another epoch, or older than what is remembered, is not known, and whoever comes with it is told how things stand.
 */
import type { Address } from '../../channels/channel.ts';
import type { EventFrame } from './frames.ts';

const MAX_EVENTS = 10_000;
const MAX_BYTES = 4 * 1024 * 1024;
/** What an event costs beside its text. */
const OVERHEAD = 200;

/** Whom an event is for: those who may see the task, owners alone, or one conversation of a program, there perhaps about a task. */
export type Audience = { task: string } | 'owners' | { address: Pick<Address, 'channel' | 'chat'>; about?: string };

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
  /** Of `#events`, those that are forgotten already. */
  #start = 0;
  #bytes = 0;
  #seq = 0;

  constructor(epoch: number | string, limits: { events?: number; bytes?: number } = {}) {
    this.#epoch = String(epoch);
    this.#maxEvents = limits.events ?? MAX_EVENTS;
    this.#maxBytes = limits.bytes ?? MAX_BYTES;
  }

  /** Behind everything that has happened. */
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

  /** What came after a cursor, oldest first; undefined when that cannot be told. */
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
