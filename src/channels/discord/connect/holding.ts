/**
 * Decides which process holds the connection: this one alone or, of several with one bot, the leader, which resumes the
 * previous leader's session. The others send without it.
 */
import type { Logger } from '../../../log.ts';
import type { ChannelStatus } from '../../channel.ts';
import type { ChannelCache } from '../../kind.ts';
import { alone, ended, type Lead, type Turn } from '../../lead.ts';
import type { Bot } from '../decode/decode.ts';
import type { DiscordApi } from './api.ts';
import type { Events } from './events.ts';
import { type GatewayTiming, startGateway } from './gateway.ts';
import { introduce } from './introduce.ts';
import { KeptSessions } from './kept-session.ts';

export interface HoldOptions {
  token: string;
  apiRoot: string;
  cdnRoot: string;
  api: DiscordApi;
  events: Events;
  shared?: { lead: Lead; sessions: ChannelCache };
  account: () => string;
  onBotOfSender: (self: Bot) => void;
  onStatus: (status: ChannelStatus) => void;
  log: Logger;
  timing: GatewayTiming;
  signal: AbortSignal;
}

export function createHolding(options: HoldOptions) {
  const { api, events, shared, account, log, onStatus, timing, signal } = options;
  let stop: (() => Promise<void>) | undefined;

  async function hold(turn: Turn, onFirst: (ready: Promise<void>) => void): Promise<void> {
    if (shared) await events.takeOver();
    const isAllAccepted = () => events.isAllAccepted();
    const kept =
      shared &&
      new KeptSessions({ store: shared.sessions, account: account(), isAllAccepted, isOurs: turn.isOurs, log });
    const gateway = startGateway({ ...options, kept });
    onFirst(gateway.ready);
    await ended(turn);
    await gateway.stop();
    await events.settled();
    await kept?.close();
    if (!signal.aborted) onStatus({ state: 'connected' });
  }

  return {
    /**
     * Resolves once sending works, with whether this process may come to hold the connection. Rejects with a
     * ConfigError.
     */
    async start(sendOnly: boolean): Promise<boolean> {
      const first = Promise.withResolvers<void>();
      if (shared || sendOnly) {
        const self = await introduce({ api, log, onStatus, backoffMs: timing.backoffMs, signal });
        if (!self) return false;
        if (sendOnly) options.onBotOfSender(self);
        else events.introduce(self);
        // This process can send, whichever process holds the connection.
        onStatus({ state: 'connected' });
        if (sendOnly) return false;
        first.resolve();
      }
      const { lead = alone } = shared ?? {};
      stop = lead(`discord:${account()}`, (turn) =>
        hold(turn, (ready) => void ready.then(first.resolve, first.reject)),
      );
      await first.promise;
      return true;
    },
    stop: async () => stop?.(),
  };
}
