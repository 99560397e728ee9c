/**
 * Sends every part of a message through the ledger, in order. Nothing is retried here. If Slack refuses a part's form,
 * another form is sent at once under the same entry, since a refused part was not accepted. Before a part is sent again
 * whose first attempt may have arrived, the conversation is read back.
 */
import { DeliveryError } from '../../../errors.ts';
import { messagesFor } from '../../../messages/messages.ts';
import type { Address, Attachment, Button, Channel, OutboundMessage, PartAttempt, PartLedger } from '../../channel.ts';
import { string } from '../../shared/read.ts';
import { editedPart, FilesRefused, type Step, sendParts } from '../../shared/send-parts.ts';
import { SlackError } from '../connect/api.ts';
import type { Progress } from '../connect/read-cursors.ts';
import { isDirect } from '../decode/base.ts';
import { LIMITS, type SlackContext } from '../options.ts';
import { type Form, formsOf } from './blocks.ts';
import { createDirectTo } from './direct.ts';
import { groupFiles } from './outgoing-files.ts';
import { NO_PREVIEWS } from './previews.ts';
import { metadataOf, type ReadBack } from './read-back.ts';
import { isNotThere, isStreaming, refusesEdit, refusesForm, refusesThread, toDeliveryError } from './refusals.ts';
import { renderSlack, type SlackPart } from './render.ts';
import { type Respond, readResponse } from './respond.ts';
import { createUpload } from './upload.ts';
import { noticeOf, whyRefused } from './without-files.ts';

interface SendParts {
  readBack: ReadBack;
  respond: Respond;
  progress: Progress;
}

/** Options of every message: previews of links are off, and names in the text aren't mentions. */
export const QUIET = { ...NO_PREVIEWS, parse: 'none', link_names: false } as const;
const PRIVATE = 'the answer is for one person only, and their command no longer accepts it';

/** Creates `send`. @throws DeliveryError */
export function createSend(slack: SlackContext, parts: SendParts): Channel['send'] {
  const sender = new Sender(slack, parts);
  return (message, ledger) => sender.send(message, ledger);
}

class Sender {
  readonly #slack: SlackContext;
  readonly #parts: SendParts;
  readonly #upload;
  readonly #directTo;

  constructor(slack: SlackContext, parts: SendParts) {
    this.#slack = slack;
    this.#parts = parts;
    this.#upload = createUpload(slack, parts.readBack);
    this.#directTo = createDirectTo(slack);
  }

