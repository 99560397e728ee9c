/**
 * Fetches what was posted while the gateway was down (promise 14). Every chat has a mark, the ID of the newest accepted
 * message. After a fresh session of Discord's gateway, chats with newer messages are read from their mark, oldest
 * first, while their live events wait. At most 2,000 messages per chat, none older than a day.
 * https://discord.com/developers/docs/resources/message#get-channel-messages
 */
import { createLru } from '../../../lib/lru.ts';
import type { Logger } from '../../../log.ts';
import type { ReadCursors } from '../../channel.ts';
import { type Fields, isFields } from '../../shared/read.ts';
import { createBackoff, sleep } from '../../shared/wait.ts';
import { holdsMessages, isLocated, type Places } from '../decode/places.ts';
import { id, idAt, isId, isLater } from '../decode/read.ts';
import { type DiscordApi, DiscordError } from './api.ts';
import type { Intake } from './intake.ts';

interface Hand {
  storing: Set<string>;
  /** Messages that could not be stored, and the first of those that could not be fetched. */
  failed: Set<string>;
  /** The newest accepted message. */
  reached: string;
}

/** `unstored`: a message could not be stored. `unread`: Discord didn't return the messages. */
type BackfillResult = 'filled' | 'unstored' | 'unread';

export interface BackfillOptions {
  api: DiscordApi;
  cursors: ReadCursors;
  places: Places;
  intake: Intake;
  /** Passes a message on; false if it was known. Rejects when it could not be stored. */
  accept: (message: Fields) => Promise<boolean>;
  log: Logger;
  signal: AbortSignal;
  backoffMs: { min: number; max: number };
}

const DAY_MS = 24 * 3_600_000;
const LIMIT = 100;
const MAX_PAGES = 20;
const MAX_MARKS = 100_000;
/** The most chats to read that the gateway doesn't list, mostly direct messages; the newest are read. */
const MAX_UNLISTED = 300;
/** Channels get a first mark only up to this many marks in all, so that they don't evict active chats. */
const MAX_SEEDED = 1000;
const AT_ONCE = 4;
const TRIES = 6;

export class Backfill {
  readonly #to: BackfillOptions;
  readonly #known = createLru<string>(MAX_MARKS);
  readonly #failing = new Set<string>();
  readonly #inHand = new Map<string, Hand>();

  constructor(options: BackfillOptions) {
    this.#to = options;
    this.reread();
  }

  /** Reads the marks again, because another process has advanced them. */
  reread(): void {
    for (const [chat, mark] of this.#to.cursors.all()) {
      const known = this.#known.get(chat);
      if (isId(chat) && isId(mark) && (known === undefined || isLater(mark, known))) this.#known.set(chat, mark);
    }
  }

  /** Holds the chats with something to fetch. The returned function fetches it and releases them. */
  begin(): () => Promise<void> {
    const chats = this.#behind().map((chat) => ({ chat, release: this.#to.intake.hold(chat) }));
    return async () => {
      const workers = Array.from({ length: AT_ONCE }, async () => {
        for (let next = chats.shift(); next; next = chats.shift()) {
          const outcome = await this.#tryFill(next.chat);
          // While Discord doesn't return what was missed, live events go on. The mark stays, so nothing is skipped.
          if (outcome !== 'unstored') next.release();
          if (outcome !== 'filled') void this.#retry(next.chat, next.release);
        }
      });
      await Promise.all(workers);
    };
  }

  /** Fetches a message again that could not be stored; the chat's mark stays until then. */
  again(chat: string, messageId: string): void {
    if (this.#failing.has(chat)) return;
    // A chat that was never read is read from this message on, not from yesterday.
    if (!this.#known.has(chat)) this.#known.set(chat, String(BigInt(messageId) - 1n));
    void this.#retry(chat, this.#to.intake.hold(chat));
  }

  /** Notes that this message is being stored; the chat's mark stays before it until it is accepted. */
  storing(chat: string, messageId: string): void {
    this.#hand(chat).storing.add(messageId);
  }

  failed(chat: string, messageId: string): void {
    const hand = this.#hand(chat);
    hand.storing.delete(messageId);
    hand.failed.add(messageId);
  }

  isBehind(): boolean {
    return this.#failing.size > 0;
  }

  #hand(chat: string): Hand {
    const hand = this.#inHand.get(chat) ?? { storing: new Set(), failed: new Set(), reached: '0' };
    this.#inHand.set(chat, hand);
    return hand;
  }

  mark(chat: string, messageId: string): void {
    const newest = this.#reached(chat, messageId);
    const before = this.#known.get(chat);
    if (newest === undefined || (before !== undefined && !isLater(newest, before))) return;
    this.#known.set(chat, newest);
    this.#to.cursors.set(chat, newest);
  }

  /** Returns how far the chat is accepted; undefined while an earlier message is being stored or is to be fetched. */
  #reached(chat: string, messageId: string): string | undefined {
    const hand = this.#inHand.get(chat);
    if (!hand) return messageId;
    hand.storing.delete(messageId);
    hand.failed.delete(messageId);
    if (isLater(messageId, hand.reached)) hand.reached = messageId;
    if ([...hand.storing, ...hand.failed].some((id) => isLater(hand.reached, id))) return undefined;
    if (hand.storing.size + hand.failed.size === 0) this.#inHand.delete(chat);
    return hand.reached;
  }

