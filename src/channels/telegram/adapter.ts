/**
 * Connects Telegram over the Bot API. Updates arrive by long polling or webhook and are handled in order; each is
 * confirmed to Telegram only after `onMessage` has resolved. Sending is in `send.ts`; only receiving is ever retried
 * here.
 */

import { createLru } from '../../lib/lru.ts';
import type { Logger } from '../../log.ts';
import { say, type Wording } from '../../messages/messages.ts';
import type {
  Address,
  Channel,
  ChannelCallbacks,
  ChannelLimits,
  CommandSpec,
  InboundMessage,
  LiveMode,
  NameOf,
  Place,
} from '../channel.ts';
import type { ChannelCache } from '../kind.ts';
import { alone, type Lead } from '../lead.ts';
import { createChannelState } from '../shared/connection.ts';
import { createStatus, type Live, type StatusTiming } from '../shared/status.ts';
import { refuseRequest, type WebhookHandler } from '../shared/webhook.ts';
import { createAlbumFiles } from './connect/album-files.ts';
import { type AlbumState, createAlbums } from './connect/albums.ts';
import { createApi, type TelegramApi, TelegramError } from './connect/api.ts';
import { createBarred } from './connect/barred.ts';
import { createDownload, DOWNLOAD_BYTES } from './connect/download.ts';
import { LOCAL_BYTES } from './connect/local-files.ts';
import { poll } from './connect/poll.ts';
import { createSetup, getMe, wrongToken, wrongTokenOf } from './connect/setup.ts';
import { createWebhook, type WebhookSettings } from './connect/webhook.ts';
import { type Bot, callbackId, type DecodedUpdate, decodeUpdate } from './decode/decode.ts';
import { LiveCalls } from './live/calls.ts';
import { Sender } from './send/send.ts';

/** https://core.telegram.org/bots/api: #sendmessage (4096 UTF-16 units), #senddocument (50 MB), #getfile (20 MB). */
const LIMITS: ChannelLimits = { text: 4096, uploadBytes: 50 * 1024 * 1024, downloadBytes: DOWNLOAD_BYTES };
/** https://core.telegram.org/bots/api#using-a-local-bot-api-server */
const LOCAL_LIMITS: ChannelLimits = { text: 4096, uploadBytes: LOCAL_BYTES, downloadBytes: LOCAL_BYTES };

/** Waiting times. Only tests change the defaults. */
export interface Timing {
  backoffMs: { min: number; max: number };
  /** Milliseconds past its due time after which a poll counts as lost. */
  graceMs: number;
  live: LiveTiming;
}

export const LIVE_TIMING: LiveTiming = {
  typingAfter: 400,
  typingEvery: 5000,
  statusAfter: 3000,
  statusEvery: 3000,
  textEvery: 1500,
  chatGap: 2000,
  groupGap: 6000,
  longRun: 30_000,
  late: 1500,
};

const TIMING: Timing = { backoffMs: { min: 1000, max: 60_000 }, graceMs: 10_000, live: LIVE_TIMING };

interface Account {
  token: string;
  /** `https://api.telegram.org`, or your own Bot API server. */
  apiRoot: string;
}

export interface TelegramOptions extends Account {
  mode: 'polling' | 'webhook';
  /** Required in webhook mode. */
  webhook?: WebhookSettings;
  attachCommands: CommandSpec[];
  cache?: ChannelCache;
  nameOf?: NameOf;
  log: Logger;
  live: LiveMode;
  /** Seconds that Telegram holds a poll without updates; 30 by default. */
  pollSeconds?: number;
  /** Folders of our own Bot API server in local mode, which keeps its files there. */
  localFiles?: readonly string[];
  /** Elects the process that polls when several run this bot. Default: this one. */
  lead?: Lead;
  timing?: Partial<Timing>;
}

/** Our account, and whom to tell about messages: set when the channel connects. */
interface Connection {
  bot?: Bot;
  callbacks?: ChannelCallbacks;
}

