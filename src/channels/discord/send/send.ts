/**
 * Sends every part of a message through the ledger, in order. Nothing is retried here. If Discord refuses a part's
 * form, another form is sent at once under the same entry, since a refused part was not accepted.
 * https://discord.com/developers/docs/resources/message#create-message
 */
import { DeliveryError } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import { messagesFor } from '../../../messages/messages.ts';
import type { Address, ChannelLimits, OutboundMessage, PartAttempt, PartLedger } from '../../channel.ts';
import { isFields } from '../../shared/read.ts';
import { editedPart, FilesRefused, type Step, sendParts } from '../../shared/send-parts.ts';
import { type DiscordApi, DiscordError } from '../connect/api.ts';
import { openInteraction, readSealed } from '../decode/interaction.ts';
import { id, isId } from '../decode/read.ts';
import { nonceOf, once, SUPPRESS_EMBEDS } from './defaults.ts';
import { openDirect } from './find-place.ts';
import { type DiscordPart, partBody, planParts, uploads } from './parts.ts';
import { findSent } from './read-back.ts';
import { type Form, isArchived, isGone, isNoRoot, remedy, toDeliveryError, toReopenError } from './refusals.ts';
import { noticeOf, noticeParts, onlyFile, onlyText, whyRefused } from './without-files.ts';

export interface SendOptions {
  api: DiscordApi;
  account: () => string;
  limits: ChannelLimits;
  log: Logger;
  /** Resolves when the interaction was acknowledged; it can't be answered before. */
  settled: (interactionId: string) => Promise<void>;
  onSent: (channel: string) => void;
}

const SEND_MS = 30_000;
const UPLOAD_MS = 180_000;
const EPHEMERAL = 64;
/** Discord forgets a nonce after some minutes; from this age on, the message is searched for. */
const NONCE_MS = 120_000;
/** Codes for an interaction, token or first answer that is gone. */
const RUN_OUT = new Set([10008, 10015, 10062, 50027]);
const PRIVATE = 'only one person may see this answer, and its interaction has expired';

export class Sender {
  readonly #to: SendOptions;

  constructor(options: SendOptions) {
    this.#to = options;
  }

