/**
 * What comes over the gateway, each event to where it belongs: places are learnt, messages go in order through the intake,
 * interactions at once. Invariant: a message counts as taken in only after `onMessage` has resolved; one that could not be
 * stored is fetched again.
 */
import type { Logger } from '../../../log.ts';
import type { ChannelCallbacks, ReadCursors } from '../../channel.ts';
import { type Fields, fields, integer, isFields, string } from '../../shared/read.ts';
import { type Bot, type Context, type Decoded, decodeMessage } from '../decode/decode.ts';
import type { Places } from '../decode/places.ts';
import { id } from '../decode/read.ts';
import type { DiscordApi } from './api.ts';
import { createBackfill } from './backfill.ts';
import { mayReadContent, missingIntent } from './config-problems.ts';
import { createIntake } from './intake.ts';
import type { Interactions } from './interactions.ts';
import { createLookup } from './lookup.ts';

export interface Events {
  /** A dispatch of the gateway, in order. */
  onPacket(type: string, data: unknown): void;
  /** A fresh session has begun: what was said before may have been missed. */
  onFresh(): void;
  /** Resolves when what was taken in is dealt with. */
  settled(): Promise<void>;
}

export interface EventsOptions {
  api: DiscordApi;
  cursors: ReadCursors;
  places: Places;
  interactions: Interactions;
  threads: 'per-task' | 'off';
  log: Logger;
  signal: AbortSignal;
  backoffMs: { min: number; max: number };
  callbacks: () => ChannelCallbacks | undefined;
  /** Discord has said who we are. */
  onBot: (bot: Bot) => void;
  /** Somebody wrote in this channel or thread. */
  onWritten: (channel: string) => void;
}

export function createEvents(options: EventsOptions): Events {
  const { places, interactions, threads, log, signal, callbacks } = options;
  const intake = createIntake();
  const lookup = createLookup({ ...options, intake });
  const backfill = createBackfill({ ...options, intake, accept: (message) => handOver(message, 'message') });
  const inHand = new Set<Promise<void>>();
  let bot: Bot | undefined;

  const context = (self: Bot): Context => ({ bot: self, places, threads, now: Date.now() });

  function introduce(ready: Fields): void {
    const user = fields(ready, 'user') ?? {};
    const application = fields(ready, 'application') ?? {};
    bot = {
      account: id(user, 'id') ?? '',
      application: id(application, 'id') ?? '',
      name: string(user, 'username') ?? '',
    };
    intake.pause();
    if (!mayReadContent(integer(application, 'flags') ?? 0)) log.warn({ channel: 'discord' }, missingIntent().message);
    options.onBot(bot);
  }

  /** Of a thread or channel that was made before our eyes nothing was missed so far. */
  function begun(type: string, data: Fields): void {
    const made = id(data, 'id');
    const isNew = type === 'CHANNEL_CREATE' || (type === 'THREAD_CREATE' && data.newly_created === true);
    if (isNew && made !== undefined) backfill.mark(made, made);
  }

  function takeMessage(told: Fields, kind: 'message' | 'edit'): void {
    // The library puts objects of its own into the event, in circles, while it waits here.
    const data = structuredClone(told);
    const chat = id(data, 'channel_id') ?? '';
    if (id(data, 'guild_id') !== undefined) lookup.ensure(chat);
    options.onWritten(chat);
    intake.take(chat, () => {
      if (!signal.aborted) track(accept(data, kind));
    });
  }

  /**
   * Calls `onMessage` before it first waits, so that what comes in one turn keeps its order. True when it was new. Rejects when
   * it could not be stored.
   */
  async function handOver(data: Fields, kind: 'message' | 'edit'): Promise<boolean> {
    const to = callbacks();
    if (!bot || !to) throw new Error('not connected');
    const decoded = decode(data, kind, bot);
    const chat = id(data, 'channel_id') ?? '';
    const messageId = id(data, 'id') ?? '';
    if (decoded.kind === 'dropped') {
      // Our own answers end most chats: what lies before them need not be looked for after a restart.
      if (decoded.reason === 'own' && kind === 'message') backfill.mark(chat, messageId);
      to.onDropped(decoded.reason);
      return false;
    }
    if (kind === 'message') backfill.storing(chat, messageId);
    const outcome = await to.onMessage(decoded.message, data);
    if (kind === 'message') backfill.mark(chat, messageId);
    return outcome === 'accepted';
  }

  async function accept(data: Fields, kind: 'message' | 'edit'): Promise<void> {
    try {
      await handOver(data, kind);
    } catch (error) {
      log.error({ err: error }, 'a message could not be stored; it is fetched again');
      const chat = id(data, 'channel_id');
      const messageId = id(data, 'id');
      if (chat !== undefined && messageId !== undefined && kind === 'message') backfill.again(chat, messageId);
    }
  }

  /** An event that breaks the decoder is dropped: it would come back for ever. */
  function decode(data: Fields, kind: 'message' | 'edit', self: Bot): Decoded {
    try {
      return decodeMessage(data, kind, context(self));
    } catch (error) {
      log.error({ err: error }, 'an event could not be read and was dropped');
      return { kind: 'dropped', reason: 'decode-error' };
    }
  }

  function track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => log.error({ err: error }, 'an event of Discord was not dealt with'))
      .finally(() => inHand.delete(tracked));
    inHand.add(tracked);
  }

  return {
    onPacket(type, data) {
      if (!isFields(data)) return;
      if (type === 'READY') introduce(data);
      else if (type === 'MESSAGE_CREATE') takeMessage(data, 'message');
      else if (type === 'MESSAGE_UPDATE') takeMessage(data, 'edit');
      else if (type === 'INTERACTION_CREATE' && bot) track(interactions.take(data, context(bot)));
      else if (places.take(type, data)) begun(type, data);
      else if (type !== 'RESUMED') callbacks()?.onDropped(type.toLowerCase());
    },
    onFresh() {
      const fill = backfill.begin();
      intake.resume();
      track(fill());
    },
    async settled() {
      await Promise.all(inHand);
    },
  };
}
