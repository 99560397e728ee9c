/**
 * Tracks how far each chat, and each thread that may hold a task, was read. Marks are Slack's times of messages (`ts`).
 * Invariant: no mark passes a message that isn't accepted. Where a message may have been missed, only fetched messages
 * move the marks, and no mark passes a message that is being stored.
 */

import { createLru } from '../../../lib/lru.ts';
import type { InboundMessage, InboundOutcome, ReadCursors } from '../../channel.ts';

export interface Place {
  chat: string;
  thread?: string;
  /** The `ts` of the last accepted message. */
  mark: string;
}

export interface Storing {
  ended(outcome: InboundOutcome): void;
  /** Pins the chat, which is then read from before this message. */
  failed(): void;
}

/** A chat whose marks can't move freely. */
interface Open {
  /** The last pin, or 0 if nothing is missing. */
  pin: number;
  /** Messages that are being stored. */
  inHand: Set<{ ts: string }>;
  /** Marks that places will get once no earlier message is missing, by place. */
  reached: Map<string, string>;
}

const MAX_PLACES = 2000;
const MARK = /^\d+\.\d+$/;
/** Edits and button presses move no mark. */
const UNMARKED: Storing = { ended: () => undefined, failed: () => undefined };

export class Progress {
  readonly #cursors: ReadCursors;
  readonly #read = createLru<string>(MAX_PLACES);
  readonly #opens = new Map<string, Open>();
  #pins = 0;

  constructor(cursors: ReadCursors) {
    this.#cursors = cursors;
    const kept = [...cursors.all()].filter(([, mark]) => MARK.test(mark));
    for (const [place, mark] of kept.sort(([, a], [, b]) => Number(a) - Number(b))) this.#read.set(place, mark);
  }

  /** Notes that a message is about to be stored. The caller must report the outcome. */
  storing(message: InboundMessage): Storing {
    const { address, messageId: ts, kind } = message;
    if (!MARK.test(ts) || kind === 'edit' || kind === 'button') return UNMARKED;
    const open = this.#open(address.chat);
    const hand = { ts };
    open.inHand.add(hand);
    return {
      ended: (outcome) => {
        open.inHand.delete(hand);
        this.#note(message, outcome);
        this.#move(address.chat, open);
      },
      failed: () => {
        open.inHand.delete(hand);
        open.pin = ++this.#pins;
        const place = fetchPlace(address, ts);
        if (!this.#read.has(place)) this.#begin(place, open, before(ts));
      },
    };
  }

  /** Notes a thread that the bot opened, to be read from its first message on. */
  opened(chat: string, thread: string): void {
    this.#advance(`${chat}:${thread}`, thread);
  }

  /** Lets only `filled` move the marks of a chat, because a message may be missing there. Returns the argument for `settle`. */
  pin(chat: string): number {
    this.#open(chat).pin = ++this.#pins;
    return this.#pins;
  }

  /** Notes that everything in this place up to this message was fetched and accepted. */
  filled({ chat, thread }: Place, ts: string): void {
    this.#set(thread === undefined ? chat : `${chat}:${thread}`, ts);
  }

  /** Ends a pin. Returns false if the chat was pinned again since; it then stays pinned. */
  settle(chat: string, pin: number): boolean {
    const open = this.#open(chat);
    if (open.pin !== pin) return false;
    open.pin = 0;
    this.#move(chat, open);
    return true;
  }

  /** Returns the places to read for missed messages, the most recently active first. */
  places(): Place[] {
    return [...this.#read.entries()].reverse().map(([place, mark]) => {
      const [chat = '', thread] = place.split(':');
      return thread === undefined ? { chat, mark } : { chat, thread, mark };
    });
  }

  #open(chat: string): Open {
    const open = this.#opens.get(chat) ?? { pin: 0, inHand: new Set(), reached: new Map() };
    this.#opens.set(chat, open);
    return open;
  }

  #note({ address, messageId, isDirect }: InboundMessage, outcome: InboundOutcome): void {
    const place = fetchPlace(address, messageId);
    // A refused person leaves nothing behind; a chat that is already read is read past them.
    const isIn = outcome === 'accepted' || outcome === 'duplicate';
    if ((outcome === 'refused' && isDirect) || (!isIn && !this.#read.has(place))) return;
    this.#advance(place, messageId);
    if (address.thread === messageId && isIn) this.#advance(`${address.chat}:${messageId}`, messageId);
  }

  #set(place: string, ts: string): void {
    if (!isLater(ts, this.#read.get(place))) return;
    this.#read.set(place, ts);
    this.#cursors.set(place, ts);
  }

  #advance(place: string, ts: string): void {
    const open = this.#opens.get(placeChat(place));
    if (!open || mayPass(open, ts)) this.#set(place, ts);
    else {
      if (!this.#read.has(place)) this.#begin(place, open, ts);
      if (isLater(ts, open.reached.get(place))) open.reached.set(place, ts);
    }
  }

  /** Sets the first mark of a place. A thread that began in the gap is read from its first message on. */
  #begin(place: string, open: Open, ts: string): void {
    const [chat = '', thread] = place.split(':');
    const mark = this.#read.get(chat);
    const isMissed = open.pin > 0 && thread !== undefined && mark !== undefined && isLater(thread, mark);
    this.#set(place, firstMark(open, isMissed ? thread : ts));
  }

  /** Moves the marks that are no longer held back. */
  #move(chat: string, open: Open): void {
    for (const [place, ts] of open.reached) {
      if (!mayPass(open, ts)) continue;
      open.reached.delete(place);
      this.#set(place, ts);
    }
    if (open.pin === 0 && open.inHand.size === 0) this.#opens.delete(chat);
  }
}

const placeChat = (place: string): string => place.split(':', 1)[0] ?? '';

const isLater = (ts: string, than: string | undefined): boolean => Number(ts) > Number(than ?? 0);

const mayPass = ({ pin, inHand }: Open, ts: string): boolean =>
  pin === 0 && ![...inHand].some((hand) => isLater(ts, hand.ts));

/** Returns the first mark of a new place, before all messages being stored, because these may belong to it. */
function firstMark({ inHand }: Open, ts: string): string {
  const earlier = [...inHand].filter((hand) => isLater(ts, hand.ts)).sort((a, b) => Number(a.ts) - Number(b.ts));
  return earlier[0] === undefined ? ts : before(earlier[0].ts);
}

/** Returns a time one microsecond earlier. */
function before(ts: string): string {
  const [seconds = '0', fraction = ''] = ts.split('.');
  const micros = BigInt(seconds) * 1_000_000n + BigInt(fraction.padEnd(6, '0').slice(0, 6)) - 1n;
  return `${micros / 1_000_000n}.${String(micros % 1_000_000n).padStart(6, '0')}`;
}

/** Returns the place where a message is fetched: its thread if it's a reply. */
function fetchPlace({ chat, thread }: InboundMessage['address'], messageId: string): string {
  return thread !== undefined && thread !== messageId ? `${chat}:${thread}` : chat;
}
