/**
 * Connects Telegram over the Bot API. Updates arrive by long polling or webhook and are handled in order; each is
 * confirmed to Telegram only after `onMessage` has resolved. Sending is in `send.ts`; only receiving is ever retried
 * here.
 */
import type { Logger } from '../../log.ts';
import type { Channel, ChannelCallbacks, ChannelLimits, CommandSpec, LiveMode, NameOf, Place } from '../channel.ts';
import { alone, type Lead } from '../lead.ts';
import { createChannelState } from '../shared/channel-state.ts';
import { refuse, type WebhookHandler } from '../shared/webhook.ts';
import { createApi } from './connect/api.ts';
import { createBarred } from './connect/barred.ts';
import { createDownload, DOWNLOAD_BYTES } from './connect/download.ts';
import { createIntake } from './connect/intake.ts';
import { LOCAL_BYTES } from './connect/local-files.ts';
import { poll } from './connect/poll.ts';
import { type Cache, createSetup, getMe, wrongToken, wrongTokenOf } from './connect/setup.ts';
import { checkWebhook, createWebhook, type WebhookSettings } from './connect/webhook.ts';
import type { Bot } from './decode/decode.ts';
import { createLive, LIVE_TIMING, type LiveTiming } from './live/live.ts';
import { createSend } from './send/send.ts';

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

const TIMING: Timing = { backoffMs: { min: 1000, max: 60_000 }, graceMs: 10_000, live: LIVE_TIMING };

export interface TelegramOptions {
  token: string;
  /** `https://api.telegram.org`, or your own Bot API server. */
  apiRoot: string;
  mode: 'polling' | 'webhook';
  webhook?: Partial<WebhookSettings>;
  /** The commands of the menu that Telegram shows. */
  attachCommands: CommandSpec[];
  cache?: Cache;
  /** Returns the names of people in the configuration. */
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

/**
 * Creates the channel; in webhook mode with the handler for requests to the webhook's path. While Telegram is
 * unreachable, `connect` keeps trying, with status `reconnecting`. `connect` throws ConfigError for a token that
 * Telegram rejects and for wrong `webhook` settings.
 */
export function createTelegram(options: TelegramOptions): Channel & { webhook?: WebhookHandler } {
  const { token, mode, log, cache, lead = alone } = options;
  const timing = { ...TIMING, ...options.timing };
  const api = createApi({ token, apiRoot: options.apiRoot.replace(/\/+$/, '') });
  const limits = options.localFiles?.length ? LOCAL_LIMITS : LIMITS;
  const send = createSend({ api, limits, log, cache });
  const live = createLive({ api, mode: options.live, log, timing: timing.live });
  const stopping = new AbortController();
  const state = createChannelState('telegram', log, () => callbacks?.onStatus());
  const accept = createIntake({ api, log, bot: () => bot, callbacks: () => callbacks });
  const reaching = { api, onStatus: state.set, backoffMs: timing.backoffMs };
  const setup = createSetup({ ...reaching, cache, log, signal: stopping.signal });
  let bot: Bot | undefined;
  let callbacks: ChannelCallbacks | undefined;
  let stopPolling: (() => Promise<void>) | undefined;
  let handler: WebhookHandler | undefined;
  const inHand = new Set<Promise<void>>();

  async function webhook(...[request, response]: Parameters<WebhookHandler>): Promise<void> {
    if (!handler) return refuse(request, response, 503);
    const work = handler(request, response);
    inHand.add(work);
    await work.finally(() => inHand.delete(work));
  }

  return {
    id: 'telegram',
    limits,
    get account() {
      return bot?.account ?? '';
    },
    status: state.get,
    async connect(given, { sendOnly = false } = {}) {
      callbacks = given;
      const settings = mode === 'webhook' ? checkWebhook(options.webhook) : undefined;
      if (!/^[\w:-]+$/.test(token)) throw wrongToken();
      state.set({ state: 'connecting' });
      const introduced = await setup.introduce();
      if (!introduced) return;
      const self: Bot = { ...introduced, ...(options.nameOf && { nameOf: options.nameOf }) };
      bot = self;
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
    send,
    download: createDownload(api, options.localFiles),
    stream: async (event, address, view) => live.event(event, address, view),
    livePace: live.pace,
    endStream: (runId, address, isAnswered) => live.end(runId, address, isAnswered),
    barred: createBarred({ api, account: () => bot?.account ?? '' }),
    // A private chat has its person's ID.
    directTo: async (user, { channel, account }) => ({ channel, account, chat: user }),
    findPlace: async (written) => findPlace(written, bot?.account ?? ''),
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

export { telegramCard } from './connect/card.ts';

/**
 * Returns one sentence for the doctor if the token is valid.
 * @throws ConfigError when the token is invalid.
 * @throws TelegramError when Telegram can't be asked.
 */
export async function checkTelegram({ token, apiRoot }: { token: string; apiRoot: string }): Promise<string> {
  const api = createApi({ token, apiRoot: apiRoot.replace(/\/+$/, '') });
  try {
    const bot = await getMe(api, AbortSignal.timeout(15_000));
    return `@${bot.username} answers`;
  } catch (error) {
    throw wrongTokenOf(error) ?? error;
  }
}
