/**
 * Sends every part of a message through the ledger, in order. Nothing is retried here. If Telegram refuses a part's
 * form, another form is sent at once under the same entry, since a refused part was not accepted.
 */
import type { Logger } from '../../../log.ts';
import { messagesFor } from '../../../messages/messages.ts';
import type { Attachment, ChannelLimits, OutboundMessage, PartLedger } from '../../channel.ts';
import type { ChannelCache } from '../../kind.ts';
import { integer, isFields } from '../../shared/read.ts';
import { editedPart, FilesRefused, sendParts } from '../../shared/send-parts.ts';
import { transferMs } from '../../shared/wait.ts';
import { type TelegramApi, TelegramError } from '../connect/api.ts';
import { asCaption, isAlreadySo, refusesRich, remedy, toDeliveryError } from './refusals.ts';
import { asEdit, noticeCalls, renderTelegram, type TelegramPart } from './render.ts';
import { createUploads, type Uploads } from './upload.ts';
import { noticeOf, onlyFile, onlyText, whyRefused } from './without-files.ts';

export interface SendOptions {
  api: TelegramApi;
  limits: ChannelLimits;
  log: Logger;
  cache: ChannelCache | undefined;
}

const SEND_MS = 30_000;
const UPLOAD_MS = 120_000;
const RICH_KEY = 'telegram.rich';
/** A server without rich messages is asked again after a day. */
const RICH_OFF_MS = 24 * 3_600_000;

export class Sender {
  readonly #to: SendOptions;
  #rich: 'unknown' | 'taken' | 'refused' = 'unknown';

  constructor(options: SendOptions) {
    this.#to = options;
  }

  /** @throws DeliveryError */
  async send(message: OutboundMessage, ledger: PartLedger): Promise<void> {
    if (message.edits) return this.#edit(message, message.edits.messageId, ledger);
    const rendered = await renderTelegram(message, this.#to.limits);
    let parts = rendered.rich && (await this.#mayBeRich()) ? rendered.rich : rendered.parts;
    await sendParts<TelegramPart>(ledger, {
      parts: () => parts,
      filesOf: ({ files }) => files,
      hasButtons: ({ params }) => params.reply_markup !== undefined,
      wordsOf: onlyText,
      fileOf: onlyFile,
      notice: (refused) => noticeOf(refused, messagesFor(message)),
      noticeParts: async (notice, isFirst) => noticeCalls(notice, message, isFirst),
      post: async (part) => {
        try {
          return await this.#post(part, message);
        } catch (error) {
          // A rich message is the first part, and holds all the text.
          const [plain] = rendered.parts;
          if (!(error instanceof RichRefused) || !plain) throw error;
          parts = rendered.parts;
          return this.#post(plain, message);
        }
      },
    });
  }

  /** Edits a message. Best effort: one that is gone, or too old to be edited, stays unchanged. */
  async #edit(message: OutboundMessage, messageId: string, ledger: PartLedger): Promise<void> {
    const part = await editedPart(message, async (text) => {
      const { rich, parts } = await renderTelegram({ ...message, text }, this.#to.limits);
      return rich && (await this.#mayBeRich()) ? rich : parts;
    });
    const edit = part && asEdit(part, message.address, messageId);
    if (!edit) return;
    await ledger.part(0, async () => {
      try {
        await this.#call(edit).catch(async (error: unknown) => {
          const caption = error instanceof TelegramError ? asCaption(edit, error) : undefined;
          if (!caption) throw error;
          await this.#call(caption);
        });
      } catch (error) {
        if (!(error instanceof TelegramError)) throw error;
        const failure = toDeliveryError(edit, error);
        if (failure.retryAfterMs !== undefined) throw failure;
        if (!isAlreadySo(error)) this.#to.log.debug({ err: error }, 'a message could not be edited any more');
      }
      return messageId;
    });
  }

  #call({ method, params }: TelegramPart): Promise<unknown> {
    return this.#to.api.call(method, params, { timeoutMs: SEND_MS });
  }

  /** Returns the IDs of the sent messages, joined by commas. */
  async #post(part: TelegramPart, message: OutboundMessage): Promise<string> {
    const tried = new Set<string>();
    for (let form = part; ; ) {
      const uploads = form.files.length > 0 ? createUploads() : undefined;
      try {
        const bytes = form.files.reduce((sum, { size }) => sum + size, 0);
        const timeoutMs = uploads ? transferMs(UPLOAD_MS, bytes) : SEND_MS;
        const params = uploads ? attach(form, uploads) : form.params;
        const result = await this.#to.api.call(form.method, params, { timeoutMs });
        if (form.params.rich_message !== undefined) this.#rich = 'taken';
        return idsOf(result, form);
      } catch (error) {
        if (!(error instanceof TelegramError)) throw error;
        if (isAlreadySo(error)) return idsOf(true, form);
        const next = remedy(form, error, message, tried);
        if (!next && refusesRich(form, error)) throw await this.#refuseRich(error);
        const why = next ? undefined : whyRefused(form, error);
        if (why) throw new FilesRefused(why, error);
        if (!next) throw toDeliveryError(form, error);
        this.#to.log.debug({ err: error }, 'a part was refused in this form and is sent in another');
        form = next;
      } finally {
        uploads?.close();
      }
    }
  }

  /**
   * Records the refusal before the other form is sent, so that after a restart in the middle of a message that form
   * continues.
   */
  async #refuseRich(error: TelegramError): Promise<RichRefused> {
    // If the server accepts rich messages, this one was wrong.
    if (this.#rich === 'taken') return new RichRefused();
    this.#rich = 'refused';
    this.#to.log.info(
      { err: error },
      'this server does not accept rich messages; tables and task lists are sent as text',
    );
    await this.#tolerate(async () => this.#to.cache?.set(RICH_KEY, String(Date.now())));
    return new RichRefused();
  }

  async #mayBeRich(): Promise<boolean> {
    if (this.#rich !== 'unknown') return this.#rich === 'taken';
    const refusedAt = Number((await this.#tolerate(async () => this.#to.cache?.get(RICH_KEY))) ?? 0);
    if (Date.now() - refusedAt < RICH_OFF_MS) this.#rich = 'refused';
    return this.#rich === 'unknown';
  }

  /** Runs a cache operation. The cache's contents may be lost; a message must not be lost because of it. */
  async #tolerate<T>(action: () => Promise<T>): Promise<T | undefined> {
    try {
      return await action();
    } catch (error) {
      this.#to.log.warn({ err: error }, 'the cache failed');
      return undefined;
    }
  }
}

class RichRefused extends Error {}

/**
 * Adds the files to the parameters: under the name of the method (`sendDocument` takes `document`), or for an album
 * under its media.
 */
function attach(part: TelegramPart, uploads: Uploads): object {
  const [file] = part.files;
  const { media } = part.params;
  if (!Array.isArray(media))
    return { ...part.params, [part.method.replace('send', '').toLowerCase()]: uploads.file(file as Attachment) };
  const items = media.map((item: unknown, index) => {
    const each = part.files[index];
    return isFields(item) && each ? { ...item, media: uploads.file(each) } : item;
  });
  return { ...part.params, media: items };
}

function idsOf(result: unknown, part: TelegramPart): string {
  const messages = Array.isArray(result) ? result : [result];
  const ids = messages
    .map((sent) => (isFields(sent) ? integer(sent, 'message_id') : undefined))
    .filter((id) => id !== undefined);
  return ids.length > 0 ? ids.join(',') : String(part.params.message_id ?? '');
}