/**
 * Creates the channel; in webhook mode with the handler for requests to the webhook's path. While Telegram is
 * unreachable, `connect` keeps trying, with status `reconnecting`. `connect` throws ConfigError for a token or a
 * webhook's URL that Telegram rejects.
 */
export function createTelegram(options: TelegramOptions): Channel & { webhook?: WebhookHandler } {
  const { token, mode, log, cache, lead = alone } = options;
  const timing = { ...TIMING, ...options.timing };
  const api = createApi(options);
  const limits = options.localFiles?.length ? LOCAL_LIMITS : LIMITS;
  const sender = new Sender({ api, limits, log, cache });
  const live = createLive({ api, mode: options.live, log, timing: timing.live });
  const stopping = new AbortController();
  const connection: Connection = {};
  const state = createChannelState('telegram', log, () => connection.callbacks?.onStatus());
  const accept = createIntake({ api, log, connection });
  const reaching = { api, onStatus: state.set, backoffMs: timing.backoffMs };
  const setup = createSetup({ ...reaching, cache, log, signal: stopping.signal });
  let stopPolling: (() => Promise<void>) | undefined;
  let handler: WebhookHandler | undefined;
  const inHand = new Set<Promise<void>>();

  async function webhook(...[request, response]: Parameters<WebhookHandler>): Promise<void> {
    if (!handler) return refuseRequest(request, response, 503);
    const work = handler(request, response);
    inHand.add(work);
    await work.finally(() => inHand.delete(work));
  }

  return {
    id: 'telegram',
    limits,
    get account() {
      return connection.bot?.account ?? '';
    },
    status: state.get,
    deleteMessage: ({ chat }, message) => deletePersonsMessage(chat, message, api, log),
    async connect(given, { sendOnly = false } = {}) {
      connection.callbacks = given;
      const settings = mode === 'webhook' ? options.webhook : undefined;
      if (!/^[\w:-]+$/.test(token)) throw wrongToken();
      state.set({ state: 'connecting' });
      const introduced = await setup.introduce();
      if (!introduced) return;
      const self: Bot = { ...introduced, ...(options.nameOf && { nameOf: options.nameOf }) };
      connection.bot = self;
      if (sendOnly) return state.set({ state: 'connected' });
      void setup.setCommands(self, options.attachCommands);
      if (settings) {
        handler = createWebhook(settings, accept);
        await setup.setWebhook(settings);
      }
      if (stopping.signal.aborted) return;
      state.set({ state: 'connected' });
      const polling = { ...reaching, accept, pollSeconds: options.pollSeconds ?? 30, graceMs: timing.graceMs };
      if (!settings)
        stopPolling = lead(`telegram:${self.account}`, async (turn) => {
          await poll({ ...polling, turn });
          // Problems with polling are now another process's to report.
          if (!stopping.signal.aborted) state.set({ state: 'connected' });
        });
    },
    async disconnect() {
      stopping.abort();
      live.close();
      handler = undefined;
      await Promise.all([stopPolling?.(), ...inHand]);
      state.set({ state: 'off' });
    },
    send: (message, ledger) => sender.send(message, ledger),
    download: createDownload(api, options.localFiles),
    stream: async (event, address, view) => live.event(event, address, view),
    livePace: live.pace,
    endStream: (runId, address, isAnswered) => live.end(runId, address, isAnswered),
    barred: createBarred(api, () => connection.bot?.account ?? ''),
    // A private chat has its person's ID.
    directTo: async (user, { channel, account }) => ({ channel, account, chat: user }),
    findPlace: async (written) => findPlace(written, connection.bot?.account ?? ''),
    ...(mode === 'webhook' && { webhook }),
  };
}

/**
 * Derives a place from its ID without a call: a private chat has its person's ID, a group's is negative.
 * https://core.telegram.org/bots/api#chat
 */
