/**
 * Fetches what was posted while the gateway was down (promise 14): each time the connection opens, each known chat and
 * thread is read from its mark, and so is each chat with a message that could not be stored. Invariants: until a chat's
 * gap is filled, only fetched messages move its marks, so that a stop or crash at any moment skips none; live events
 * wait for that, so that order is kept; commands and button presses never wait. While a message could not be stored, no
 * later one is accepted. https://docs.slack.dev/reference/methods/conversations.history/
 */
import type { InboundMessage } from '../../channel.ts';
import { type Fields, fields, fieldsList, integer, string } from '../../shared/read.ts';
import { createBackoff, sleep } from '../../shared/wait.ts';
import type { DecodedEvent, Self } from '../decode/decode.ts';
import type { SlackContext } from '../options.ts';
import { SlackError } from './api.ts';
import type { Place, Progress } from './read-cursors.ts';

interface BackfillParts {
  progress: Progress;
  /** Hands a message on; rejects when it could not be stored. */
  accept: (message: InboundMessage, raw: unknown) => Promise<unknown>;
  /** Never throws. */
  read: (body: unknown, self: Self) => DecodedEvent;
}

/** The wait of a chat's live events. */
interface Hold {
  over: Promise<void>;
  release: () => void;
  /** True once the wait has lasted too long: it then ends as soon as its chat isn't being filled. */
  isLate: boolean;
  isFilling: boolean;
}

interface MissedMessage {
  place: Place;
  ts: string;
  message: Fields;
}

/** Slack recommends this size, and may return fewer messages than asked for although it has more. */
const PAGE = 200;
/** Slack returns the newest messages first, so all pages are fetched before the first message is accepted. */
const MAX_PAGES = 10;
const MAX_AGE_S = 24 * 3600;
/** A thread that was silent for a week isn't read. */
const MAX_THREAD_AGE_S = 7 * 24 * 3600;
const MAX_CHATS = 100;
const MAX_THREADS = 100;
const AT_ONCE = 4;
const MAX_TRIES = 5;
const AGAIN_MS = { min: 2000, max: 60_000 };

export class Backfill {
  readonly #slack: SlackContext;
  readonly #to: BackfillParts;
  readonly #holds = new Map<string, Hold>();
  /** The time of the oldest message that could not be stored, by chat. */
  readonly #behind = new Map<string, number>();
  #running: Promise<void> | undefined;
  #isWanted = false;
  readonly #failures = createBackoff(AGAIN_MS.min, AGAIN_MS.max);
  #again: NodeJS.Timeout | undefined;

