/** Turns an update into a message for the gateway. Invariant: it rejects when the message could not be stored. */
import { createLru } from '../../../lib/lru.ts';
import type { Logger } from '../../../log.ts';
import type { ChannelCallbacks, InboundMessage } from '../../channel.ts';
import { type Bot, callbackId, type Decoded, decodeUpdate } from '../decode/decode.ts';
import { createAlbumFiles } from './album-files.ts';
import { createAlbums, type Taken } from './albums.ts';
import { type TelegramApi, TelegramError } from './api.ts';

export interface IntakeOptions {
  api: TelegramApi;
  log: Logger;
  bot: () => Bot | undefined;
  callbacks: () => ChannelCallbacks | undefined;
}

/** The most people to remember, so that a mention of them can be shown with their name. */
const MAX_NAMES = 5000;

/** Returns a function that calls `onMessage` before its first wait, so that a batch keeps its order. */
export function createIntake(options: IntakeOptions): (update: unknown) => Promise<Taken> {
  const { api, log } = options;
  const accept = createAlbums();
  const withAlbum = createAlbumFiles();
  const names = createLru<string>(MAX_NAMES);
  const knownAs = (username: string) => names.get(username);
  return async (update) => {
    const self = options.bot();
    const bot = self && { ...self, knownAs };
    const callbacks = options.callbacks();
    if (!bot || !callbacks) throw new Error('not connected');
    const decoded = decode(update, bot, log);
    if (decoded.kind === 'dropped') {
      callbacks.onDropped(decoded.reason);
      return 'settled';
    }
    const { name, username } = decoded.message.sender;
    if (username !== undefined) names.set(username.toLowerCase(), bot.nameOf?.(decoded.message.sender.user) ?? name);
    const { group, quotes } = decoded.message;
    if (group === undefined && quotes.length === 0 && decoded.message.kind !== 'button') {
      await callbacks.onMessage(decoded.message, update);
      return 'settled';
    }
    const taken = await accept(withAlbum(decoded.message, update), update, (...part) => callbacks.onMessage(...part));
    if (decoded.message.kind === 'button') void acknowledge(decoded.message, api, log);
    return taken;
  };
}

/** Decodes an update. One that breaks the decoder is dropped, or it would come back for ever. */
function decode(update: unknown, bot: Bot, log: Logger): Decoded {
  try {
    return decodeUpdate(update, bot);
  } catch (error) {
    log.error({ err: error }, 'an update could not be read and was dropped');
    return { kind: 'dropped', reason: 'decode-error' };
  }
}

/**
 * Stops a button's loading animation. Telegram refuses this for presses that are no longer recent, which does no harm.
 */
async function acknowledge(message: InboundMessage, api: TelegramApi, log: Logger): Promise<void> {
  try {
    await api.call('answerCallbackQuery', { callback_query_id: callbackId(message) });
  } catch (error) {
    if (!(error instanceof TelegramError)) throw error;
    log.debug({ err: error }, 'a button press was not acknowledged');
  }
}
