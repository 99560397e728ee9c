/**
 * What is said to Telegram once at a start: who are we, where do updates go, which commands does the menu show.
 * Trouble with the network is waited out; a wrong setting is a ConfigError that names it.
 */
import { createHash } from 'node:crypto';
import { ConfigError } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import type { ChannelStatus, CommandSpec } from '../../channel.ts';
import { integer, isFields, string } from '../../shared/read.ts';
import { createBackoff, sleep } from '../../shared/wait.ts';
import { ALLOWED_UPDATES, type Bot } from '../decode/decode.ts';
import { type TelegramApi, TelegramError } from './api.ts';
import type { WebhookSettings } from './webhook.ts';

/** Small things that may be lost. */
export interface Cache {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
}

export interface Setup {
  /** The bot behind the token; undefined when stopped meanwhile. Throws ConfigError. */
  introduce(): Promise<Bot | undefined>;
  /** Throws ConfigError. */
  setWebhook(settings: WebhookSettings): Promise<void>;
  /** Only when they differ from what was set last: Telegram limits how often, and a start should cost nothing. */
  setCommands(bot: Bot, commands: readonly CommandSpec[]): Promise<void>;
}

export interface SetupOptions {
  api: TelegramApi;
  cache: Cache | undefined;
  log: Logger;
  onStatus: (status: ChannelStatus) => void;
  backoffMs: { min: number; max: number };
  signal: AbortSignal;
}

type Wrong = (error: TelegramError) => ConfigError | undefined;

export function createSetup({ api, cache, log, onStatus, backoffMs, signal }: SetupOptions): Setup {
  /** Repeats the call until it works or is refused for a setting's sake. */
  async function persist<T>(action: () => Promise<T>, wrong: Wrong): Promise<T | undefined> {
    const backoff = createBackoff(backoffMs.min, backoffMs.max);
    while (!signal.aborted) {
      try {
        return await action();
      } catch (error) {
        if (!(error instanceof TelegramError)) throw error;
        if (signal.aborted) return undefined;
        const problem = wrong(error);
        if (problem) {
          onStatus({ state: 'failed', detail: problem.message });
          throw problem;
        }
        onStatus({ state: 'reconnecting', detail: error.message });
        await sleep(error.retryAfterMs ?? backoff.next(), signal);
      }
    }
    return undefined;
  }

  return {
    introduce: () => persist(() => getMe(api, signal), wrongTokenOf),
    async setWebhook({ url, secret }) {
      const params = { url, secret_token: secret, allowed_updates: ALLOWED_UPDATES, max_connections: 40 };
      await persist(
        () => api.call('setWebhook', params, { signal }),
        (error) => (error.code === 400 ? wrongUrl(error) : undefined),
      );
    },
    async setCommands(bot, specs) {
      const menus = menusOf(specs);
      const key = `telegram.commands.${bot.account}`;
      const hash = createHash('sha256').update(JSON.stringify(menus)).digest('hex');
      try {
        if ((await cache?.get(key)) === hash) return;
        for (const menu of menus) await api.call('setMyCommands', menu, { signal });
        await cache?.set(key, hash);
      } catch (error) {
        if (!signal.aborted)
          log.warn({ err: error }, 'the menu of commands could not be set; it is tried again at the next start');
      }
    },
  };
}

/** One for everybody, and one for each language that some of the commands are told in. */
function menusOf(specs: readonly CommandSpec[]): { commands: object[]; language_code?: string }[] {
  const menu = (language?: string) =>
    specs.map(({ name, description, translations }) => ({
      command: name,
      description: (translations?.[language ?? '']?.description ?? description).slice(0, 256),
    }));
  const tags = new Set(specs.flatMap(({ translations = {} }) => Object.keys(translations)));
  return [{ commands: menu() }, ...[...tags].map((tag) => ({ commands: menu(tag), language_code: tag }))];
}

/** Who the token belongs to. Throws TelegramError. */
export async function getMe(api: TelegramApi, signal: AbortSignal): Promise<Bot> {
  const me = await api.call('getMe', {}, { signal });
  const id = isFields(me) ? integer(me, 'id') : undefined;
  if (!isFields(me) || id === undefined) throw new TelegramError('lost', 'getMe: the answer is not one of the Bot API');
  return { id, username: string(me, 'username') ?? '', account: String(id) };
}

/** Telegram says 404 to what cannot be a token, and 401 to one that is not valid any more. */
export function wrongTokenOf(error: unknown): ConfigError | undefined {
  return error instanceof TelegramError && (error.code === 401 || error.code === 404) ? wrongToken() : undefined;
}

export function wrongToken(): ConfigError {
  return new ConfigError([
    {
      path: 'channels.telegram.token',
      message: 'Telegram does not accept this token; @BotFather on Telegram shows the right one',
    },
  ]);
}

function wrongUrl(error: TelegramError): ConfigError {
  return new ConfigError([
    { path: 'channels.telegram.webhook.url', message: `Telegram does not accept it: ${error.message}` },
  ]);
}
