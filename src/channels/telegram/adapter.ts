/**
 * Telegram, over the Bot API. It takes updates in by long polling or webhook, hands each over in order, and tells Telegram
 * that it has one only after `onMessage` has resolved. Sending is in `send.ts`; only taking updates in is ever retried here.
 */
import type { Logger } from '../../log.ts';
import type {
  Channel,
  ChannelCallbacks,
  ChannelLimits,
  ChannelStatus,
  CommandSpec,
  InboundMessage,
  LiveMode,
  Place,
} from '../channel.ts';
import { refuse, type WebhookHandler } from '../shared/webhook.ts';
import { createApi, TelegramError } from './connect/api.ts';
import { createDownload, DOWNLOAD_BYTES } from './connect/download.ts';
import { type Poller, startPolling } from './connect/poll.ts';
import { type Cache, createSetup, getMe, wrongToken, wrongTokenOf } from './connect/setup.ts';
import { checkWebhook, createWebhook, type WebhookSettings } from './connect/webhook.ts';
import { type Bot, callbackId, type Decoded, decodeUpdate } from './decode/decode.ts';
import { createLive, LIVE_TIMING, type LiveTiming } from './live/live.ts';
import { createSend } from './send/send.ts';

/** https://core.telegram.org/bots/api: #sendmessage (4096 UTF-16 units), #senddocument (50 MB), #getfile (20 MB). */
const LIMITS: ChannelLimits = { text: 4096, uploadBytes: 50 * 1024 * 1024, downloadBytes: DOWNLOAD_BYTES };

/** Waits; the defaults are right outside of tests. */
export interface Timing {
  backoffMs: { min: number; max: number };
  /** Milliseconds after which a poll that should have come back counts as lost. */
  graceMs: number;
  live: LiveTiming;
}

export interface TelegramOptions {
  token: string;
  /** `https://api.telegram.org`, or a Bot API server of one's own. */
  apiRoot: string;
  mode: 'polling' | 'webhook';
  webhook?: Partial<WebhookSettings>;
  /** The menu of commands that Telegram shows. */
  attachCommands: CommandSpec[];
  cache?: Cache;
  log: Logger;
  live: LiveMode;
  /** Seconds Telegram holds a poll without updates; 30 by default. */
  pollSeconds?: number;
  timing?: Partial<Timing>;
}

/**
 * A channel; in webhook mode with the handler that the HTTP server calls for requests to the webhook's path.
 * `connect` throws ConfigError for a token Telegram does not accept and for wrong `webhook` settings; while Telegram
 * cannot be reached it goes on trying, with status `reconnecting`.
 */
