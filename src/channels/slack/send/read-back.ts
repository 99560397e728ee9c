/**
 * Finds out whether an earlier attempt has arrived. Slack accepts no idempotency key, but keeps our key in the
 * message's metadata. https://docs.slack.dev/messaging/message-metadata/
 */
import { DeliveryError } from '../../../errors.ts';
import { createLru } from '../../../lib/lru.ts';
import type { Address, Attachment } from '../../channel.ts';
import { type Fields, fields, fieldsList, integer, string } from '../../shared/read.ts';
import { SlackError } from '../connect/api.ts';
import { isOwn } from '../decode/base.ts';
import type { SlackContext } from '../options.ts';

export const EVENT_TYPE = 'viber_message';

export interface ReadBack {
  /**
   * Returns the `ts` of our message with this key.
   * @throws SlackError, or DeliveryError when there were too many messages since to be sure.
   */
  message(address: Address, key: string, since: number): Promise<string | undefined>;
  /** Returns the IDs of our files with these names and sizes, joined by commas. Throws like `message`. */
  files(address: Address, files: readonly Attachment[], since: number): Promise<string | undefined>;
  /** Notes that these files have arrived, so that they aren't taken for later ones of the same names and sizes. */
  arrived(ids: readonly string[]): void;
}

const MAX_ARRIVED = 2000;
const PAGE = 200;
const MAX_PAGES = 10;
const KEY_MARGIN_MS = 120_000;
/** Files have no key, so the search covers little more than the time in question. */
const FILE_MARGIN_MS = 5000;

export function metadataOf(key: string, more: Readonly<Record<string, string>> = {}): object {
  return { event_type: EVENT_TYPE, event_payload: { key, ...more } };
}

/** Returns the key we gave a message, from its history entry. */
export function deliveryKey(message: Fields): string | undefined {
  const metadata = fields(message, 'metadata');
  const payload = metadata && fields(metadata, 'event_payload');
  return payload && string(payload, 'key');
}

export function createReadBack(slack: SlackContext): ReadBack {
  const settled = createLru<true>(MAX_ARRIVED);

  function arrived(ids: readonly string[]): void {
    for (const id of ids) settled.set(id, true);
  }

  async function find<T>(
    { chat, thread }: Address,
    since: number,
    pick: (message: Fields) => T | undefined,
  ): Promise<T | undefined> {
    const self = slack.identity;
    // Nothing would be found before it is known who the bot is.
    if (!self) throw new DeliveryError('Slack is not connected yet', { retryAfterMs: 500 });
    const method = thread === undefined ? 'conversations.history' : 'conversations.replies';
    const place = { channel: chat, ...(thread !== undefined && { ts: thread }) };
    const oldest = Math.max(0, (since + slack.transport.skewMs()) / 1000).toFixed(6);
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const window = { oldest, inclusive: true, limit: PAGE, include_all_metadata: true, ...(cursor && { cursor }) };
      const answer = await history(method, { ...place, ...window });
      for (const message of fieldsList(answer, 'messages')) {
        const found = isOwn(message, self) ? pick(message) : undefined;
        if (found !== undefined) return found;
      }
      cursor = string(fields(answer, 'response_metadata') ?? {}, 'next_cursor');
      if (!cursor) return undefined;
    }
    throw new DeliveryError('too many messages were posted since then to find out whether an earlier attempt arrived');
  }

  async function history(method: string, params: Record<string, unknown>): Promise<Fields> {
    try {
      return await slack.api.call(method, params);
    } catch (error) {
      // The thread's first message was deleted, and its content with it.
      if (error instanceof SlackError && error.code === 'thread_not_found') return {};
      throw error;
    }
  }

  return {
    message: (address, key, since) =>
      find(address, since - KEY_MARGIN_MS, (message) =>
        deliveryKey(message) === key ? string(message, 'ts') : undefined,
      ),
    files: (address, files, since) =>
      find(address, since - FILE_MARGIN_MS, (message) => {
        const shown = fieldsList(message, 'files');
        const isThis =
          shown.length === files.length && files.every((file) => shown.some((body) => isUploadedFile(body, file)));
        const ids = shown.map((body) => string(body, 'id') ?? '');
        if (!isThis || ids.some(settled.has)) return undefined;
        arrived(ids);
        return ids.join(',');
      }),
    arrived,
  };
}

function isUploadedFile(body: Fields, file: Attachment): boolean {
  return integer(body, 'size') === file.size && string(body, 'name') === uploadName(file);
}

/** Returns the name that a file gets on Slack: one line, no path. */
export function uploadName({ name }: Attachment): string {
  const clean = name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .replace(/[\\/]/g, '_')
    .replace(/^\.+/, '')
    .trim();
  if (clean.length <= 120) return clean || 'file';
  const extension = /\.\w{1,10}$/.exec(clean)?.[0] ?? '';
  return clean.slice(0, 120 - extension.length).toWellFormed() + extension;
}
