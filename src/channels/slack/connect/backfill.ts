/**
 * Fetches what was posted while the gateway was down (promise 14): each time the connection opens, each known chat and
 * thread is read from its mark, and so is each chat with a message that could not be stored. Invariants: live events of
 * a chat wait until its gap is filled, so that order is kept; commands and button presses never wait. While a message
 * could not be stored, no later one is accepted. https://docs.slack.dev/reference/methods/conversations.history/
 */
import type { Logger } from '../../../log.ts';
import type { InboundMessage } from '../../channel.ts';
import { type Fields, list } from '../../shared/read.ts';
import { createBackoff, sleep } from '../../shared/wait.ts';
import type { Decoded, Self } from '../decode/decode.ts';
import { type SlackApi, SlackError } from './api.ts';
import type { Place, Progress } from './read-cursors.ts';

export interface Backfill {
  /** Makes live events wait for the gap to be filled, because a connection is about to open. */
  expect(): void;
  /** Fills gaps in the background. A call while it runs makes it run once more. */
  start(): void;
  /** Returns the wait of a chat's live events. It ends at once when the channel stops, with the gap still open. */
  hold(chat: string): Promise<void> | undefined;
  /** Notes that a live event of this chat could not be stored; the chat is read until it can be. */
  missed(chat: string): void;
  /** Returns whether something of the chat could not be stored yet. */
  isBehind(chat: string): boolean;
}

export interface BackfillOptions {
  api: SlackApi;
  self: () => Self | undefined;
  progress: Progress;
  /** Hands a message on; rejects when it could not be stored. */
  accept: (message: InboundMessage, raw: unknown) => Promise<unknown>;
  /** Never throws. */
  read: (body: unknown, self: Self) => Decoded;
  onDropped: (kind: string) => void;
  log: Logger;
  signal: AbortSignal;
}

const MAX_MESSAGES = 100;
const MAX_AGE_S = 24 * 3600;
/** A thread that was silent for a week isn't read. */
const MAX_THREAD_AGE_S = 7 * 24 * 3600;
const MAX_CHATS = 100;
const MAX_THREADS = 100;
const AT_ONCE = 4;
/** Slack repeats what isn't acknowledged in time, so a longer wait would only bring events twice. */
const MAX_HOLD_MS = 20_000;
const MAX_TRIES = 5;
const AGAIN_MS = { min: 2000, max: 60_000 };

export function createBackfill(options: BackfillOptions): Backfill {
  return new GapFiller(options);
}

class GapFiller implements Backfill {
  readonly #to: BackfillOptions;
  readonly #holds = new Map<string, Promise<void>>();
  readonly #releases = new Map<string, () => void>();
  /** Chats with something that could not be stored. */
  readonly #behind = new Set<string>();
  #running: Promise<void> | undefined;
  #isWanted = false;
  readonly #failures = createBackoff(AGAIN_MS.min, AGAIN_MS.max);
  #again: NodeJS.Timeout | undefined;

  constructor(options: BackfillOptions) {
    this.#to = options;
    this.#to.signal.addEventListener('abort', () => {
      for (const release of [...this.#releases.values()]) release();
    });
  }

  expect(): void {
    this.#group(this.#to.progress.places());
  }

  hold(chat: string): Promise<void> | undefined {
    return this.#holds.get(chat);
  }

