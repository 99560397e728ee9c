/**
 * Turns Slack's requests into messages for the gateway, and into the immediate answers to Slack. Invariant: a rejection
 * means that nothing was stored, so nothing is acknowledged.
 */
import { messagesFor } from '../../../messages/messages.ts';
import type { InboundMessage, InboundOutcome } from '../../channel.ts';
import { isFields, string } from '../../shared/read.ts';
import { type DecodedEvent, decodeBody, type Self } from '../decode/decode.ts';
import type { Assistant } from '../live/assistant.ts';
import type { SlackContext } from '../options.ts';
import type { Respond } from '../send/respond.ts';
import { Backfill } from './backfill.ts';
import type { Acknowledgement } from './bolt.ts';
import { createOwnChats, inOwnChat, type OwnChats } from './own-chats.ts';
import type { People } from './people.ts';
import { createPreviews, type Previews } from './previews.ts';
import type { Progress } from './read-cursors.ts';

interface IntakeParts {
  progress: Progress;
  people: People;
  assistant: Assistant;
  respond: Respond;
  /** Called when an admitted person wrote here. */
  onAccepted: (message: InboundMessage) => void;
}

/** The types of requests whose sender expects an answer. */
const ANSWERABLE: ReadonlySet<string> = new Set(['block_actions', 'interactive_message', 'message_action', 'shortcut']);

export class Intake {
  readonly backfill: Backfill;
  readonly #slack: SlackContext;
  readonly #to: IntakeParts;
  readonly #previews: Previews;
  readonly #ownChats: OwnChats;
  readonly #inHand = new Set<Promise<unknown>>();

  constructor(slack: SlackContext, parts: IntakeParts) {
    this.#slack = slack;
    this.#to = parts;
    this.#previews = createPreviews(slack);
    this.#ownChats = createOwnChats(slack);
    this.backfill = new Backfill(slack, {
      progress: parts.progress,
      accept: (message, raw) => this.#accept(message, raw),
      read: (body, self) => this.#read(body, self),
    });
  }

  /** Handles the body of an event, a command or a button press. */
  take(body: unknown): Promise<Acknowledgement> {
    return this.#track(this.#handle(body));
  }

