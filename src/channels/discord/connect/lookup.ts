/**
 * Looks up channels the gateway hasn't mentioned (a thread that was archived for too long): asks once over REST while
 * their events wait, since a thread without its parent would pass for a channel.
 */
import type { Logger } from '../../../log.ts';
import { isFields } from '../../shared/read.ts';
import { createBackoff, sleep } from '../../shared/wait.ts';
import type { Places } from '../decode/places.ts';
import { type DiscordApi, DiscordError } from './api.ts';
import type { Intake } from './intake.ts';

const TRIES = 5;
/** An unknown kind of channel: one the bot can't see can't be a thread of its own. */
const UNSEEN = 0;

/** Returns a function that looks up a server's channel before its event is handled. */
export function createLookup(options: {
  api: DiscordApi;
  places: Places;
  intake: Intake;
  log: Logger;
  signal: AbortSignal;
  backoffMs: { min: number; max: number };
}): (channelId: string, guild: string) => void {
  const { api, places, intake, log, signal, backoffMs } = options;
  const asking = new Set<string>();

  async function ask(channelId: string, guild: string): Promise<void> {
    const backoff = createBackoff(backoffMs.min, backoffMs.max);
    for (let tries = 1; tries <= TRIES && !signal.aborted && !places.get(channelId); tries++) {
      try {
        const channel = await api.call('GET', `/channels/${channelId}`, { signal });
        if (isFields(channel) && places.learn(channel, guild)) return;
        throw new DiscordError('refused', 'the answer is not a channel');
      } catch (error) {
        if (!(error instanceof DiscordError)) throw error;
        log.debug({ err: error, chat: channelId }, 'a channel could not be looked up');
        // A failed request is repeated with the next event.
        if (error.kind === 'refused') places.learn({ id: channelId, type: UNSEEN }, guild);
        else if (tries < TRIES) await sleep(error.retryAfterMs ?? backoff.next(), signal);
      }
    }
  }

  return (channelId, guild) => {
    if (places.get(channelId) || asking.has(channelId)) return;
    asking.add(channelId);
    const release = intake.hold(channelId);
    ask(channelId, guild)
      .catch((error: unknown) => log.error({ err: error }, 'a channel could not be looked up'))
      .finally(() => {
        asking.delete(channelId);
        release();
      });
  };
}
