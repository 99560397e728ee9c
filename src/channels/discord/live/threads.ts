/**
 * Opens a thread per task. Invariant: a task always gets the same thread. A thread made from a message has that
 * message's ID; our own root message has a nonce, is remembered in the cache, and is searched for if it may be old.
 * https://discord.com/developers/docs/resources/channel#start-thread-from-message
 */
import { UserError } from '../../../errors.ts';
import { createLru } from '../../../lib/lru.ts';
import type { Logger } from '../../../log.ts';
import { messagesFor, say } from '../../../messages/messages.ts';
import type { Address, InboundMessage } from '../../channel.ts';
import type { ChannelCache } from '../../kind.ts';
import { isFields, tidyLine } from '../../shared/read.ts';
import { type DiscordApi, DiscordError } from '../connect/api.ts';
import { openInteraction } from '../decode/interaction.ts';
import { id, isId } from '../decode/read.ts';
import { NO_MENTIONS, nonceOf, once, SUPPRESS_EMBEDS } from '../send/defaults.ts';
import { findSent } from '../send/read-back.ts';
import { toDeliveryError } from '../send/refusals.ts';
import { plainLine } from '../send/render.ts';
import { threadNameFor } from './thread-names.ts';

/** The message that a thread is attached to, as far as it is known. */
export interface Starter {
  channel: string;
  /** True if we may edit it; otherwise we can only react to it. */
  isOurs: boolean;
  /** The text without the line that shows the state. */
  text: string;
  reactions: string[];
  /** The thread's title when it was opened; '' if unknown. */
  title: string;
}

const ALREADY_THERE = 160004;
/** The bot may not see the channel, or not write in it. */
const MAY_NOT = new Set([50001, 50013]);
/** Minutes; one of the four values that Discord allows. A thread without messages is archived after a day. */
const AUTO_ARCHIVE = 1440;
const MAX_STARTERS = 2000;
const LATE_MS = 120_000;

export interface ThreadOptions {
  api: DiscordApi;
  cache: ChannelCache | undefined;
  account: () => string;
  log: Logger;
  settled: (interactionId: string) => Promise<void>;
}

export class Threads {
  readonly #to: ThreadOptions;
  readonly starters = createLru<Starter>(MAX_STARTERS);

  constructor(options: ThreadOptions) {
    this.#to = options;
  }

  /** @throws DeliveryError */
  async open(message: InboundMessage, thread: { key: string; title: string }): Promise<Address> {
    const { address } = message;
    try {
      const text = rootText(message, thread.title);
      const root = address.thread ?? (await this.#postRoot(message, thread.key, text));
      const isOurs = address.thread === undefined;
      await this.#startThread(address.chat, root, thread.title);
      const starter = { channel: address.chat, isOurs, text: isOurs ? text : '', reactions: [], title: thread.title };
      if (!this.starters.has(root)) this.starters.set(root, starter);
      void this.#addMember(root, message.sender.user);
      if (isOurs) void this.pointTo(message, root);
      return { ...address, thread: root };
    } catch (error) {
      if (error instanceof UserError) throw error;
      throw toDeliveryError(error, true);
    }
  }

  /** Shows the person who asked a link to the thread. Never rejects. */
  async pointTo(message: InboundMessage, thread: string): Promise<void> {
    const interaction = openInteraction(message.interaction, Date.now());
    if (!interaction) return;
    await this.#to.settled(interaction.id);
    const route = `/webhooks/${interaction.application}/${interaction.token}/messages/@original` as const;
    const body = {
      content: messagesFor(message.sender).text('channels.onItIn', { place: `<#${thread}>` }),
      allowed_mentions: NO_MENTIONS,
    };
    await this.#tolerate(() => this.#to.api.call('PATCH', route, { body, auth: false }));
  }

  async #startThread(channel: string, root: string, title: string): Promise<void> {
    const body = { name: threadNameFor(title), auto_archive_duration: AUTO_ARCHIVE };
    try {
      await this.#to.api.call('POST', `/channels/${channel}/messages/${root}/threads`, { body });
    } catch (error) {
      if (!(error instanceof DiscordError) || error.code !== ALREADY_THERE) throw error;
    }
  }

  /** Posts the goal as a message of ours, to attach a thread to. */
  async #postRoot(message: InboundMessage, key: string, content: string): Promise<string> {
    const cached = `discord.root.${nonceOf(key)}`;
    const known = await this.#tolerate(async () => this.#to.cache?.get(cached));
    if (isId(known)) return known;
    const { chat } = message.address;
    const isLate = Date.now() - message.sentAt > LATE_MS;
    const wanted = { account: this.#to.account(), nonce: nonceOf(key), part: { content, files: [], rows: [] } };
    const found = isLate ? await findSent(this.#to.api, chat, message.sentAt, wanted) : undefined;
    const body = { content, allowed_mentions: NO_MENTIONS, flags: SUPPRESS_EMBEDS, ...once(key) };
    const sent = found ?? (await this.#say(chat, body));
    const root = isFields(sent) ? id(sent, 'id') : sent;
    if (!isId(root)) throw new DiscordError('lost', 'the answer is not a message');
    await this.#tolerate(async () => this.#to.cache?.set(cached, root));
    return root;
  }

  /**
   * Posts a message. If the bot may not write there, no answer could be read, so the person learns that before work
   * begins.
   */
  async #say(chat: string, body: object): Promise<unknown> {
    try {
      return await this.#to.api.call('POST', `/channels/${chat}/messages`, { body });
    } catch (error) {
      if (!(error instanceof DiscordError) || error.code === undefined || !MAY_NOT.has(error.code)) throw error;
      throw new UserError(say('channels.barredRights'), { cause: error });
    }
  }

  async #addMember(thread: string, user: string): Promise<void> {
    await this.#tolerate(() => this.#to.api.call('PUT', `/channels/${thread}/thread-members/${user}`));
  }

  async #tolerate<T>(action: () => Promise<T>): Promise<T | undefined> {
    try {
      return await action();
    } catch (error) {
      this.#to.log.debug({ err: error }, 'a thread works without something optional');
      return undefined;
    }
  }
}

/** Returns the text of the root message. A command that opens a thread has no goal of its own. */
function rootText({ text, sender }: InboundMessage, title: string): string {
  return `**${plainLine(tidyLine(text, 1500) || title, 1600)}** (asked by ${plainLine(sender.name, 150)})`;
}