  missed(chat: string): void {
    const isKnown = this.#to.progress.places().some((place) => place.chat === chat);
    if (!isKnown || this.#behind.has(chat) || this.#to.signal.aborted) return;
    this.#behind.add(chat);
    this.#lookAgain();
  }

  isBehind(chat: string): boolean {
    return this.#behind.has(chat);
  }

  /** Schedules one run for all chats that failed together. */
  #lookAgain(): void {
    this.#again ??= setTimeout(() => {
      this.#again = undefined;
      this.start();
    }, this.#failures.next()).unref();
  }

  async #run(): Promise<void> {
    while (this.#isWanted && !this.#to.signal.aborted) {
      this.#isWanted = false;
      const chats = this.#group(this.#to.progress.places());
      // A chat beyond the limit isn't read, so nothing of it waits.
      for (const chat of this.#behind) if (!chats.some(([each]) => each === chat)) this.#behind.delete(chat);
      const work = chats.map(
        ([chat, places]) =>
          () =>
            this.#fill(chat, places),
      );
      const lanes = Array.from({ length: AT_ONCE }, async () => {
        for (let next = work.shift(); next && !this.#to.signal.aborted; next = work.shift()) await next();
      });
      await Promise.all(lanes);
    }
  }

  /** Groups places by chat. Live events of every chat wait from now on, before the first can arrive. */
  #group(places: Place[]): [string, Place[]][] {
    const now = Date.now() / 1000;
    const chats = new Map<string, Place[]>();
    let threads = 0;
    for (const place of places) {
      if (place.thread !== undefined && (now - Number(place.mark) > MAX_THREAD_AGE_S || ++threads > MAX_THREADS))
        continue;
      const known = chats.get(place.chat);
      if (known) known.push(place);
      else if (chats.size < MAX_CHATS) chats.set(place.chat, [place]);
    }
    for (const chat of chats.keys()) this.#waiting(chat);
    return [...chats];
  }

  #waiting(chat: string): void {
    if (this.#holds.has(chat)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => release(), MAX_HOLD_MS).unref();
    const release = () => {
      clearTimeout(timer);
      if (this.#holds.get(chat) === promise) {
        this.#holds.delete(chat);
        this.#releases.delete(chat);
      }
      resolve();
    };
    this.#holds.set(chat, promise);
    this.#releases.set(chat, release);
  }

  async #fill(chat: string, places: Place[]): Promise<void> {
    this.#to.progress.pin(chat);
    try {
      const missed: Fields[] = [];
      for (const place of places) missed.push(...(await this.#fetchSince(place)));
      missed.sort((a, b) => Number(a.ts) - Number(b.ts));
      for (const message of missed) await this.#handOver({ ...message, channel: chat, type: 'message' });
      this.#to.progress.settle(chat);
      this.#behind.delete(chat);
      this.#failures.reset();
    } catch (error) {
      if (this.#to.signal.aborted) return;
      this.#to.log.warn({ err: error, chat }, 'what was said while the connection was down could not be taken in yet');
      this.#lookAgain();
    } finally {
      this.#releases.get(chat)?.();
    }
  }

  async #fetchSince({ chat, thread, mark }: Place): Promise<Fields[]> {
    const oldest = Math.max(Number(mark), Date.now() / 1000 - MAX_AGE_S);
    const since = oldest === Number(mark) ? mark : oldest.toFixed(6);
    const params = { channel: chat, oldest: since, limit: MAX_MESSAGES };
    const answer = await this.#ask(
      thread === undefined ? 'history' : 'replies',
      thread === undefined ? params : { ...params, ts: thread },
    );
    return list(answer, 'messages')
      .filter((message) => Number(message.ts) > oldest && (thread === undefined || message.ts !== thread))
      .slice(0, MAX_MESSAGES);
  }

  /** Calls a read method with retries, which is harmless. A chat that is gone has nothing to read. */
  async #ask(method: 'history' | 'replies', params: Record<string, unknown>): Promise<Fields> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#to.api.call(`conversations.${method}`, params);
      } catch (error) {
        if (!(error instanceof SlackError) || this.#to.signal.aborted) throw error;
        if (/^(channel_not_found|thread_not_found|not_in_channel|is_archived|missing_scope)$/.test(error.code)) {
          this.#to.log.debug({ err: error }, 'a chat cannot be read any more');
          return {};
        }
        if (tries >= MAX_TRIES) throw error;
        await sleep(error.retryAfterMs ?? 500 * 2 ** tries, this.#to.signal);
      }
    }
  }

  async #handOver(event: Fields): Promise<void> {
    // A message that isn't accepted leaves its gap open.
    this.#to.signal.throwIfAborted();
    const self = this.#to.self();
    if (!self) return;
    const body = { type: 'event_callback', event };
    const decoded = this.#to.read(body, self);
    if (decoded.kind === 'message') await this.#to.accept(decoded.message, body);
    else if (decoded.kind === 'dropped') this.#to.onDropped(decoded.reason);
  }

  start(): void {
    if (this.#to.signal.aborted) return;
    this.#isWanted = true;
    if (this.#running) this.#group(this.#to.progress.places());
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }
}
