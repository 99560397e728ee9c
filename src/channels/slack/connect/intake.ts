/**
 * Turns Slack's requests into messages for the gateway, and into the immediate answers to Slack. Invariant: a rejection
 * means that nothing was stored, so nothing is acknowledged.
 */
import type { Logger } from '../../../log.ts';
import { messagesFor } from '../../../messages/messages.ts';
import type { ChannelCallbacks, InboundMessage, InboundOutcome } from '../../channel.ts';
import { isFields, string } from '../../shared/read.ts';
import { type DecodedEvent, decodeBody, type Self } from '../decode/decode.ts';
import type { Assistant } from '../live/assistant.ts';
import type { Respond } from '../send/respond.ts';
import type { Backfill } from './backfill.ts';
import type { Acknowledgement } from './bolt.ts';
import { inOwnChat, type OwnChats } from './own-chats.ts';
import type { People } from './people.ts';
import type { Previews } from './previews.ts';
import type { Progress } from './read-cursors.ts';

export interface IntakeOptions {
  self: () => Self | undefined;
  callbacks: () => ChannelCallbacks | undefined;
  progress: Progress;
  backfill: () => Backfill;
  previews: Previews;
  people: People;
  ownChats: OwnChats;
  assistant: Assistant;
  /** The language of every answer; undefined: each person's own. */
  language: string | undefined;
  respond: Respond;
  /** Aborts when the channel is disconnected. */
  signal: AbortSignal;
  log: Logger;
  /** Called when an admitted person wrote here. */
  onAccepted: (message: InboundMessage) => void;
}

/** Types of requests by which a person expects an answer. */
const ASKED: ReadonlySet<string> = new Set(['block_actions', 'interactive_message', 'message_action', 'shortcut']);

export class Intake {
  readonly #to: IntakeOptions;
  readonly #inHand = new Set<Promise<unknown>>();

  constructor(options: IntakeOptions) {
    this.#to = options;
  }

  /** Handles the body of an event, a command or a button press. */
  take(body: unknown): Promise<Acknowledgement> {
    return this.#track(this.#takeIn(body));
  }

