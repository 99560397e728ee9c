/**
 * Keeps the connection to Discord's gateway up: one session after the other, with growing waits between them. Only a
 * wrong token or a missing intent at the first connection ends it; later these are shown in the status and retried.
 */
import { ConfigError, errorMessage } from '../../../errors.ts';
import { awakeNow } from '../../../lib/clock.ts';
import type { Logger } from '../../../log.ts';
import type { ChannelStatus } from '../../channel.ts';
import { createBackoff, sleep } from '../../shared/wait.ts';
import { configProblem } from './config-problems.ts';
import type { Events } from './events.ts';
import { createIdentifyPace } from './identify-pace.ts';
import { GatewaySession, type SessionEnd, type SessionOptions, type SessionTiming } from './session.ts';

export interface GatewayTiming extends SessionTiming {
  /** Milliseconds between two identifies; Discord allows one per 5 s. */
  identifyMs: number;
}

export interface GatewayOptions extends Omit<SessionOptions, 'mayIdentify' | 'timing'> {
  log: Logger;
  timing: GatewayTiming;
  events: Events;
  onStatus(status: ChannelStatus): void;
}

/** A connection that lasted this long resets the backoff. */
const STEADY_MS = 30_000;
/** The wait after a problem that only the operator can fix: identifies are limited to 1000 a day. */
const WRONG_MS = 300_000;

export function startGateway(options: GatewayOptions) {
  const { log, timing, events, onStatus } = options;
  const stopping = new AbortController();
  const backoff = createBackoff(timing.backoffMs.min, timing.backoffMs.max);
  const first = Promise.withResolvers<void>();
  let session: GatewaySession | undefined;
  const identifyPace = createIdentifyPace(timing.identifyMs);
  let wasReady = false;

  async function mayIdentify(signal: AbortSignal): Promise<void> {
    const wait = identifyPace(awakeNow());
    if (wait > 0) await sleep(wait, AbortSignal.any([signal, stopping.signal]));
    // Otherwise the library would continue with a closed connection.
    signal.throwIfAborted();
  }

  function live(): Promise<SessionEnd & { readyFor: number }> {
    return new Promise((resolve) => {
      let readyAt: number | undefined;
      const connected = () => {
        readyAt ??= Date.now();
        wasReady = true;
        onStatus({ state: 'connected' });
        first.resolve();
      };
      session = new GatewaySession(
        { ...options, mayIdentify },
        {
          onPacket: (type, data) => events.onPacket(type, data),
          onReady() {
            events.onFresh();
            connected();
          },
          onResumed() {
            events.onResumed();
            connected();
          },
          onDown: (detail) => onStatus({ state: wasReady ? 'reconnecting' : 'connecting', detail }),
          onEnd: (end) => resolve({ ...end, readyFor: readyAt === undefined ? 0 : Date.now() - readyAt }),
        },
      );
    });
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const end = await live();
      void session?.close();
      const problem = configProblem(end);
      if (problem) {
        const wrong = new ConfigError([problem]);
        onStatus({ state: 'failed', detail: wrong.message });
        if (!wasReady) return first.reject(wrong);
      } else onStatus({ state: 'reconnecting', detail: `${end.detail}; trying again` });
      log.debug({ err: end.error, detail: end.detail }, 'a session with Discord has ended');
      if (end.readyFor > STEADY_MS) backoff.reset();
      await sleep(problem ? WRONG_MS : backoff.next(), stopping.signal);
    }
  }

  run().catch((error: unknown) => {
    log.error({ err: error }, 'the connection to Discord failed for good');
    onStatus({ state: 'failed', detail: errorMessage(error) });
    first.reject(error);
  });
  return {
    /** Resolves with the first connection, or when stopped before. Rejects with a ConfigError. */
    ready: first.promise,
    /** Stops the connection; no event is passed on after the call. */
    async stop() {
      stopping.abort();
      first.resolve();
      await session?.close();
    },
  };
}