  /**
   * Returns chats with something to fetch. A chat without a mark gets one, so that the next start knows how far it was
   * read.
   */
  #behind(): string[] {
    const marks = [...this.#known.entries()];
    const newest = marks.reduce((last, [, next]) => (isLater(next, last) ? next : last), '0');
    let count = marks.length;
    for (const [chat, place] of this.#to.places.all()) {
      if (count >= MAX_SEEDED) break;
      if (this.#known.has(chat) || !holdsMessages(place)) continue;
      count++;
      // A channel created while the gateway was down is read from its beginning.
      const isNew = newest !== '0' && isLater(place.made ?? chat, newest);
      this.mark(chat, isNew ? chat : (place.lastMessage ?? chat));
    }
    const dayAgo = idAt(Date.now() - DAY_MS);
    const listed: string[] = [];
    const unlisted: [string, string][] = [];
    for (const [chat, read] of this.#known.entries()) {
      const place = this.#to.places.get(chat);
      if (!place || place.guild === undefined) unlisted.push([chat, read]);
      else if (place.lastMessage !== undefined && isLater(place.lastMessage, read)) {
        if (isLater(place.lastMessage, dayAgo)) listed.push(chat);
      }
    }
    unlisted.sort(([, a], [, b]) => (isLater(a, b) ? -1 : 1));
    return [...listed, ...unlisted.slice(0, MAX_UNLISTED).map(([chat]) => chat)];
  }

  async #fill(chat: string): Promise<string | undefined> {
    const dayAgo = idAt(Date.now() - DAY_MS);
    const read = this.#known.get(chat) ?? dayAgo;
    let after = isLater(read, dayAgo) ? read : dayAgo;
    let newest: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const query = { after, limit: String(LIMIT) };
      const found = await this.#patient(() =>
        this.#to.api.call('GET', `/channels/${chat}/messages`, { query, signal: this.#to.signal }),
      );
      const messages = (Array.isArray(found) ? found.filter(isFields) : []).filter((message) => id(message, 'id'));
      if (messages.length === 0) break;
      messages.sort((a, b) => (isLater(id(a, 'id') ?? '', id(b, 'id') ?? '') ? 1 : -1));
      if (!(await this.#isLocated(chat))) {
        this.#to.log.warn(
          { channel: 'discord', chat },
          'the server of this chat is unknown, so its missed messages were skipped',
        );
        break;
      }
      const taken = await Promise.all(messages.map(this.#to.accept));
      const count = taken.filter(Boolean).length;
      newest = id(messages.at(-1) ?? {}, 'id');
      after = newest ?? after;
      if (count > 0)
        this.#to.log.info({ channel: 'discord', chat, count }, 'read messages sent while the gateway was away');
      if (messages.length < LIMIT) return newest;
    }
    if (newest !== undefined)
      this.#to.log.warn({ channel: 'discord', chat }, 'too many messages were missed here; the rest is skipped');
    return newest;
  }

  /**
   * Returns whether the chat's server is known, or that it is direct; a message fetched over REST doesn't say.
   * Invariant: no message is accepted before that is known, since a server's message would pass for a private one.
   */
  async #isLocated(chat: string): Promise<boolean> {
    if (isLocated(this.#to.places.get(chat))) return true;
    const channel = await this.#patient(() =>
      this.#to.api.call('GET', `/channels/${chat}`, { signal: this.#to.signal }),
    );
    return isFields(channel) && isLocated(this.#to.places.learn(channel));
  }

  /** Waits out temporary failures. Returns undefined if the chat is gone or the bot has no access. */
  async #patient(ask: () => Promise<unknown>): Promise<unknown> {
    const backoff = createBackoff(this.#to.backoffMs.min, this.#to.backoffMs.max);
    for (let tries = 1; ; ) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof DiscordError) || this.#to.signal.aborted || tries >= TRIES) throw error;
        if (error.kind === 'refused') return undefined;
        // A rate limit isn't a failure when many chats are read.
        if (error.kind !== 'limited') tries++;
        await sleep(error.retryAfterMs ?? backoff.next(), this.#to.signal);
      }
    }
  }

  async #tryFill(chat: string): Promise<BackfillResult> {
    const before = [...(this.#inHand.get(chat)?.failed ?? [])];
    try {
      const last = await this.#fill(chat);
      const hand = this.#hand(chat);
      for (const each of before) hand.failed.delete(each);
      const reached = last ?? hand.reached;
      if (reached !== '0') this.mark(chat, reached);
      if (hand.failed.size > 0) return 'unstored';
      this.#failing.delete(chat);
      return 'filled';
    } catch (error) {
      if (!this.#to.signal.aborted)
        this.#to.log.warn({ err: error, chat }, 'messages sent while the gateway was away could not be read');
      if (!(error instanceof DiscordError)) return 'unstored';
      this.failed(chat, String(BigInt(this.#known.get(chat) ?? '0') + 1n));
      return 'unread';
    }
  }

  /** Retries until it works. Where a message could not be stored live events wait, so that they don't overtake it. */
  async #retry(chat: string, release: () => void): Promise<void> {
    const backoff = createBackoff(this.#to.backoffMs.min, this.#to.backoffMs.max);
    this.#failing.add(chat);
    for (let outcome: BackfillResult | undefined; outcome !== 'filled' && !this.#to.signal.aborted; ) {
      await sleep(backoff.next(), this.#to.signal);
      if (this.#to.signal.aborted) break;
      outcome = await this.#tryFill(chat);
      if (outcome === 'unread') release();
    }
    release();
  }
}