  /** @throws DeliveryError */
  async send(message: OutboundMessage, ledger: PartLedger): Promise<void> {
    if (message.edits) return this.#edit(message, message.edits.messageId, ledger);
    const messages = messagesFor(message);
    const count = (message.buttons ?? []).flat().length;
    const parts = await planParts(message, this.#to.limits);
    await sendParts<DiscordPart>(ledger, {
      parts: () => parts,
      hasButtons: ({ rows }) => count > 0 && rows.flat().length === count,
      filesOf: ({ files }) => files,
      fileOf: onlyFile,
      wordsOf: (part, notice) => onlyText(part, notice, messages),
      notice: (refused) => noticeOf(refused, messages),
      noticeParts: async (notice) => noticeParts(notice),
      post: async (part, step) => {
        const isSame = step.isFirst && readSealed(message.interaction)?.isPress !== true;
        const isUnsure = !isSame && step.attempt.uncertainSince !== undefined;
        // Its person may have seen it already: it has no nonce, and nobody can check.
        const shown = isUnsure ? { content: messages.text('channels.uncertainRest'), files: [], rows: [] } : part;
        const privately = await this.#answerInteraction(message, shown, isSame);
        return privately ?? this.#post(await this.#placed(message), part, step);
      },
    });
    this.#to.onSent(channelOf(message));
  }

  /**
   * Answers the interaction. `isSame`: the first part, which replaces the acknowledgement, however often it is sent.
   * Returns undefined if the interaction has expired.
   */
  async #answerInteraction(message: OutboundMessage, part: DiscordPart, isSame: boolean): Promise<string | undefined> {
    const interaction = openInteraction(message.interaction, Date.now());
    if (!interaction) return undefined;
    await this.#to.settled(interaction.id);
    const hook = `/webhooks/${interaction.application}/${interaction.token}` as const;
    const first: Form = isSame
      ? { method: 'PATCH', route: `${hook}/messages/@original`, body: { ...partBody(part) }, files: uploads(part) }
      : {
          method: 'POST',
          route: hook,
          body: { ...partBody(part), flags: EPHEMERAL | SUPPRESS_EMBEDS },
          files: uploads(part),
        };
    const tried = new Set<string>();
    for (let form = first; ; ) {
      try {
        return await this.#perform(form, false);
      } catch (error) {
        if (!(error instanceof DiscordError)) throw error;
        const isOver = error.kind === 'refused' && (error.status === 404 || RUN_OUT.has(error.code ?? 0));
        const why = whyRefused(form, error);
        if (why) throw new FilesRefused(why, error);
        const next = isOver ? undefined : remedy(error, form, form, tried);
        if (!next && !isOver) throw toDeliveryError(error, isSame);
        if (!next) {
          this.#to.log.debug(
            { err: error },
            'an interaction can no longer be answered; the answer goes to its person directly',
          );
          return undefined;
        }
        form = next;
      }
    }
  }

  /**
   * Redirects an answer for one person whose interaction has expired: it goes to that person directly, and nowhere
   * else.
   */
  async #placed(message: OutboundMessage): Promise<OutboundMessage> {
    const { interaction, address, replyTo: _there, placeholder: _too, ...rest } = message;
    const sealed = readSealed(interaction);
    if (!sealed || address.workspace === undefined) return message;
    if (sealed.user === undefined) throw new DeliveryError(`${PRIVATE}, and it is not known who that was`);
    const direct = await openDirect(this.#to.api, sealed.user, address);
    if (!direct) throw toDeliveryError(new DiscordError('lost', 'the answer is not a channel'), true);
    return { ...rest, address: direct };
  }

  /** Edits a message. Best effort: one that is gone, or that only one person saw, stays unchanged. */
  async #edit(message: OutboundMessage, messageId: string, ledger: PartLedger): Promise<void> {
    const part = await editedPart(message, (text) => planParts({ ...message, text }, this.#to.limits));
    if (!part || !isId(messageId)) return;
    const channel = channelOf(message);
    await ledger.part(0, async () => {
      try {
        return await this.#change(edit(channel, messageId, part), channel);
      } catch (error) {
        const failure = toDeliveryError(error, true);
        if (!(failure instanceof DeliveryError) || failure.retryAfterMs !== undefined) throw failure;
        this.#to.log.debug({ err: error }, 'a message could not be edited any more');
        return messageId;
      }
    });
  }

  async #change(form: Form, channel: string): Promise<string> {
    try {
      return await this.#perform(form);
    } catch (error) {
      const isAwake = error instanceof DiscordError && (await this.#reopened(error, channel, new Set()));
      if (!isAwake) throw error;
      return this.#perform(form);
    }
  }

  /**
   * Posts a part. `gone`: Discord's error for a deleted thread. The answer then replies to the message that the thread
   * was attached to, in the channel above. Private threads and forum threads aren't attached to one, so their answers
   * go nowhere else.
   */
  async #post(message: OutboundMessage, part: DiscordPart, step: Step, gone?: DiscordError): Promise<string> {
    const channel = gone ? message.address.chat : channelOf(message);
    const fresh = gone ? aboveThread(message, part, step.attempt.key) : newMessage(message, part, step);
    const placeholder = !gone && step.isFirst && isId(message.placeholder) ? message.placeholder : undefined;
    const tried = new Set<string>();
    let form = placeholder === undefined ? fresh : edit(channel, placeholder, part);
    for (;;) {
      try {
        const sent = form.method === 'POST' ? await this.#arrived(part, channel, step.attempt) : undefined;
        return sent ?? (await this.#perform(form));
      } catch (error) {
        if (!(error instanceof DiscordError)) throw error;
        if (!gone && isGone(error) && isInThread(message)) {
          this.#to.log.info({ err: error }, 'a thread is gone; its answer goes to the channel above it');
          return this.#post(message, part, step, error);
        }
        if (gone && isNoRoot(error)) throw toDeliveryError(gone, true);
        const next = (await this.#reopened(error, channel, tried)) ? form : remedy(error, form, fresh, tried);
        const why = next ? undefined : whyRefused(form, error);
        if (why) throw new FilesRefused(why, error);
        if (!next) throw toDeliveryError(error, form.method === 'PATCH');
        this.#to.log.debug({ err: error }, 'a part was refused in this form and is sent in another');
        form = next;
      }
    }
  }

  async #arrived(part: DiscordPart, channel: string, attempt: PartAttempt): Promise<string | undefined> {
    const since = attempt.uncertainSince;
    if (since === undefined || Date.now() - since < NONCE_MS) return undefined;
    return findSent(this.#to.api, channel, since, { account: this.#to.account(), nonce: nonceOf(attempt.key), part });
  }

  /** Reopens an archived thread, in which our messages can't be changed. @throws DeliveryError */
  async #reopened(error: DiscordError, channel: string, tried: Set<string>): Promise<boolean> {
    if (!isArchived(error) || tried.has('archived')) return false;
    tried.add('archived');
    try {
      await this.#to.api.call('PATCH', `/channels/${channel}`, { body: { archived: false } });
    } catch (failed) {
      throw toReopenError(failed);
    }
    return true;
  }

  async #perform({ method, route, body, files }: Form, auth = true): Promise<string> {
    const timeoutMs = files.length > 0 ? UPLOAD_MS : SEND_MS;
    // A webhook returns the message it posted only with `wait`.
    const query = auth || method === 'PATCH' ? {} : { wait: 'true' };
    const sent = await this.#to.api.call(method, route, { body, files, timeoutMs, auth, query });
    const sentId = isFields(sent) ? id(sent, 'id') : undefined;
    if (sentId === undefined) throw new DiscordError('lost', `${method}: the answer is not a message`);
    return sentId;
  }
}

