/**
 * A thread per task. Invariant: the same thread for the same task however often it is asked for: a thread made from a message
 * has that message's id, and a root message of ours has a nonce, is remembered in the cache, and is looked for when it may be old.
 * https://discord.com/developers/docs/resources/channel#start-thread-from-message
 */
import { UserError } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import { messagesFor, say } from '../../../messages/messages.ts';
import type { Address, InboundMessage } from '../../channel.ts';
import { isFields, oneLine } from '../../shared/read.ts';
import { type DiscordApi, DiscordError } from '../connect/api.ts';
import { openInteraction } from '../decode/interaction.ts';
import { remember } from '../decode/places.ts';
import { id, isId } from '../decode/read.ts';
import { NO_MENTIONS, nonceOf, once, SUPPRESS_EMBEDS } from '../send/defaults.ts';
import { findSent } from '../send/read-back.ts';
import { toDeliveryError } from '../send/refusals.ts';
import { plainLine } from '../send/render.ts';
import { nameOf } from './thread-names.ts';

/** Small things that may be lost. */
export interface Cache {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
}

/** The message a thread hangs on, as far as it is known. */
export interface Starter {
  channel: string;
  /** We may edit it; else it can only be reacted to. */
  isOurs: boolean;
  /** Without the line that tells the state. */
  text: string;
  /** Reactions of ours. */
  reactions: string[];
  /** What the thread was opened as; '' when that is not known. */
  title: string;
}

export interface Threads {
  /** Throws DeliveryError. */
  open(message: InboundMessage, thread: { key: string; title: string }): Promise<Address>;
  /** Shows whoever asked the way. Never rejects. */
  pointTo(message: InboundMessage, thread: string): Promise<void>;
  starters: Map<string, Starter>;
}

const ALREADY_THERE = 160004;
/** The channel is not for us to see, or not to write in. */
const MAY_NOT = new Set([50001, 50013]);
/** Minutes: one of the four that Discord knows. A thread nobody writes in goes to sleep after a day. */
const AUTO_ARCHIVE = 1440;
const MAX_STARTERS = 2000;
const LATE_MS = 120_000;

export interface ThreadOptions {
  api: DiscordApi;
  cache: Cache | undefined;
  account: () => string;
  log: Logger;
  settled: (interactionId: string) => Promise<void>;
}

export function createThreads(options: ThreadOptions): Threads {
  return new TaskThreads(options);
}

class TaskThreads implements Threads {
  readonly #to: ThreadOptions;
  readonly starters = new Map<string, Starter>();

  constructor(options: ThreadOptions) {
    this.#to = options;
  }

  async open(message: InboundMessage, thread: { key: string; title: string }): Promise<Address> {
    const { address } = message;
    try {
      const text = rootText(message, thread.title);
      const root = address.thread ?? (await this.#postRoot(message, thread.key, text));
      const isOurs = address.thread === undefined;
      await this.#startThread(address.chat, root, thread.title);
      const starter = { channel: address.chat, isOurs, text: isOurs ? text : '', reactions: [], title: thread.title };
      if (!this.starters.has(root)) remember(this.starters, root, starter, MAX_STARTERS);
      void this.#addMember(root, message.sender.user);
      if (isOurs) void this.pointTo(message, root);
      return { ...address, thread: root };
    } catch (error) {
      if (error instanceof UserError) throw error;
      throw toDeliveryError(error, true);
    }
  }

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
    const body = { name: nameOf(title), auto_archive_duration: AUTO_ARCHIVE };
    try {
      await this.#to.api.call('POST', `/channels/${channel}/messages/${root}/threads`, { body });
    } catch (error) {
      if (!(error instanceof DiscordError) || error.code !== ALREADY_THERE) throw error;
    }
  }

  /** The goal as a message of ours, for a thread to hang on. */
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
    if (!isId(root)) throw new DiscordError('lost', 'the answer is no message');
    await this.#tolerate(async () => this.#to.cache?.set(cached, root));
    return root;
  }

  /** Where we may not speak no answer would be read: the person is told before anything is begun. */
  async #say(chat: string, body: object): Promise<unknown> {
    try {
      return await this.#to.api.call('POST', `/channels/${chat}/messages`, { body });
    } catch (error) {
      if (!(error instanceof DiscordError) || error.code === undefined || !MAY_NOT.has(error.code)) throw error;
      throw new UserError(say('channels.barredRights'), { cause: error });
    }
  }

  /** So that the thread stands in the list of the person it is for. */
  async #addMember(thread: string, user: string): Promise<void> {
    await this.#tolerate(() => this.#to.api.call('PUT', `/channels/${thread}/thread-members/${user}`));
  }

  async #tolerate<T>(action: () => Promise<T>): Promise<T | undefined> {
    try {
      return await action();
    } catch (error) {
      this.#to.log.debug({ err: error }, 'a thread goes on without one of its trimmings');
      return undefined;
    }
  }
}

/** A command that opens a thread has no goal of its own. */
function rootText({ text, sender }: InboundMessage, title: string): string {
  return `**${plainLine(oneLine(text, 1500) || title, 1600)}** (asked by ${plainLine(sender.name, 150)})`;
}