  /** Resolves when nothing is pending. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#inHand);
  }

  #accept(message: InboundMessage, raw: unknown): Promise<InboundOutcome> {
    return this.#track(this.#handOver(message, raw));
  }

  async #handOver(message: InboundMessage, raw: unknown): Promise<InboundOutcome> {
    const { callbacks } = this.#slack;
    if (!callbacks) throw new Error('not connected');
    const storing = this.#to.progress.storing(message);
    let outcome: InboundOutcome;
    try {
      outcome = await callbacks.onMessage(message, raw);
    } catch (error) {
      storing.failed();
      throw error;
    }
    storing.ended(outcome);
    this.#followUp(message, outcome);
    return outcome;
  }

  /**
   * Does the follow-up of a durable message. It only logs errors, because Slack must not send the message again for
   * them.
   */
  #followUp(message: InboundMessage, outcome: InboundOutcome): void {
    try {
      if (outcome === 'refused' || outcome === 'answered') return;
      if (!message.sender.isBot) this.#to.people.welcome(message.sender.user);
      this.#to.onAccepted(message);
    } catch (error) {
      this.#slack.log.error({ err: error }, 'the work after accepting a message failed');
    }
  }

  async #handle(body: unknown): Promise<Acknowledgement> {
    const { self, callbacks } = this.#slack;
    if (!self || !callbacks) throw new Error('not connected');
    const decoded = this.#read(body, self);
    if (decoded.kind === 'dropped') {
      callbacks.onDropped(decoded.reason);
      return this.#answerUnknown(body);
    }
    if (decoded.kind === 'shared') {
      const { address, files, ts } = decoded;
      if (await callbacks.onShared?.(address, files, ts)) this.#to.progress.opened(address.chat, ts);
      return this.#answerUnknown(body);
    }
    if (decoded.kind === 'assistant') {
      void this.#suggest(decoded);
      return undefined;
    }
    const { message } = decoded;
    if (decoded.kind === 'preview') {
      await this.#previews.shown(message, (late) => this.#acceptInOrder(late, body));
      return undefined;
    }
    if (message.kind === 'button' || message.interaction !== undefined) return this.#handleInteraction(message, body);
    this.#ownChats.learn(message);
    return this.#acknowledge(message, await this.#acceptWhole(message, body), body);
  }

  /** Suggests prompts to known people only, in their language, which Slack may still be reporting. */
  async #suggest({ user, address }: { user: string; address: InboundMessage['address'] }): Promise<void> {
    const { people, assistant } = this.#to;
    const { language } = this.#slack.options;
    if (!people.isKnown(user)) return;
    if (language === undefined) await people.met(user);
    await assistant.suggest(address, language ?? people.languageOf(user));
  }

  /**
   * Handles commands and button presses. A command given in a direct message of other people belongs to the person's
   * own chat with the bot.
   */
  async #handleInteraction(asked: InboundMessage, body: unknown): Promise<Acknowledgement> {
    const mayBeOthers = asked.isDirect && asked.interaction !== undefined;
    const own = mayBeOthers ? await this.#ownChats.of(asked.sender.user) : undefined;
    const isOthers = own !== undefined && own !== asked.address.chat;
    if (isOthers && asked.command?.name === 'new' && asked.command.args !== '') {
      // No work begins where its answers can't be read.
      this.#slack.callbacks?.onDropped('command.elsewhere');
      return { response_type: 'ephemeral', text: messagesFor(asked.sender).text('channels.notBetweenOthers') };
    }
    const message = isOthers ? inOwnChat(asked, own) : asked;
    return this.#acknowledge(message, await this.#accept(message, body), body);
  }

  #acceptWhole(message: InboundMessage, body: unknown): Promise<InboundOutcome> {
    return this.#previews.whole(message, (whole) => this.#acceptInOrder(whole, body));
  }

  /**
   * Accepts a message after those before it. A rejected one is sent again by Slack, and found in the chat by the
   * backfill.
   */
  async #acceptInOrder(message: InboundMessage, body: unknown): Promise<InboundOutcome> {
    const { chat } = message.address;
    // The history of a chat doesn't contain edits, so they wait for everything.
    const ts = message.kind === 'edit' ? Number.POSITIVE_INFINITY : Number(message.messageId);
    await this.backfill.hold(chat);
    // An earlier message may not have been stored.
    this.#slack.signal.throwIfAborted();
    if (this.backfill.isBehind(chat, ts)) throw new Error('an earlier message could not be stored yet');
    try {
      return await this.#accept(message, body);
    } catch (error) {
      this.backfill.missed(chat, ts);
      throw error;
    }
  }

  /** Decodes an event. One that breaks the decoder is dropped, because it would be sent again forever. */
  #read(body: unknown, self: Self): DecodedEvent {
    try {
      return decodeBody(body, self);
    } catch (error) {
      this.#slack.log.error({ err: error }, 'an event could not be read and was dropped');
      return { kind: 'dropped', reason: 'decode-error' };
    }
  }

  #acknowledge(message: InboundMessage, outcome: InboundOutcome, body: unknown): Acknowledgement {
    const messages = messagesFor(message.sender);
    const refused = messages.text('channels.refusedPerhaps');
    if (outcome === 'refused' && message.kind === 'button') void this.#respond(body, refused);
    if (message.interaction === undefined || message.kind === 'button') return undefined;
    if (outcome === 'refused') return { response_type: 'ephemeral', text: refused };
    return outcome === 'begun' ? { response_type: 'ephemeral', text: messages.text('channels.onIt') } : undefined;
  }

  /** Acknowledges unknown menus, shortcuts and forms, and answers the person where that is possible. */
  #answerUnknown(body: unknown): Acknowledgement {
    const type = isFields(body) ? string(body, 'type') : undefined;
    if (type === 'block_suggestion') return { options: [] };
    if (type !== undefined && ANSWERABLE.has(type))
      void this.#respond(body, messagesFor({}).text('channels.noLongerWrite'));
    return undefined;
  }

  /** Answers through the `response_url`, because the acknowledgement of a button press carries no text. */
  async #respond(body: unknown, text: string): Promise<void> {
    const url = isFields(body) ? string(body, 'response_url') : undefined;
    if (url === undefined) return;
    try {
      await this.#to.respond(url, { text, blocks: [] });
    } catch (error) {
      this.#slack.log.debug({ err: error }, 'the result of a button press could not be shown');
    }
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#inHand.add(work);
    return work.finally(() => this.#inHand.delete(work));
  }
}