function findPlace({ chat, thread }: { chat: string; thread?: string }, account: string): Place | undefined {
  if (!/^-?[1-9]\d{0,18}$/.test(chat) || !(thread === undefined || /^[1-9]\d{0,15}$/.test(thread))) return undefined;
  const address = { channel: 'telegram', account, chat, ...(thread === undefined ? {} : { thread }) };
  return chat.startsWith('-') ? { address, isDirect: false } : { address, isDirect: true, user: chat };
}

const ASK_MS = 15_000;

/**
 * Returns one sentence for the doctor if the token is valid.
 * @throws ConfigError when the token is invalid.
 * @throws TelegramError when Telegram can't be asked.
 */
export async function checkTelegram(account: Account): Promise<Wording> {
  try {
    const bot = await getMe(createApi(account), AbortSignal.timeout(ASK_MS));
    return say('doctor.answers', { name: `@${bot.username}` });
  } catch (error) {
    throw wrongTokenOf(error) ?? error;
  }
}

/** Returns the card with which people find the bot. @throws TelegramError */
export async function telegramCard(account: Account) {
  const { username } = await getMe(createApi(account), AbortSignal.timeout(ASK_MS));
  const link = `https://t.me/${username}`;
  return { name: `@${username}`, link, withCode: (code: string) => `${link}?start=${code}` };
}

async function deletePersonsMessage(chat: string, message: string, api: TelegramApi, log: Logger): Promise<boolean> {
  try {
    await api.call('deleteMessage', { chat_id: chat, message_id: Number(message) });
    return true;
  } catch (error) {
    if (!(error instanceof TelegramError)) throw error;
    log.debug({ err: error }, 'a message was not deleted');
    return false;
  }
}

/** The most people to remember, so that a mention of them can be shown with their name. */
const MAX_NAMES = 5000;

/**
 * Returns a function that turns an update into a message for the gateway. It calls `onMessage` before its first wait,
 * so that a batch keeps its order, and rejects when the message could not be stored.
 */
function createIntake({
  api,
  log,
  connection,
}: {
  api: TelegramApi;
  log: Logger;
  connection: Connection;
}): (update: unknown) => Promise<AlbumState> {
  const collect = createAlbums();
  const withAlbum = createAlbumFiles();
  const names = createLru<string>(MAX_NAMES);
  const knownAs = (username: string) => names.get(username);
  return async (update) => {
    const { bot: self, callbacks } = connection;
    if (!self || !callbacks) throw new Error('not connected');
    const bot = { ...self, knownAs };
    const decoded = decodeSafely(update, bot, log);
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
    const taken = await collect(withAlbum(decoded.message, update), update, (...part) => callbacks.onMessage(...part));
    if (decoded.message.kind === 'button') void acknowledge(decoded.message, api, log);
    return taken;
  };
}

/** Decodes an update. One that breaks the decoder is dropped, because it would be sent again forever. */
function decodeSafely(update: unknown, bot: Bot, log: Logger): DecodedUpdate {
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

export interface LiveTiming extends StatusTiming {
  /**
   * The gap between calls in one chat. Telegram accepts one message per second there, 20 per minute in a group, answers
   * included.
   */
  chatGap: number;
  groupGap: number;
}

const MAX_TEXT = 4000;
const isGroup = ({ chat }: Address): boolean => chat.startsWith('-');

export function createLive(options: { api: TelegramApi; mode: LiveMode; log: Logger; timing?: LiveTiming }): Live {
  const { mode, timing = LIVE_TIMING } = options;
  return createStatus({
    calls: new LiveCalls(options),
    mode,
    timing,
    maxText: MAX_TEXT,
    // A draft would be visible to everybody in a group.
    maySeeText: (address) => !isGroup(address),
    // The topics of a chat share its limits.
    pace: (address) => ({ key: address.chat, gapMs: isGroup(address) ? timing.groupGap : timing.chatGap }),
  });
}
