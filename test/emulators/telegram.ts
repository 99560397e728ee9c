/**
 * The Telegram Bot API over HTTP on loopback, as strict as its documentation, with the people's side to drive it and
 * faults on demand. Runs in-process (`startTelegram`) or as a process: `node test/emulators/telegram.ts --port N`
 * prints `{"url", "control", "pid"}` and is driven through `telegram-client.ts` or any HTTP client.
 */
import type { User } from '@grammyjs/types';
import { argument, serveProcess } from './remote.ts';
import type { Fault, Outage } from './telegram/faults.ts';
import { createPeople, type People } from './telegram/people.ts';
import type { Platform } from './telegram/platform.ts';
import { DEFAULT_LIMITS, type RateCounts, type RateLimits } from './telegram/rates.ts';
import type { LoggedRequest } from './telegram/request-log.ts';
import { startServer } from './telegram/server.ts';
import { createTranscript, type Transcript } from './telegram/transcript.ts';
import { createUpdates } from './telegram/updates.ts';
import { createWebhook } from './telegram/webhook.ts';
import { createWorld } from './telegram/world.ts';
import { until } from './wait.ts';

export type { Fault, Outage } from './telegram/faults.ts';
export type { SentFile } from './telegram/people-files.ts';
export type { LoggedRequest } from './telegram/request-log.ts';
export type { ChatView, Wanted } from './telegram/transcript.ts';
export type { ChatMessage } from './telegram/view.ts';
export type { Said } from './telegram/voice.ts';

export const TEST_TOKEN = '7000000001:AAEmulatedBotTokenForTestsOnly_0123456';
export const TEST_BOT: User = { id: 7_000_000_001, is_bot: true, first_name: 'Viber', username: 'viber_test_bot' };

export interface TelegramOptions {
  port?: number;
  token?: string;
  bot?: Partial<User>;
  /** Keep the bytes of what the bot uploads (hash and size are always kept); true unless told. */
  keepFiles?: boolean;
  /** Calls the log keeps; 2000 unless told. */
  keepRequests?: number;
  /** Messages a chat keeps; 50,000 unless told. */
  keepMessages?: number;
  /** Groups show the bot only what is meant for it. */
  privacy?: boolean;
  /** Milliseconds in which a button press may be answered; 60,000 unless told. */
  queryLifetimeMs?: number;
  /** Milliseconds of the first pause before a webhook delivery is repeated; 1000 unless told. */
  webhookRetryMs?: number;
  webhookTimeoutMs?: number;
  /** Bytes of one upload; 50 MB unless told. */
  uploadLimit?: number;
}

export interface Counters extends RateCounts {
  methods: Record<string, number>;
  /** Answers by HTTP status; `0` for answers that were lost on purpose. */
  statuses: Record<string, number>;
  connections: number;
  updates: { pending: number; delivered: number; conflicts: number; isPolling: boolean };
  files: number;
  faultsLeft: number;
  /** Microseconds of CPU this process has used. */
  cpuMicros: number;
}

/** What a test, in this process or another, can do. */
export interface TelegramControl extends People, Omit<Transcript, 'waitFor' | 'onMessage'> {
  fault(fault: Fault): void;
  clearFaults(): void;
  /** The whole platform is away until this is called without an argument. */
  outage(kind?: Outage): Promise<void>;
  /** Switches sending limits on, with these changes to the real ones, or off. */
  rate(limits?: Partial<RateLimits> | false): void;
  /** Plays a server that refuses rich messages (400) or does not know them (404). */
  rich(mode: 'ok' | 400 | 404): void;
  counters(): Counters;
  requests(method?: string): LoggedRequest[];
  /** The newest call of a method, waiting for the first. */
  called(method: string, timeoutMs?: number): Promise<LoggedRequest>;
  /** Bytes of a file, as base64. */
  file(fileId: string): string;
  /** Forgets counts, log, faults, limits and updates not yet taken; chats stay. */
  reset(): void;
}

export interface Telegram extends TelegramControl, Pick<Transcript, 'waitFor' | 'onMessage'> {
  /** The apiRoot to configure. */
  url: string;
  token: string;
  bot: User;
  bytes(fileId: string): Buffer;
  close(): Promise<void>;
}

/** Starts the platform on a loopback port and resolves once it listens. */
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
    // What a webhook answers with is carried out, but nobody learns of its outcome.
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

  function bytes(fileId: string): Buffer {
    const file = world.files.get(fileId);
    if (!file?.bytes) throw new Error(`the bytes of file ${fileId} are not kept`);
    return file.bytes;
  }

  return {
    ...people,
    ...transcript,
    url: server.url,
    token,
    bot,
    bytes,
    fault: (fault) => server.faults.add(fault),
    clearFaults: () => server.faults.clear(),
    outage: (kind) => server.outage(kind),
    rate: (limits) => server.rates.set(limits === false ? undefined : { ...DEFAULT_LIMITS, ...limits }),
    rich(mode) {
      richMode = mode;
    },
    counters: () => {
      const { user, system } = process.cpuUsage();
      return {
        ...server.log.counts(),
        connections: server.connections(),
        ...server.rates.counts(),
        updates: updates.stats(),
        files: world.files.count(),
        faultsLeft: server.faults.left(),
        cpuMicros: user + system,
      };
    },
    requests: (method) => server.log.all().filter((request) => method === undefined || request.method === method),
    async called(method, timeoutMs = 60_000) {
      const known = server.log.all().findLast((request) => request.method === method);
      const fits = (request: LoggedRequest) => request.method === method;
      return (
        known ?? until(server.log.seen, 'request', fits, timeoutMs, () => JSON.stringify(server.log.counts().methods))
      );
    },
    file: (fileId) => bytes(fileId).toString('base64'),
    reset() {
      server.log.clear();
      server.faults.clear();
      server.rates.set(undefined);
      server.rates.reset();
      updates.clear();
      richMode = 'ok';
    },
    async close() {
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
