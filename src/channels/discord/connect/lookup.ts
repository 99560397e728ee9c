/**
 * Channels the gateway has not told of (a thread that slept too long): asked for once over REST while their events wait, since
 * without its parent a thread would pass for a channel of its own.
 */
import type { Logger } from '../../../log.ts';
import { isFields } from '../../shared/read.ts';
import { createBackoff, sleep } from '../../shared/wait.ts';
import type { Places } from '../decode/places.ts';
import { type DiscordApi, DiscordError } from './api.ts';
import type { Intake } from './intake.ts';

export interface Lookup {
  /** Before an event of that channel of a server is taken in. */
  ensure(channelId: string, guild: string): void;
}

const TRIES = 5;
/** A channel of no known kind: what cannot be seen cannot be a thread of ours. */
const UNSEEN = 0;

export function createLookup(options: {
  api: DiscordApi;
  places: Places;
  intake: Intake;
  log: Logger;
  signal: AbortSignal;
  backoffMs: { min: number; max: number };
}): Lookup {
  const { api, places, intake, log, signal, backoffMs } = options;
  const asking = new Set<string>();

  async function ask(channelId: string, guild: string): Promise<void> {
    const backoff = createBackoff(backoffMs.min, backoffMs.max);
    for (let tries = 1; tries <= TRIES && !signal.aborted && !places.get(channelId); tries++) {
      try {
        const channel = await api.call('GET', `/channels/${channelId}`, { signal });
        if (isFields(channel) && places.learn(channel, guild)) return;
        throw new DiscordError('refused', 'the answer is no channel');
      } catch (error) {
        if (!(error instanceof DiscordError)) throw error;
        log.debug({ err: error, chat: channelId }, 'a channel could not be looked up');
        // What only could not be asked is asked again with the next event.
        if (error.kind === 'refused') places.learn({ id: channelId, type: UNSEEN }, guild);
        else if (tries < TRIES) await sleep(error.retryAfterMs ?? backoff.next(), signal);
      }
    }
  }

  return {
    ensure(channelId, guild) {
      if (places.get(channelId) || asking.has(channelId)) return;
      asking.add(channelId);
      const release = intake.hold(channelId);
      ask(channelId, guild)
        .catch((error: unknown) => log.error({ err: error }, 'a channel could not be looked up'))
        .finally(() => {
          asking.delete(channelId);
          release();
        });
    },
  };
}
