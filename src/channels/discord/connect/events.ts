/**
 * Dispatches the gateway's events: places are learnt, messages pass the intake in order, interactions are handled at
 * once. Invariant: a message counts as accepted only after `onMessage` has resolved; one that could not be stored is
 * fetched again.
 */
import type { Logger } from '../../../log.ts';
import type { ChannelCallbacks, ReadCursors } from '../../channel.ts';
import { type Fields, fields, integer, isFields, string } from '../../shared/read.ts';
import { type Bot, type Context, type DecodedEvent, decodeMessage } from '../decode/decode.ts';
import type { Places } from '../decode/places.ts';
import { id } from '../decode/read.ts';
import type { DiscordApi } from './api.ts';
import { Backfill } from './backfill.ts';
import { mayReadContent, missingIntent } from './config-problems.ts';
import { createIntake } from './intake.ts';
import type { Interactions } from './interactions.ts';
import { createLookup } from './lookup.ts';

export interface EventsOptions {
  api: DiscordApi;
  cursors: ReadCursors;
  places: Places;
  interactions: Interactions;
  contextOf: (bot: Bot) => Context;
  log: Logger;
  signal: AbortSignal;
  backoffMs: { min: number; max: number };
  callbacks: () => ChannelCallbacks | undefined;
  onBot: (bot: Bot) => void;
  onWritten: (channel: string) => void;
}

export class Events {
  readonly #to: EventsOptions;
  readonly #intake = createIntake();
  readonly #lookUp;
  readonly #backfill;
  readonly #inHand = new Set<Promise<void>>();
  #bot: Bot | undefined;

  constructor(options: EventsOptions) {
    this.#to = options;
    this.#lookUp = createLookup({ ...this.#to, intake: this.#intake });
    this.#backfill = new Backfill({
      ...this.#to,
      intake: this.#intake,
      accept: (message) => this.#handOver(message, 'message'),
    });
  }

  onPacket(type: string, data: unknown): void {
    if (!isFields(data)) return;
    if (type === 'READY') this.#ready(data);
    else if (type === 'MESSAGE_CREATE') this.#takeMessage(data, 'message');
    else if (type === 'MESSAGE_UPDATE') this.#takeMessage(data, 'edit');
    else if (type === 'INTERACTION_CREATE' && this.#bot)
      this.#track(this.#to.interactions.take(data, this.#to.contextOf(this.#bot)));
    else if (this.#to.places.take(type, data, this.#bot?.account ?? '')) this.#begun(type, data);
    else if (type !== 'RESUMED') this.#to.callbacks()?.onDropped(type.toLowerCase());
  }

  /** Handles the start of a fresh session: earlier messages may have been missed. */
  onFresh(): void {
    const fill = this.#backfill.begin();
    this.#intake.resume();
    this.#track(fill());
  }

  /** Handles a resumed session: Discord replays what was missed. */
  onResumed(): void {
    // The last session broke before the missed messages were fetched.
    if (this.#intake.isPaused()) this.onFresh();
  }

  /** Sets the bot in advance, because a resumed session doesn't name it. */
  introduce(bot: Bot): void {
    this.#bot = bot;
    this.#to.onBot(bot);
  }

  async takeOver(): Promise<void> {
    await this.#to.cursors.reread?.();
    this.#backfill.reread();
  }

  /** Resolves when all received events have been handled. */
  async settled(): Promise<void> {
    await Promise.all(this.#inHand);
  }

  /** Resolves like `settled`; true if everything was accepted and nothing is pending. */
  async isAllAccepted(): Promise<boolean> {
    await this.settled();
    // A message that could not be stored holds its chat until it is.
    return !this.#intake.isPaused() && !this.#intake.isHolding() && !this.#backfill.isBehind();
  }

  #ready(ready: Fields): void {
    const user = fields(ready, 'user') ?? {};
    const application = fields(ready, 'application') ?? {};
    this.#intake.pause();
    if (!mayReadContent(integer(application, 'flags') ?? 0))
      this.#to.log.warn({ channel: 'discord' }, missingIntent().message);
    this.introduce(botOf(user, application));
  }

  /** Marks a thread or channel created just now: nothing in it was missed so far. */
  #begun(type: string, data: Fields): void {
    const made = id(data, 'id');
    const isNew = type === 'CHANNEL_CREATE' || (type === 'THREAD_CREATE' && data.newly_created === true);
    if (isNew && made !== undefined) this.#backfill.mark(made, made);
  }

  #takeMessage(event: Fields, kind: 'message' | 'edit'): void {
    // The library adds objects of its own, with cycles, to the event while it waits here.
    const data = structuredClone(event);
    const chat = id(data, 'channel_id') ?? '';
    const guild = id(data, 'guild_id');
    if (guild !== undefined) this.#lookUp(chat, guild);
    this.#to.onWritten(chat);
    this.#intake.take(chat, () => {
      if (!this.#to.signal.aborted) this.#track(this.#accept(data, kind));
    });
  }

  /**
   * Calls `onMessage` before its first wait, so that events of one tick keep their order. Returns whether the message
   * was new. Rejects when it could not be stored.
   */
  async #handOver(data: Fields, kind: 'message' | 'edit'): Promise<boolean> {
    const to = this.#to.callbacks();
    if (!this.#bot || !to) throw new Error('not connected');
    const decoded = this.#decode(data, kind, this.#bot);
    const chat = id(data, 'channel_id') ?? '';
    const messageId = id(data, 'id') ?? '';
    if (decoded.kind === 'dropped') {
      // The bot's own answers end most chats, so a restart need not look at what precedes them.
      if (decoded.reason === 'own' && kind === 'message') this.#backfill.mark(chat, messageId);
      to.onDropped(decoded.reason);
      return false;
    }
    if (kind !== 'message') return (await to.onMessage(decoded.message, data)) === 'accepted';
    this.#backfill.storing(chat, messageId);
    try {
      const outcome = await to.onMessage(decoded.message, data);
      this.#backfill.mark(chat, messageId);
      return outcome === 'accepted';
    } catch (error) {
      this.#backfill.failed(chat, messageId);
      throw error;
    }
  }

  async #accept(data: Fields, kind: 'message' | 'edit'): Promise<void> {
    try {
      await this.#handOver(data, kind);
    } catch (error) {
      this.#to.log.error({ err: error }, 'a message could not be stored; it is fetched again');
      const chat = id(data, 'channel_id');
      const messageId = id(data, 'id');
      if (chat !== undefined && messageId !== undefined && kind === 'message') this.#backfill.again(chat, messageId);
    }
  }

  /** Decodes an event. One that breaks the decoder is dropped, because it would be sent again forever. */
  #decode(data: Fields, kind: 'message' | 'edit', self: Bot): DecodedEvent {
    try {
      return decodeMessage(data, kind, this.#to.contextOf(self));
    } catch (error) {
      this.#to.log.error({ err: error }, 'an event could not be read and was dropped');
      return { kind: 'dropped', reason: 'decode-error' };
    }
  }

  #track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => this.#to.log.error({ err: error }, 'an event of Discord could not be handled'))
      .finally(() => this.#inHand.delete(tracked));
    this.#inHand.add(tracked);
  }
}

export const botOf = (user: Fields, application: Fields): Bot => ({
  account: id(user, 'id') ?? '',
  application: id(application, 'id') ?? '',
  name: string(user, 'username') ?? '',
});
