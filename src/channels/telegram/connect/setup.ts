/**
 * Sets up the bot at a start: who it is, where its updates go, which commands its menu shows. Network problems are
 * waited out; a wrong setting is a ConfigError that names it.
 */
import { createHash } from 'node:crypto';
import { ConfigError, problemWith } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import { say } from '../../../messages/messages.ts';
import type { ChannelStatus, CommandSpec } from '../../channel.ts';
import type { ChannelCache } from '../../kind.ts';
import { integer, isFields, string } from '../../shared/read.ts';
import { createBackoff, sleep } from '../../shared/wait.ts';
import { ALLOWED_UPDATES, type Bot } from '../decode/decode.ts';
import { type TelegramApi, TelegramError } from './api.ts';
import type { WebhookSettings } from './webhook.ts';

export interface SetupOptions {
  api: TelegramApi;
  cache: ChannelCache | undefined;
  log: Logger;
  onStatus: (status: ChannelStatus) => void;
  backoffMs: { min: number; max: number };
  signal: AbortSignal;
}

type Wrong = (error: TelegramError) => ConfigError | undefined;

export function createSetup({ api, cache, log, onStatus, backoffMs, signal }: SetupOptions) {
  /** Repeats the call until it succeeds or a setting proves wrong. */
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
    /** Returns the bot of the token; undefined when stopped before it is known. @throws ConfigError */
    introduce: () => persist(() => getMe(api, signal), wrongTokenOf),
    async setWebhook({ url, secret }: WebhookSettings): Promise<void> {
      const params = { url, secret_token: secret, allowed_updates: ALLOWED_UPDATES, max_connections: 40 };
      await persist(
        () => api.call('setWebhook', params, { signal }),
        (error) => (error.code === 400 ? wrongUrl(error) : undefined),
      );
    },
    /**
     * Sets the menu if it differs from the last one, because Telegram limits how often, and a start should cost nothing.
     */
    async setCommands(bot: Bot, specs: readonly CommandSpec[]): Promise<void> {
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

/** Returns the default menu, and one for each language that some commands are translated into. */
function menusOf(specs: readonly CommandSpec[]): { commands: object[]; language_code?: string }[] {
  const menu = (language?: string) =>
    specs.map(({ name, description, translations }) => ({
      command: name,
      description: (translations?.[language ?? '']?.description ?? description).slice(0, 256),
    }));
  const tags = new Set(specs.flatMap(({ translations = {} }) => Object.keys(translations)));
  return [{ commands: menu() }, ...[...tags].map((tag) => ({ commands: menu(tag), language_code: tag }))];
}

/** Returns the bot that the token belongs to. @throws TelegramError */
export async function getMe(api: TelegramApi, signal: AbortSignal): Promise<Bot> {
  const me = await api.call('getMe', {}, { signal });
  const id = isFields(me) ? integer(me, 'id') : undefined;
  if (!isFields(me) || id === undefined) throw new TelegramError('lost', 'getMe: the answer is not one of the Bot API');
  return { id, username: string(me, 'username') ?? '', account: String(id) };
}

/**
 * Returns the error for a rejected token: Telegram answers 404 to a malformed one, 401 to one that is no longer valid.
 */
export function wrongTokenOf(error: unknown): ConfigError | undefined {
  return error instanceof TelegramError && (error.code === 401 || error.code === 404) ? wrongToken() : undefined;
}

export function wrongToken(): ConfigError {
  return new ConfigError([problemWith('channels.telegram.token', say('checks.telegramToken'))]);
}

function wrongUrl(error: TelegramError): ConfigError {
  return new ConfigError([
    problemWith('channels.telegram.webhook.url', say('checks.telegramUrl', { why: error.message })),
  ]);
}
