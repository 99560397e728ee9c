/**
 * Sending: every part of a message through the ledger, in order. Nothing is retried here; what Telegram refuses for its form
 * is sent at once in another form under the same entry, since a refused part was not taken.
 */
import type { Logger } from '../../../log.ts';
import type { Attachment, ChannelLimits, OutboundMessage, PartLedger } from '../../channel.ts';
import { integer, isFields } from '../../shared/read.ts';
import { FilesRefused, sendParts } from '../../shared/send-parts.ts';
import { type TelegramApi, TelegramError } from '../connect/api.ts';
import type { Cache } from '../connect/setup.ts';
import { isAlreadySo, isRich, refusesRich, remedy, toDeliveryError } from './refusals.ts';
import { noticeCalls, renderTelegram, type TelegramPart } from './render.ts';
import { createUploads, type Uploads } from './upload.ts';
import { fileOf, noticeOf, whyRefused, wordsOf } from './without-files.ts';

export interface SendOptions {
  api: TelegramApi;
  limits: ChannelLimits;
  log: Logger;
  cache: Cache | undefined;
}

const SEND_MS = 30_000;
const UPLOAD_MS = 120_000;
const RICH_KEY = 'telegram.rich';
/** A server that does not know rich messages is asked again after a day. */
const RICH_OFF_MS = 24 * 3_600_000;

/** Throws DeliveryError. */
export function createSend({
  api,
  limits,
  log,
  cache,
}: SendOptions): (message: OutboundMessage, ledger: PartLedger) => Promise<void> {
  let rich: 'unknown' | 'taken' | 'refused' = 'unknown';

  async function send(message: OutboundMessage, ledger: PartLedger): Promise<void> {
    const rendered = await renderTelegram(message, limits);
    let parts = rendered.rich && (await mayBeRich()) ? rendered.rich : rendered.parts;
    await sendParts<TelegramPart>(ledger, {
      parts: () => parts,
      filesOf: ({ files }) => files,
      wordsOf,
      fileOf,
      notice: noticeOf,
      noticeParts: async (notice, isFirst) => noticeCalls(notice, message, isFirst),
      async post(part) {
        try {
          return await post(part, message);
        } catch (error) {
          // A rich message is the first part, and all of the words.
          const [plain] = rendered.parts;
          if (!(error instanceof RichRefused) || !plain) throw error;
          parts = rendered.parts;
          return post(plain, message);
        }
      },
    });
  }

  /** Gives the ids of what was sent, joined by commas. */
  async function post(part: TelegramPart, message: OutboundMessage): Promise<string> {
    const tried = new Set<string>();
    for (let form = part; ; ) {
      const uploads = createUploads();
      try {
        const timeoutMs = form.files.length > 0 ? UPLOAD_MS : SEND_MS;
        const result = await api.call(form.method, attach(form, uploads), { timeoutMs });
        if (isRich(form)) rich = 'taken';
        return idsOf(result, form);
      } catch (error) {
        if (!(error instanceof TelegramError)) throw error;
        if (isAlreadySo(error)) return idsOf(true, form);
        const next = remedy(form, error, message, tried);
        if (!next && refusesRich(form, error)) throw await refuseRich(error);
        const why = next ? undefined : whyRefused(form, error);
        if (why) throw new FilesRefused(why, error);
        if (!next) throw toDeliveryError(form, error);
        log.debug({ err: error }, 'a part was refused in this form and is sent in another');
        form = next;
      } finally {
        uploads.close();
      }
    }
  }

  /** Remembered before the other form is sent, so that a restart in the middle of a message goes on with that form. */
  async function refuseRich(error: TelegramError): Promise<RichRefused> {
    // Where rich messages are taken, it is this one that was wrong.
    if (rich === 'taken') return new RichRefused();
    rich = 'refused';
    log.info({ err: error }, 'rich messages are not taken here; tables and task lists are sent as text');
    await tolerate(async () => cache?.set(RICH_KEY, String(Date.now())));
    return new RichRefused();
  }

  async function mayBeRich(): Promise<boolean> {
    if (rich !== 'unknown') return rich === 'taken';
    const refusedAt = Number((await tolerate(async () => cache?.get(RICH_KEY))) ?? 0);
    if (Date.now() - refusedAt < RICH_OFF_MS) rich = 'refused';
    return rich === 'unknown';
  }

  /** What the cache holds may be lost; a message may not, for the cache's sake. */
  async function tolerate<T>(action: () => Promise<T>): Promise<T | undefined> {
    try {
      return await action();
    } catch (error) {
      log.warn({ err: error }, 'the cache failed');
      return undefined;
    }
  }

  return send;
}

class RichRefused extends Error {}

/** Files go under the name of their method (`sendDocument` takes `document`), those of an album under its media. */
function attach(part: TelegramPart, uploads: Uploads): object {
  const [file] = part.files;
  if (!file) return part.params;
  const { media } = part.params;
  if (!Array.isArray(media))
    return { ...part.params, [part.method.replace('send', '').toLowerCase()]: uploads.file(file) };
  return { ...part.params, media: media.map((item, index) => withFile(item, part.files[index], uploads)) };
}

function withFile(item: unknown, file: Attachment | undefined, uploads: Uploads): unknown {
  return isFields(item) && file ? { ...item, media: uploads.file(file) } : item;
}

function idsOf(result: unknown, part: TelegramPart): string {
  const messages = Array.isArray(result) ? result : [result];
  const ids = messages
    .map((sent) => (isFields(sent) ? integer(sent, 'message_id') : undefined))
    .filter((id) => id !== undefined);
  return ids.length > 0 ? ids.join(',') : String(part.params.message_id ?? '');
}
