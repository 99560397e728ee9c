/**
 * Sends every part of a message through the ledger, in order. Nothing is retried here. If Slack refuses a part's form,
 * another form is sent at once under the same entry, since a refused part was not accepted. Before a part is sent again
 * whose first attempt may have arrived, the conversation is read back.
 */
import { DeliveryError } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import { messagesFor } from '../../../messages/messages.ts';
import type {
  Address,
  Attachment,
  Button,
  Channel,
  ChannelLimits,
  OutboundMessage,
  PartAttempt,
  PartLedger,
} from '../../channel.ts';
import { fields, string } from '../../shared/read.ts';
import { editedPart, FilesRefused, type Step, sendParts } from '../../shared/send-parts.ts';
import { type SlackApi, SlackError } from '../connect/api.ts';
import { isDirect } from '../decode/base.ts';
import { type Form, formsOf } from './blocks.ts';
import { groupFiles } from './outgoing-files.ts';
import { NO_PREVIEWS } from './previews.ts';
import { metadataOf, type ReadBack } from './read-back.ts';
import { isNotThere, isStreaming, refusesEdit, refusesForm, refusesThread, toDeliveryError } from './refusals.ts';
import { renderSlack, type SlackPart } from './render.ts';
import { type Respond, readResponse } from './respond.ts';
import type { Upload } from './upload.ts';
import { noticeOf, whyRefused } from './without-files.ts';

export interface SendOptions {
  api: SlackApi;
  readBack: ReadBack;
  upload: Upload;
  respond: Respond;
  limits: ChannelLimits;
  /** The names of the slash command and of the bot. */
  command: string;
  botName: () => string;
  /** Called with a message below which people may write in a thread. */
  onDigest: (chat: string, ts: string) => void;
  log: Logger;
}

/** Options of every message: previews of links are off, and names in the text aren't mentions. */
export const QUIET = { ...NO_PREVIEWS, parse: 'none', link_names: false } as const;
const PRIVATE = 'the answer was for the eyes of one person, its time is over';

/** Creates `send`. @throws DeliveryError */
export function createSend(options: SendOptions): Channel['send'] {
  const sender = new Sender(options);
  return (message, ledger) => sender.send(message, ledger);
}

class Sender {
  readonly #to: SendOptions;

  constructor(options: SendOptions) {
    this.#to = options;
  }

  async send(message: OutboundMessage, ledger: PartLedger): Promise<void> {
    if (message.edits) return this.#amend(message, message.edits.messageId, ledger);
    const messages = messagesFor(message);
    const { groups, refused } = groupFiles(message.files, this.#to.limits.uploadBytes, messages);
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
      notice: (all) => noticeOf(all, this.#to.command, this.#to.botName(), messages),
      noticeParts: async (notice) =>
        (await renderSlack(notice)).map((part): Part => ({ part, buttons: [], files: [] })),
      post: async (part, step) => {
        if (!part.part) return this.#share(part.files, message, step);
        const ts = await this.#deliver(part.part, { message, ...step, buttons: part.buttons });
        const { chat, thread } = message.address;
        if (message.digest && thread === undefined) this.#to.onDigest(chat, ts);
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
          this.#to.api.call('chat.update', { ...place, ...form, parse: 'none' }),
        );
      } catch (error) {
        const failure = toDeliveryError(error, true);
        if (!(failure instanceof DeliveryError) || failure.retryAfterMs !== undefined) throw failure;
        this.#to.log.debug({ err: error }, 'a message could not be edited any more');
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
      const found = since === undefined ? undefined : await this.#to.readBack.files(address, files, since);
      return found ?? (await this.#to.upload(files, address));
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
      const result = await this.#to.respond(url, form);
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
    if (user === undefined) throw new DeliveryError(`${PRIVATE}, and it is not known who that was`);
    try {
      const opened = await this.#to.api.call('conversations.open', { users: user });
      const { thread: _there, ...base } = address;
      return { ...base, chat: string(fields(opened, 'channel') ?? {}, 'id') ?? '' };
    } catch (error) {
      throw toDeliveryError(error, true);
    }
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
        this.#to.api.call('chat.update', { ...place, ...form, parse: 'none', metadata: metadataOf(key) }),
      );
    try {
      await update().catch(async (error: unknown) => {
        if (!isStreaming(error)) throw error;
        await this.#to.api.call('chat.stopStream', place);
        await update();
      });
      return ts;
    } catch (error) {
      // An edit accepts less text than a message.
      if (!refusesEdit(error) && !refusesForm(error)) throw toDeliveryError(error, true);
      this.#to.log.debug({ err: error, chat }, 'the status message could not become the answer');
      await this.#remove(place);
      return undefined;
    }
  }

  /** Deletes the status message, which must not remain beside the answer. */
  async #remove(place: { channel: string; ts: string }): Promise<void> {
    try {
      await this.#to.api.call('chat.delete', place);
    } catch (error) {
      this.#to.log.debug({ err: error }, 'a status message could not be deleted');
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
    const found = await this.#to.readBack.message(address, key, since);
    if (found !== undefined || address.thread === undefined) return found;
    const { thread: _gone, ...chat } = address;
    return this.#to.readBack.message(chat, key, since);
  }

  async #inThread({ thread }: Address, params: Record<string, unknown>) {
    if (thread === undefined) return this.#to.api.call('chat.postMessage', params);
    try {
      return await this.#to.api.call('chat.postMessage', { ...params, thread_ts: thread });
    } catch (error) {
      if (!refusesThread(error)) throw error;
      this.#to.log.info({ err: error }, 'a thread takes nothing more; its answer goes to the channel');
      return this.#to.api.call('chat.postMessage', params);
    }
  }

  async #inForms<T>(forms: Form[], action: (form: Form) => Promise<T>): Promise<T> {
    let refusal: unknown = new SlackError('refused', 'there is nothing to send', { code: 'no_text' });
    for (const form of forms) {
      try {
        return await action(form);
      } catch (error) {
        if (!refusesForm(error)) throw error;
        this.#to.log.debug({ err: error }, 'a part was refused in this form and is sent in another');
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
