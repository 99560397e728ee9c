/** Asks over REST who the bot is, for a process that may send without holding the connection. */
import { ConfigError } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import type { ChannelStatus } from '../../channel.ts';
import { integer, isFields } from '../../shared/read.ts';
import { createBackoff, sleep } from '../../shared/wait.ts';
import type { Bot } from '../decode/base.ts';
import { type DiscordApi, DiscordError } from './api.ts';
import { mayReadContent, missingIntent, wrongToken } from './config-problems.ts';
import { botOf } from './events.ts';

export interface IntroduceOptions {
  api: DiscordApi;
  log: Logger;
  onStatus: (status: ChannelStatus) => void;
  backoffMs: { min: number; max: number };
  signal: AbortSignal;
}

/**
 * Returns undefined when stopped. Waits out everything but a wrong token. @throws ConfigError for a token that Discord
 * rejects.
 */
export async function introduce({ api, log, onStatus, backoffMs, signal }: IntroduceOptions): Promise<Bot | undefined> {
  const backoff = createBackoff(backoffMs.min, backoffMs.max);
  while (!signal.aborted) {
    try {
      const application = await api.call('GET', '/applications/@me', { signal });
      const user = await api.call('GET', '/users/@me', { signal });
      if (isFields(application) && isFields(user)) {
        if (!mayReadContent(integer(application, 'flags') ?? 0))
          log.warn({ channel: 'discord' }, missingIntent().message);
        return botOf(user, application);
      }
      onStatus({ state: 'reconnecting', detail: 'the server that answers is not Discord' });
      await sleep(backoff.next(), signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!(error instanceof DiscordError)) throw error;
      if (error.status === 401) {
        const wrong = new ConfigError([wrongToken()]);
        onStatus({ state: 'failed', detail: wrong.message });
        throw wrong;
      }
      onStatus({ state: 'reconnecting', detail: error.message });
      await sleep(error.retryAfterMs ?? backoff.next(), signal);
    }
  }
  return undefined;
}