  constructor(slack: SlackContext, parts: BackfillParts) {
    this.#slack = slack;
    this.#to = parts;
    slack.signal.addEventListener('abort', () => {
      for (const hold of [...this.#holds.values()]) hold.release();
    });
  }

  /** Makes live events wait for the gap to be filled, because a connection is about to open. */
  expect(): void {
    this.#group(this.#to.progress.places());
  }

  /** Returns the wait of a chat's live events. It ends at once when the channel stops, with the gap still open. */
  hold(chat: string): Promise<void> | undefined {
    return this.#holds.get(chat)?.over;
  }

  /** Notes that the live event with this time could not be stored; its chat is read until it can be. */
  missed(chat: string, ts: number): void {
    const isKnown = this.#to.progress.places().some((place) => place.chat === chat);
    if (!isKnown || this.#slack.signal.aborted) return;
    this.#behind.set(chat, Math.min(ts, this.#behind.get(chat) ?? ts));
    this.#lookAgain();
  }

  /** Returns whether something of the chat that is older than this could not be stored yet. */
  isBehind(chat: string, ts: number): boolean {
    return ts > (this.#behind.get(chat) ?? Number.POSITIVE_INFINITY);
  }

  /** Schedules one run for all chats that failed together. */
  #lookAgain(): void {
    this.#again ??= setTimeout(() => {
      this.#again = undefined;
      this.start();
    }, this.#failures.next()).unref();
  }

  async #run(): Promise<void> {
    while (this.#isWanted && !this.#slack.signal.aborted) {
      this.#isWanted = false;
      const chats = this.#group(this.#to.progress.places());
      // A chat beyond the limit isn't read, so nothing of it waits.
      for (const chat of this.#behind.keys()) if (!chats.some(([each]) => each === chat)) this.#behind.delete(chat);
      const work = chats.map(
        ([chat, places]) =>
          () =>
            this.#fill(chat, places),
      );
      const lanes = Array.from({ length: AT_ONCE }, async () => {
        for (let next = work.shift(); next && !this.#slack.signal.aborted; next = work.shift()) await next();
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
    for (const chat of chats.keys()) this.#holdEvents(chat);
    return [...chats];
  }

  #holdEvents(chat: string): void {
    this.#to.progress.pin(chat);
    if (this.#holds.has(chat)) return;
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      hold.isLate = true;
      if (!hold.isFilling) hold.release();
    }, this.#slack.timing.holdMs).unref();
    const release = () => {
      clearTimeout(timer);
      if (this.#holds.get(chat) === hold) this.#holds.delete(chat);
      resolve();
    };
    const hold: Hold = { over, release, isLate: false, isFilling: false };
    this.#holds.set(chat, hold);
  }

  async #fill(chat: string, places: Place[]): Promise<void> {
    const pin = this.#to.progress.pin(chat);
    const hold = this.#holds.get(chat);
    let isAgain = false;
    try {
      const missed = await this.#fetch(places);
      if (hold) hold.isFilling = true;
      await this.#acceptAll(chat, missed);
      await this.#acceptAll(chat, await this.#fetch(this.#threadsBegunIn(chat, places, missed)));
      isAgain = !this.#to.progress.settle(chat, pin);
      if (isAgain) return;
      this.#behind.delete(chat);
      this.#failures.reset();
    } catch (error) {
      if (this.#slack.signal.aborted) return;
      this.#slack.log.warn({ err: error, chat }, 'the messages posted while disconnected could not be accepted yet');
      this.#lookAgain();
    } finally {
      if (hold) hold.isFilling = false;
      // Something was missed after this began: it is fetched next, and events wait for that too.
      if (!isAgain || hold?.isLate) hold?.release();
    }
  }

  /** Accepts messages in the order in which they were posted. Those that were accepted before are known as duplicates. */
  async #acceptAll(chat: string, missed: readonly MissedMessage[]): Promise<void> {
    for (const { place, ts, message } of missed) {
      await this.#handOver({ ...message, channel: chat, type: 'message' });
      this.#to.progress.filled(place, ts);
    }
  }

  /** Returns threads with replies that began with one of the missed messages. */
  #threadsBegunIn(chat: string, looked: Place[], missed: readonly MissedMessage[]): Place[] {
    const begun = new Set(missed.flatMap(({ ts, message }) => (integer(message, 'reply_count') ? [ts] : [])));
    for (const { thread } of looked) if (thread !== undefined) begun.delete(thread);
    return this.#to.progress
      .places()
      .filter((place) => place.chat === chat && place.thread !== undefined && begun.has(place.thread));
  }

  async #fetch(places: Place[]): Promise<MissedMessage[]> {
    const missed: MissedMessage[] = [];
    for (const place of places) missed.push(...(await this.#fetchSince(place)));
    return missed.sort((a, b) => Number(a.ts) - Number(b.ts));
  }

  /** Fetches all pages, because only then it's known which message is the oldest. */
  async #fetchSince(place: Place): Promise<MissedMessage[]> {
    const { chat, thread, mark } = place;
    const oldest = Math.max(Number(mark), Date.now() / 1000 - MAX_AGE_S);
    const since = oldest === Number(mark) ? mark : oldest.toFixed(6);
    const method = thread === undefined ? 'history' : 'replies';
    const params = { channel: chat, oldest: since, limit: PAGE, ...(thread !== undefined && { ts: thread }) };
    const missed: MissedMessage[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const answer = await this.#ask(method, cursor === undefined ? params : { ...params, cursor });
      for (const message of fieldsList(answer, 'messages')) {
        const ts = string(message, 'ts') ?? '';
        if (Number(ts) > oldest && ts !== thread) missed.push({ place, ts, message });
      }
      cursor = string(fields(answer, 'response_metadata') ?? {}, 'next_cursor') || undefined;
      if (cursor === undefined) return missed;
    }
    this.#slack.log.warn({ chat, count: missed.length }, 'too many messages were posted here; the oldest are left out');
    return missed;
  }

  /** Calls a read method with retries, which is harmless. A chat that is gone has nothing to read. */
  async #ask(method: 'history' | 'replies', params: Record<string, unknown>): Promise<Fields> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#slack.api.call(`conversations.${method}`, params);
      } catch (error) {
        if (!(error instanceof SlackError) || this.#slack.signal.aborted) throw error;
        if (/^(channel_not_found|thread_not_found|not_in_channel|is_archived|missing_scope)$/.test(error.code)) {
          this.#slack.log.debug({ err: error }, 'a chat cannot be read any more');
          return {};
        }
        if (tries >= MAX_TRIES) throw error;
        await sleep(error.retryAfterMs ?? 500 * 2 ** tries, this.#slack.signal);
      }
    }
  }

  async #handOver(event: Fields): Promise<void> {
    // A message that isn't accepted leaves its gap open.
    this.#slack.signal.throwIfAborted();
    const { self, callbacks } = this.#slack;
    if (!self) throw new Error('not connected');
    const body = { type: 'event_callback', event };
    const decoded = this.#to.read(body, self);
    if (decoded.kind === 'message') await this.#to.accept(decoded.message, body);
    else if (decoded.kind === 'dropped') callbacks?.onDropped(decoded.reason);
  }

  /** Fills gaps in the background. A call while it runs makes it run once more. */
  start(): void {
    if (this.#slack.signal.aborted) return;
    this.#isWanted = true;
    this.expect();
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }
}
