/**
 * Decides which process holds the connection: this one alone or, of several with one bot, the leader, which resumes the
 * previous leader's session. The others send without it.
 */
import type { Logger } from '../../../log.ts';
import type { ChannelStatus } from '../../channel.ts';
import { alone, ended, type Lead, type Turn } from '../../lead.ts';
import type { Bot } from '../decode/decode.ts';
import type { DiscordApi } from './api.ts';
import type { Events } from './events.ts';
import { type GatewayTiming, startGateway } from './gateway.ts';
import { introduce } from './introduce.ts';
import { KeptSessions, type SessionStore } from './kept-session.ts';

export interface HoldOptions {
  token: string;
  apiRoot: string;
  cdnRoot: string;
  api: DiscordApi;
  events: Events;
  shared: { lead: Lead; sessions: SessionStore } | undefined;
  account: () => string;
  /** Called with the bot in a process that only sends. */
  onBotOfSender: (self: Bot) => void;
  onStatus: (status: ChannelStatus) => void;
  log: Logger;
  timing: GatewayTiming;
  signal: AbortSignal;
}

export interface Holding {
  /**
   * Resolves once sending works, with whether this process may come to hold the connection. Rejects with a ConfigError.
   */
  start(sendOnly: boolean): Promise<boolean>;
  stop(): Promise<void>;
}

export function createHolding(options: HoldOptions): Holding {
  const { api, events, shared, account, log, onStatus, timing, signal } = options;
  let stop: (() => Promise<void>) | undefined;

  /** Holds the connection during this process's turn. */
  async function hold(turn: Turn, onFirst: (ready: Promise<void>) => void): Promise<void> {
    if (shared) await events.takeOver();
    const { token, apiRoot, cdnRoot } = options;
    const taken = () => events.taken();
    const kept =
      shared && new KeptSessions({ store: shared.sessions, account: account(), taken, isOurs: turn.isOurs, log });
    const gateway = startGateway({ token, apiRoot, cdnRoot, log, timing, events, kept, onStatus });
    onFirst(gateway.ready);
    await ended(turn);
    await gateway.stop();
    await events.settled();
    await kept?.close();
    if (!signal.aborted) onStatus({ state: 'connected' });
  }

  return {
    async start(sendOnly) {
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