export function createTelegram(options: TelegramOptions): Channel & { webhook?: WebhookHandler } {
  const { token, mode, log, cache } = options;
  const timing: Timing = {
    backoffMs: { min: 1000, max: 60_000 },
    graceMs: 10_000,
    live: LIVE_TIMING,
    ...options.timing,
  };
  const api = createApi({ token, apiRoot: options.apiRoot.replace(/\/+$/, '') });
  const send = createSend({ api, limits: LIMITS, log, cache });
  const live = createLive({ api, mode: options.live, log, timing: timing.live });
  const stopping = new AbortController();
  const setup = createSetup({
    api,
    cache,
    log,
    onStatus: setStatus,
    backoffMs: timing.backoffMs,
    signal: stopping.signal,
  });
  let status: ChannelStatus = { state: 'off' };
  let bot: Bot | undefined;
  let callbacks: ChannelCallbacks | undefined;
  let poller: Poller | undefined;
  let handler: WebhookHandler | undefined;
  const inHand = new Set<Promise<void>>();

  function setStatus(next: ChannelStatus): void {
    if (next.state === status.state && next.detail === status.detail) return;
    if (next.detail !== undefined) log.warn({ channel: 'telegram', state: next.state }, next.detail);
    status = next;
    callbacks?.onStatus();
  }

  /** Calls `onMessage` before it first waits, so that a batch keeps its order. Rejects when it could not be stored. */
  async function accept(update: unknown): Promise<void> {
    if (!bot || !callbacks) throw new Error('not connected');
    const decoded = decode(update, bot);
    if (decoded.kind === 'dropped') return callbacks.onDropped(decoded.reason);
    await callbacks.onMessage(decoded.message, update);
    if (decoded.message.kind === 'button') void acknowledge(decoded.message);
  }

  /** An update that breaks the decoder is dropped: it would come back for ever. */
  function decode(update: unknown, self: Bot): Decoded {
    try {
      return decodeUpdate(update, self);
    } catch (error) {
      log.error({ err: error }, 'an update could not be read and was dropped');
      return { kind: 'dropped', reason: 'decode-error' };
    }
  }

  /** Takes the waiting mark off a button. Telegram refuses it for presses older than a moment, which does no harm. */
  async function acknowledge(message: InboundMessage): Promise<void> {
    try {
      await api.call('answerCallbackQuery', { callback_query_id: callbackId(message) });
    } catch (error) {
      if (!(error instanceof TelegramError)) throw error;
      log.debug({ err: error }, 'a button press was not acknowledged');
    }
  }

  async function webhook(...[request, response]: Parameters<WebhookHandler>): Promise<void> {
    if (!handler) return refuse(request, response, 503);
    const work = handler(request, response);
    inHand.add(work);
    await work.finally(() => inHand.delete(work));
  }

  return {
    id: 'telegram',
    limits: LIMITS,
    get account() {
      return bot?.account ?? '';
    },
    status: () => status,
    async connect(given) {
      callbacks = given;
      const settings = mode === 'webhook' ? checkWebhook(options.webhook) : undefined;
      if (!/^[\w:-]+$/.test(token)) throw wrongToken();
      setStatus({ state: 'connecting' });
      bot = await setup.introduce();
      if (!bot) return;
      void setup.setCommands(bot, options.attachCommands);
      if (settings) {
        handler = createWebhook(settings, accept);
        await setup.setWebhook(settings);
      }
      if (stopping.signal.aborted) return;
      setStatus({ state: 'connected' });
      if (!settings)
        poller = startPolling({
          api,
          accept,
          onStatus: setStatus,
          pollSeconds: options.pollSeconds ?? 30,
          ...timing,
        });
    },
    async disconnect() {
      stopping.abort();
      live.close();
      handler = undefined;
      await Promise.all([poller?.stop(), ...inHand]);
      setStatus({ state: 'off' });
    },
    send,
    download: createDownload(api),
    stream: async (event, address, view) => live.event(event, address, view),
    livePace: live.pace,
    endStream: (runId, address, isAnswered) => live.end(runId, address, isAnswered),
    findPlace: async (written) => findPlace(written, bot?.account ?? ''),
    ...(mode === 'webhook' && { webhook }),
  };
}

/**
 * A private chat has the id of its person, a group's is negative: nobody needs to be asked.
 * https://core.telegram.org/bots/api#chat
 */
function findPlace({ chat, thread }: { chat: string; thread?: string }, account: string): Place | undefined {
  if (!/^-?[1-9]\d{0,18}$/.test(chat) || !(thread === undefined || /^[1-9]\d{0,15}$/.test(thread))) return undefined;
  const address = { channel: 'telegram', account, chat, ...(thread === undefined ? {} : { thread }) };
  return chat.startsWith('-') ? { address, isDirect: false } : { address, isDirect: true, user: chat };
}

/** For the doctor: one sentence when the token is good. Throws ConfigError when it is not, TelegramError when Telegram cannot be asked. */
export async function checkTelegram({
  token,
  apiRoot,
}: Pick<TelegramOptions, 'token' | 'apiRoot' | 'log'>): Promise<string> {
  const api = createApi({ token, apiRoot: apiRoot.replace(/\/+$/, '') });
  try {
    const bot = await getMe(api, AbortSignal.timeout(15_000));
    return `@${bot.username} answers`;
  } catch (error) {
    throw wrongTokenOf(error) ?? error;
  }
}