  async send(message: OutboundMessage, ledger: PartLedger): Promise<void> {
    if (message.edits) return this.#amend(message, message.edits.messageId, ledger);
    const messages = messagesFor(message);
    const { groups, refused } = groupFiles(message.files, LIMITS.uploadBytes, messages);
    const text = [message.text, ...refused].filter((line) => line.trim() !== '').join('\n\n');
    const texts = await renderSlack(text);
    if (texts.length === 0 && message.buttons?.length)
      texts.push(...(await renderSlack(messages.text('channels.choose'))));
    const words: Part[] = texts.map((part, index) => ({
      part,
      buttons: index === texts.length - 1 ? (message.buttons ?? []) : [],
      files: [],
    }));
    const parts = [...words, ...groups.map((files): Part => ({ files }))];
    await sendParts<Part>(ledger, {
      parts: () => parts,
      filesOf: ({ files }) => files,
      hasButtons: ({ buttons = [] }) => buttons.length > 0,
      wordsOf: () => undefined,
      fileOf: (_part, file) => ({ files: [file] }),
      notice: (all) => noticeOf(all, this.#slack, messages),
      noticeParts: async (notice) =>
        (await renderSlack(notice)).map((part): Part => ({ part, buttons: [], files: [] })),
      post: async (part, step) => {
        if (!part.part) return this.#share(part.files, message, step);
        const ts = await this.#deliver(part.part, { message, ...step, buttons: part.buttons });
        const { chat, thread } = message.address;
        // People may write in a thread below it.
        if (message.digest && thread === undefined) this.#parts.progress.opened(chat, ts);
        return ts;
      },
    });
  }

  /** Edits a message. Best effort: one that is gone, or that only one person saw, stays unchanged. */
  async #amend(message: OutboundMessage, ts: string, ledger: PartLedger): Promise<void> {
    const part = await editedPart(message, renderSlack);
    if (!part || !/^\d+\.\d+$/.test(ts)) return;
    const place = { channel: message.address.chat, ts };
    await ledger.part(0, async () => {
      try {
        await this.#inForms(formsOf(part, message.buttons ?? []), (form) =>
          this.#slack.api.call('chat.update', { ...place, ...form, parse: 'none' }),
        );
      } catch (error) {
        const failure = toDeliveryError(error, true);
        if (!(failure instanceof DeliveryError) || failure.retryAfterMs !== undefined) throw failure;
        this.#slack.log.debug({ err: error }, 'a message could not be edited any more');
      }
      return ts;
    });
  }

  async #share(files: Attachment[], message: OutboundMessage, { attempt }: Step): Promise<string> {
    const isAlone = message.interaction !== undefined && !isDirect(message.address.chat);
    // A file requested by one person alone must not become a file of the channel.
    const address = isAlone ? await this.#privately(message) : message.address;
    try {
      const since = attempt.uncertainSince;
      const found = since === undefined ? undefined : await this.#parts.readBack.files(address, files, since);
      return found ?? (await this.#upload(files, address));
    } catch (error) {
      const why = whyRefused(error);
      if (why) throw new FilesRefused(why, error);
      if (error instanceof FilesRefused) throw error;
      throw toDeliveryError(error);
    }
  }

  async #deliver(part: SlackPart, job: Job): Promise<string> {
    const { message, attempt } = job;
    const forms = formsOf(part, job.buttons);
    const { interaction } = message;
    if (interaction !== undefined && isDirect(message.address.chat))
      return this.#answerDirectly(interaction, forms, job);
    if (interaction !== undefined) {
      if (await this.#answer(interaction, forms, job)) return responseId(attempt);
      return this.#post(forms, await this.#privately(message), attempt);
    }
    const { placeholder } = message;
    if (job.isFirst && placeholder !== undefined) {
      const id = await this.#edit(placeholder, forms, message.address, attempt);
      if (id !== undefined) return id;
    }
    return this.#post(forms, message.address, attempt);
  }

  /** Returns false when the command no longer accepts answers. */
  async #answer(url: string, forms: Form[], { message, attempt }: Job): Promise<boolean> {
    // Its person may have seen it already, and nobody can check.
    const isUnsure = attempt.uncertainSince !== undefined;
    const [unsure] = isUnsure ? await renderSlack(messagesFor(message).text('channels.uncertainAnswer')) : [];
    const [, ...shown] = unsure ? formsOf(unsure, []) : forms;
    for (const form of shown) {
      const result = await this.#parts.respond(url, form);
      if (result !== 'form') return result === 'taken';
    }
    return false;
  }

  /**
   * Redirects an answer for one person whose command no longer accepts it: it goes to that person directly, and nowhere
   * else.
   */
  async #privately({ interaction = '', address }: OutboundMessage): Promise<Address> {
    const { user } = readResponse(interaction);
    const place = user === undefined ? undefined : await this.#directTo(user, address);
    if (!place) throw new DeliveryError(`${PRIVATE}, and it is not known who that was`);
    return place;
  }

  /**
   * Answers in a direct chat as an ordinary message: only its person reads it, it stays, and it can be read back.
   * Commands are also given in direct chats without the bot.
   */
  async #answerDirectly(url: string, forms: Form[], job: Job): Promise<string> {
    const { message, attempt } = job;
    try {
      return await this.#post(forms, message.address, attempt);
    } catch (error) {
      const isElsewhere = error instanceof DeliveryError && isNotThere(error.cause);
      if (isElsewhere && (await this.#answer(url, forms, job))) return responseId(attempt);
      throw error;
    }
  }

  /** Returns undefined if the message can't be edited, so that a new one must be sent. */
  async #edit(ts: string, forms: Form[], { chat }: Address, { key }: PartAttempt): Promise<string | undefined> {
    const place = { channel: chat, ts };
    const update = () =>
      this.#inForms(forms, (form) =>
        this.#slack.api.call('chat.update', { ...place, ...form, parse: 'none', metadata: metadataOf(key) }),
      );
    try {
      await update().catch(async (error: unknown) => {
        if (!isStreaming(error)) throw error;
        await this.#slack.api.call('chat.stopStream', place);
        await update();
      });
      return ts;
    } catch (error) {
      // An edit accepts less text than a message.
      if (!refusesEdit(error) && !refusesForm(error)) throw toDeliveryError(error, true);
      this.#slack.log.debug({ err: error, chat }, 'the status message could not be edited into the answer');
      await this.#remove(place);
      return undefined;
    }
  }

  /** Deletes the status message, which must not remain beside the answer. */
  async #remove(place: { channel: string; ts: string }): Promise<void> {
    try {
      await this.#slack.api.call('chat.delete', place);
    } catch (error) {
      this.#slack.log.debug({ err: error }, 'a status message could not be deleted');
    }
  }

  async #post(forms: Form[], address: Address, attempt: PartAttempt): Promise<string> {
    const { key, uncertainSince } = attempt;
    const params = { channel: address.chat, metadata: metadataOf(key), ...QUIET };
    try {
      const found = uncertainSince === undefined ? undefined : await this.#lookFor(address, key, uncertainSince);
      if (found !== undefined) return found;
      const answer = await this.#inForms(forms, (form) => this.#inThread(address, { ...params, ...form }));
      return string(answer, 'ts') ?? '';
    } catch (error) {
      throw toDeliveryError(error);
    }
  }

  /**
   * Searches for a message. If its thread was deleted or locked, the answer is in the channel, so that is searched too.
   */
  async #lookFor(address: Address, key: string, since: number): Promise<string | undefined> {
    const found = await this.#parts.readBack.message(address, key, since);
    if (found !== undefined || address.thread === undefined) return found;
    const { thread: _gone, ...chat } = address;
    return this.#parts.readBack.message(chat, key, since);
  }

  async #inThread({ thread }: Address, params: Record<string, unknown>) {
    if (thread === undefined) return this.#slack.api.call('chat.postMessage', params);
    try {
      return await this.#slack.api.call('chat.postMessage', { ...params, thread_ts: thread });
    } catch (error) {
      if (!refusesThread(error)) throw error;
      this.#slack.log.info({ err: error }, 'a thread accepts no more messages; its answer goes to the channel');
      return this.#slack.api.call('chat.postMessage', params);
    }
  }

  async #inForms<T>(forms: Form[], action: (form: Form) => Promise<T>): Promise<T> {
    let refusal: unknown = new SlackError('refused', 'there is nothing to send', { code: 'no_text' });
    for (const form of forms) {
      try {
        return await action(form);
      } catch (error) {
        if (!refusesForm(error)) throw error;
        this.#slack.log.debug({ err: error }, 'a part was refused in this form and is sent in another');
        refusal = error;
      }
    }
    throw refusal;
  }
}

function responseId({ key }: PartAttempt): string {
  return `response:${key}`;
}

/** Text with the buttons below it, or files. */
type Part =
  | { part: SlackPart; buttons: Button[][]; files: [] }
  | { part?: undefined; buttons?: undefined; files: Attachment[] };

interface Job extends Step {
  message: OutboundMessage;
  buttons: Button[][];
}