/** Returns the channel to write in; a thread is a channel of its own. */
export const channelOf = ({ address: { chat, thread } }: { address: Address }): string => thread ?? chat;

function edit(channel: string, messageId: string, part: DiscordPart): Form {
  return {
    method: 'PATCH',
    route: `/channels/${channel}/messages/${messageId}`,
    body: { ...partBody(part) },
    files: uploads(part),
  };
}

/** Returns whether the message is in a thread. An answer that only one person sees has no other place. */
function isInThread({ address, interaction }: OutboundMessage): boolean {
  return address.thread !== undefined && interaction === undefined;
}

function newMessage(message: OutboundMessage, part: DiscordPart, { isFirst, attempt }: Step): Form {
  const { address, replyTo } = message;
  // A thread made from a message already is the reply to it, and that message is in another channel. A direct chat has
  // nobody else.
  const isReply = isFirst && isId(replyTo) && replyTo !== address.thread && address.workspace !== undefined;
  const reference = isReply ? { message_id: replyTo, fail_if_not_exists: false } : undefined;
  return posted(channelOf(message), part, attempt.key, reference);
}

/** Builds a reply above a thread. Discord accepts it only where the thread's message is, which has the thread's ID. */
function aboveThread({ address }: OutboundMessage, part: DiscordPart, key: string): Form {
  return posted(address.chat, part, key, { message_id: address.thread, fail_if_not_exists: true });
}

function posted(channel: string, part: DiscordPart, key: string, reference?: object): Form {
  return {
    method: 'POST',
    route: `/channels/${channel}/messages`,
    body: { ...partBody(part), ...once(key), ...(reference && { message_reference: reference }) },
    files: uploads(part),
  };
}
