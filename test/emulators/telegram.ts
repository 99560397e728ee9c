/**
 * The Telegram Bot API over HTTP on the loopback interface, as strict as its documentation. Tests act as its people and
 * cause faults on demand. Runs in-process (`startTelegram`) or as a process: `node test/emulators/telegram.ts --port N`
 * prints `{"url", "control", "pid"}` and is driven through `telegram-client.ts` or any HTTP client.
 */
import type { User } from '@grammyjs/types';
import { addSource } from './base/activity.ts';
import { type CommonCounters, createControl, type PlatformControl } from './base/control.ts';
import type { RateCounts } from './base/faults.ts';
import { argument, serveProcess } from './base/remote.ts';
import type { Fault } from './telegram/faults.ts';
import { createPeople, type People } from './telegram/people.ts';
import type { Platform } from './telegram/platform.ts';
import { DEFAULT_LIMITS, type RateLimits } from './telegram/rates.ts';
import { type LoggedRequest, startServer } from './telegram/server.ts';
import { createTranscript, type Transcript } from './telegram/transcript.ts';
import { createUpdates } from './telegram/updates.ts';
import { createWebhook } from './telegram/webhook.ts';
import { createWorld } from './telegram/world.ts';

export type { Outage } from './base/faults.ts';
export type { Fault } from './telegram/faults.ts';
export type { SentFile } from './telegram/people-files.ts';
export type { LoggedRequest } from './telegram/server.ts';
export type { ChatView, Wanted } from './telegram/transcript.ts';
export type { ChatMessage } from './telegram/view.ts';
export type { Said } from './telegram/voice.ts';

export const TEST_TOKEN = '7000000001:AAEmulatedBotTokenForTestsOnly_0123456';
export const TEST_BOT: User = { id: 7_000_000_001, is_bot: true, first_name: 'Viber', username: 'viber_test_bot' };

export interface TelegramOptions {
  port?: number;
  token?: string;
  bot?: Partial<User>;
  /** Whether to keep the bytes of uploads (hash and size are always kept); true by default. */
  keepFiles?: boolean;
  /** The number of calls that the log keeps; 2000 by default. */
  keepRequests?: number;
  /** The number of messages that a chat keeps; 50,000 by default. */
  keepMessages?: number;
  /** Whether groups show the bot only messages that are meant for it. */
  privacy?: boolean;
  /** How long a button press may be answered, in milliseconds; 60,000 by default. */
  queryLifetimeMs?: number;
  /** The first pause before a webhook delivery is repeated, in milliseconds; 1000 by default. */
  webhookRetryMs?: number;
  webhookTimeoutMs?: number;
  /** The largest upload, in bytes; 50 MB by default. */
  uploadLimit?: number;
}

export interface Counters extends CommonCounters, RateCounts {
  methods: Record<string, number>;
  updates: { pending: number; delivered: number; conflicts: number; isPolling: boolean };
  files: number;
}

type Control = PlatformControl<Fault, RateLimits, Counters, LoggedRequest>;

/** The functions that a test can call, in this process or another. */
export interface TelegramControl extends Control, People, Omit<Transcript, 'waitFor' | 'onMessage'> {
  /** Acts as a server that refuses rich messages (400) or doesn't know them (404). */
  rich(mode: 'ok' | 400 | 404): void;
}

export interface Telegram extends TelegramControl, Pick<Transcript, 'waitFor' | 'onMessage'> {
  /** The apiRoot to configure. */
  url: string;
  token: string;
  bot: User;
  bytes(fileId: string): Buffer;
  close(): Promise<void>;
}

/** Starts the platform on a loopback port; resolves once it listens. */
export async function startTelegram(options: TelegramOptions = {}): Promise<Telegram> {
  const token = options.token ?? TEST_TOKEN;
  const bot: User = { ...TEST_BOT, ...options.bot };
  const keepFiles = options.keepFiles ?? true;
  const privacy = options.privacy ?? false;
  let richMode: 'ok' | 400 | 404 = 'ok';

  const world = createWorld({ bot, keepFiles, keepMessages: options.keepMessages ?? 50_000 });
  const updates = createUpdates();
  const people = createPeople(world, updates, privacy);
  const transcript = createTranscript(world);
  const webhook = createWebhook(updates, {
    retryMs: options.webhookRetryMs ?? 1000,
    timeoutMs: options.webhookTimeoutMs ?? 60_000,
    // A method in a webhook's answer is carried out, but nobody learns its outcome.
    call: (method, values) => server.callQuietly(method, values),
  });
  const platform: Platform = {
    world,
    updates,
    webhook,
    people,
    commands: new Map(),
    privacy,
    queryLifetimeMs: options.queryLifetimeMs ?? 60_000,
    knowsRich: () => richMode !== 404,
  };
  const server = await startServer(platform, {
    port: options.port ?? 0,
    token,
    keepFiles,
    keepRequests: options.keepRequests ?? 2000,
    maxFileBytes: options.uploadLimit ?? 50 * 1024 * 1024,
    rich: () => richMode,
  });

  const removeSource = addSource({
    open: () => (updates.pending.size > 0 ? [`${updates.pending.size} updates of Telegram`] : []),
    count: () => updates.stats().delivered,
  });
  const { log } = server;

  const { control, bytes, counts } = createControl(server, (fileId) => world.files.get(fileId)?.bytes);

  return {
    ...people,
    ...transcript,
    ...control,
    ...{ url: server.url, token, bot, bytes },
    rate: (limits) => server.rates.set(limits === false ? undefined : { ...DEFAULT_LIMITS, ...limits }),
    rich(mode) {
      richMode = mode;
    },
    counters: () => ({
      ...{ methods: log.counts('method'), files: world.files.count(), updates: updates.stats() },
      ...counts(),
      ...server.rates.counts(),
    }),
    reset() {
      log.clear();
      server.faults.clear();
      server.rates.set(undefined);
      server.rates.reset();
      updates.clear();
      richMode = 'ok';
    },
    async close() {
      removeSource();
      webhook.close();
      updates.endPoll();
      await server.close();
    },
  };
}

if (import.meta.main) {
  const telegram = await startTelegram({
    port: Number(argument('port', '0')),
    token: argument('token', TEST_TOKEN),
    keepFiles: argument('keep-files', 'yes') === 'yes',
    keepRequests: Number(argument('keep-requests', '2000')),
    keepMessages: Number(argument('keep-messages', '50000')),
    webhookRetryMs: Number(argument('webhook-retry-ms', '1000')),
  });
  await serveProcess(telegram, telegram, Number(argument('control-port', '0')));
}