  /** Resolves when nothing is pending. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#inHand);
  }

  accept(message: InboundMessage, raw: unknown): Promise<InboundOutcome> {
    return this.#track(this.#handOver(message, raw));
  }

  async #handOver(message: InboundMessage, raw: unknown): Promise<InboundOutcome> {
    const callbacks = this.#to.callbacks();
    if (!callbacks) throw new Error('not connected');
    const storing = this.#to.progress.storing(message);
    let outcome: InboundOutcome;
    try {
      outcome = await callbacks.onMessage(message, raw);
    } catch (error) {
      storing.failed();
      throw error;
    }
    storing.taken(outcome);
    this.#noteTaken(message, outcome);
    return outcome;
  }

  /**
   * Does the follow-up of a durable message. It only logs errors, because Slack must not send the message again for
   * them.
   */
  #noteTaken(message: InboundMessage, outcome: InboundOutcome): void {
    try {
      if (outcome === 'refused' || outcome === 'answered') return;
      if (!message.sender.isBot) this.#to.people.welcome(message.sender.user);
      this.#to.onAccepted(message);
    } catch (error) {
      this.#to.log.error({ err: error }, 'it could not be noted that a message was taken in');
    }
  }

  async #takeIn(body: unknown): Promise<Acknowledgement> {
    const self = this.#to.self();
    const callbacks = this.#to.callbacks();
    if (!self || !callbacks) throw new Error('not connected');
    const decoded = this.read(body, self);
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
      await this.#to.previews.shown(message, (late) => this.#acceptInOrder(late, body));
      return undefined;
    }
    if (message.kind === 'button' || message.interaction !== undefined) return this.#takeAsked(message, body);
    this.#to.ownChats.learn(message);
    return this.#acknowledge(message, await this.#acceptWhole(message, body), body);
  }

  /** Suggests prompts to known people only, in their language, which Slack may still be reporting. */
  async #suggest({ user, address }: { user: string; address: InboundMessage['address'] }): Promise<void> {
    const { people, assistant, language } = this.#to;
    if (!people.isKnown(user)) return;
    if (language === undefined) await people.met(user);
    await assistant.suggest(address, language ?? people.languageOf(user));
  }

  /**
   * Handles commands and button presses. A command given in a direct message of other people belongs to the person's
   * own chat with the bot.
   */
  async #takeAsked(asked: InboundMessage, body: unknown): Promise<Acknowledgement> {
    const mayBeOthers = asked.isDirect && asked.interaction !== undefined;
    const own = mayBeOthers ? await this.#to.ownChats.of(asked.sender.user) : undefined;
    const isOthers = own !== undefined && own !== asked.address.chat;
    if (isOthers && asked.command?.name === 'new' && asked.command.args !== '') {
      // No work begins where its answers can't be read.
      this.#to.callbacks()?.onDropped('command.elsewhere');
      return { response_type: 'ephemeral', text: messagesFor(asked.sender).text('channels.notBetweenOthers') };
    }
    const message = isOthers ? inOwnChat(asked, own) : asked;
    return this.#acknowledge(message, await this.accept(message, body), body);
  }

  #acceptWhole(message: InboundMessage, body: unknown): Promise<InboundOutcome> {
    return this.#to.previews.whole(message, (whole) => this.#acceptInOrder(whole, body));
  }

  /**
   * Accepts a message after those before it. A rejected one is sent again by Slack, and found in the chat by the
   * backfill.
   */
  async #acceptInOrder(message: InboundMessage, body: unknown): Promise<InboundOutcome> {
    const { chat } = message.address;
    // The history of a chat doesn't contain edits, so they wait for everything.
    const ts = message.kind === 'edit' ? Number.POSITIVE_INFINITY : Number(message.messageId);
    const backfill = this.#to.backfill();
    const hold = backfill.hold(chat);
    if (hold) await hold;
    // An earlier message may not have been stored.
    this.#to.signal.throwIfAborted();
    if (backfill.isBehind(chat, ts)) throw new Error('what was said before it could not be stored yet');
    try {
      return await this.accept(message, body);
    } catch (error) {
      backfill.missed(chat, ts);
      throw error;
    }
  }

  /** Decodes an event. One that breaks the decoder is dropped, or it would come back for ever. */
  read(body: unknown, self: Self): DecodedEvent {
    try {
      return decodeBody(body, self);
    } catch (error) {
      this.#to.log.error({ err: error }, 'an event could not be read and was dropped');
      return { kind: 'dropped', reason: 'decode-error' };
    }
  }

  #acknowledge(message: InboundMessage, outcome: InboundOutcome, body: unknown): Acknowledgement {
    const messages = messagesFor(message.sender);
    const refused = messages.text('channels.refusedPerhaps');
    if (outcome === 'refused' && message.kind === 'button') void this.#tell(body, refused);
    if (message.interaction === undefined || message.kind === 'button') return undefined;
    if (outcome === 'refused') return { response_type: 'ephemeral', text: refused };
    return outcome === 'begun' ? { response_type: 'ephemeral', text: messages.text('channels.onIt') } : undefined;
  }

  /** Acknowledges unknown menus, shortcuts and forms, and tells the person where that is possible. */
  #answerUnknown(body: unknown): Acknowledgement {
    const type = isFields(body) ? string(body, 'type') : undefined;
    if (type === 'block_suggestion') return { options: [] };
    if (type !== undefined && ASKED.has(type)) void this.#tell(body, messagesFor({}).text('channels.noLongerWrite'));
    return undefined;
  }

  /** Tells the person through the `response_url`, because the acknowledgement of a button press carries no text. */
  async #tell(body: unknown, text: string): Promise<void> {
    const url = isFields(body) ? string(body, 'response_url') : undefined;
    if (url === undefined) return;
    try {
      await this.#to.respond(url, { text, blocks: [] });
    } catch (error) {
      this.#to.log.debug({ err: error }, 'nobody was told what became of a press');
    }
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#inHand.add(work);
    return work.finally(() => this.#inHand.delete(work));
  }
}
