/**
 * Connects with Socket Mode. Bolt's receiver opens the connection and acknowledges; reconnecting is done here, because
 * the library waits seconds after each planned change of servers and ends the process when Slack refuses one attempt.
 * Invariant: one attempt at a time, and every rejection is handled.
 * https://docs.slack.dev/apis/events-api/using-socket-mode/
 */

import type { Receiver } from '@slack/bolt';
import socketMode from '@slack/bolt/dist/receivers/SocketModeReceiver.js';
import type { WebClientOptions } from '@slack/web-api';
import { within } from '../../../lib/within.ts';
import type { Logger } from '../../../log.ts';
import type { ChannelStatus } from '../../channel.ts';
import { integer, isFields } from '../../shared/read.ts';
import { createBackoff, sleep } from '../../shared/wait.ts';
import { createLibraryLog } from './api.ts';
import { unwrap } from './unwrap.ts';

const SocketModeReceiver = unwrap(socketMode);
type SocketModeClient = InstanceType<typeof SocketModeReceiver>['client'];

export interface SocketOptions {
  appToken: string;
  client: WebClientOptions;
  log: Logger;
  onStatus: (status: ChannelStatus) => void;
  /** Called before each attempt to open the connection; events may come with the greeting. */
  onOpening: () => void;
  /** Called each time the connection is open and Slack has sent its greeting. */
  onOpen: () => void;
  /** Called when Slack withholds events for the rest of a minute. */
  onLimited: () => void;
  /**
   * Returns why trying again is useless, if it is. Such a failure rejects the first `open`; a later one sets the
   * status.
   */
  fatal: (error: unknown) => Error | undefined;
  backoffMs: { min: number; max: number };
  /** Milliseconds without a sign of life after which a connection counts as lost. */
  pingMs: number;
  /** Milliseconds for an attempt, including Slack's greeting. */
  greetingMs: number;
}

export interface Socket {
  receiver: Receiver;
  /** Resolves when the connection is open for the first time, or was closed before. */
  open(): Promise<void>;
  close(): Promise<void>;
}

const CLOSE_MS = 1000;
/**
 * A connection that lasted this long resets the backoff; `apps.connections.open` may be called about once a minute in
 * the long run.
 */
const STEADY_MS = 60_000;

export function createSocket(options: SocketOptions): Socket {
  const { log, onStatus, backoffMs, pingMs, greetingMs } = options;
  const stopping = new AbortController();
  const receiver = new SocketModeReceiver({
    appToken: options.appToken,
    logger: createLibraryLog(log),
    autoReconnectEnabled: false,
    clientPingTimeout: pingMs,
    installerOptions: { clientOptions: options.client },
    processEventErrorHandler: async ({ error }) => {
      log.warn({ err: error }, 'an event from Slack was not acknowledged; Slack will send it again');
      return false;
    },
  });
  const { client } = receiver;
  let running: Promise<void> | undefined;

  guardFrames(client, options);

  /** Keeps one connection open until stopped, or until the first attempt shows that a setting is wrong. */
  async function run(first: PromiseWithResolvers<void>): Promise<void> {
    const backoff = createBackoff(backoffMs.min, backoffMs.max);
    let openedAt = 0;
    while (!stopping.signal.aborted) {
      try {
        const ended = new Promise<void>((resolve) => client.once('disconnected', () => resolve()));
        options.onOpening();
        await withDeadline(client.start(), greetingMs);
        openedAt = Date.now();
        onStatus({ state: 'connected' });
        options.onOpen();
        first.resolve();
        await ended;
        if (stopping.signal.aborted) return;
        onStatus({ state: 'reconnecting' });
        // A server that greets and hangs up must not be called again at once, for ever.
        if (Date.now() - openedAt > STEADY_MS) backoff.reset();
        else await sleep(backoff.next(), stopping.signal);
      } catch (error) {
        if (stopping.signal.aborted) return;
        const wrong = options.fatal(error);
        onStatus({ state: wrong ? 'failed' : 'reconnecting', detail: wrong?.message ?? describeError(error) });
        await close();
        if (wrong && openedAt === 0) return first.reject(wrong);
        await sleep(Math.max(wrong ? backoffMs.max : backoff.next(), askedToWaitMs(error)), stopping.signal);
      }
    }
  }

  /** Closes the connection; a peer that doesn't close in time is left. */
  async function close(): Promise<void> {
    await withDeadline(client.disconnect(), CLOSE_MS).catch((error: unknown) =>
      log.debug({ err: error }, 'the connection to Slack did not close in time'),
    );
  }

  return {
    receiver,
    open() {
      const first = Promise.withResolvers<void>();
      running = run(first).finally(() => first.resolve());
      return first.promise;
    },
    async close() {
      stopping.abort();
      await close();
      await running;
    },
  };
}

/** Guards against frames that the library doesn't expect, which would be unhandled rejections. */
function guardFrames(client: SocketModeClient, { log, onLimited }: SocketOptions): void {
  for (const read of client.listeners('ws_message')) {
    client.off('ws_message', read);
    client.on('ws_message', async (data: unknown, isBinary: unknown) => {
      try {
        await read.call(client, data, isBinary);
      } catch (error) {
        log.debug({ err: error }, 'a frame from Slack was not understood');
      }
      if (typeof data === 'string' && data.length < 2000 && data.includes('"app_rate_limited"')) onLimited();
    });
  }
}

const withDeadline = (work: Promise<unknown>, ms: number): Promise<unknown> =>
  within(work, ms, () => {
    throw new Error(`no answer within ${ms} ms`);
  });

/** Returns the wait that a 429 to `apps.connections.open` asks for; 0 for any other error. */
function askedToWaitMs(error: unknown): number {
  const seconds = isFields(error) ? integer(error, 'retryAfter') : undefined;
  return Math.max(0, seconds ?? 0) * 1000;
}

function describeError(error: unknown): string {
  const why = error instanceof Error ? error.message : 'the connection was refused';
  return `Slack cannot be reached: ${why}`.slice(0, 300);
}
