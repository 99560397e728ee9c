/**
 * A whole gateway for a test: the emulated Telegram, the emulated model, a home of its own, and the real client
 * libraries between them. Dialogues read as said and answered.
 */
import fs from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type App, startApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import type { Feature } from '../../src/features/gateway.ts';
import { createLog } from '../../src/log.ts';
import { type Llm, startLlm } from '../emulators/llm.ts';
import { type ChatMessage, startTelegram, type Telegram, type TelegramOptions } from '../emulators/telegram.ts';
import { tempFolder } from '../helpers/temp.ts';
import { watchSpool } from '../kit/sources.ts';

/** The person most dialogues are with: an owner. */
export const ALEX = 1001;
/** A person who is not in the configuration. */
export const STRANGER = 6666;

export interface World {
  telegram: Telegram;
  llm: Llm;
  home: string;
  app: App;
  /** Log lines, parsed. */
  logs: Record<string, unknown>[];
  /** Says something in a private chat and gives the next answer there. */
  ask(text: string, chat?: number): Promise<ChatMessage>;
  /** The next message of the bot in a chat after the given one. */
  answer(chat?: number, after?: number): Promise<ChatMessage>;
  /** A file of the home as text; '' when it is not there. */
  read(file: string): string;
  /** The only task's folder, relative to the home. */
  task(): string;
  restart(): Promise<void>;
}

export interface WorldOptions {
  /** Merged over the defaults: one owner, the emulated model. */
  config?: Record<string, unknown>;
  telegram?: Record<string, unknown>;
  emulator?: TelegramOptions;
  /** Use the built-in model. */
  offline?: boolean;
  /** The features that are on; all of them unless told. */
  features?: readonly Feature[];
  /** Prepares the home before the first start. */
  prepare?: (home: string) => void;
}

export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const telegram = await startTelegram(options.emulator);
  const llm = await startLlm();
  const home = tempFolder();
  options.prepare?.(home);
  const config = {
    ...(options.offline ? { model: 'offline/viber' } : { model: 'local/test-model' }),
    providers: { local: { baseURL: llm.url, apiKey: 'sk-test-model-key-123' } },
    channels: {
      telegram: {
        token: telegram.token,
        apiRoot: telegram.url,
        pollSeconds: 5,
        injection: 'followup',
        ...options.telegram,
      },
    },
    people: [{ name: 'alex', role: 'owner', ids: [`telegram:${ALEX}`] }],
    limits: { freeBytes: 0, messagesPerMinute: 1000 },
    http: { port: 0 },
    ...options.config,
  };
  fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify(config));
  const logs: Record<string, unknown>[] = [];
  const log = createLog({ level: 'debug', pretty: false, write: (line) => void logs.push(JSON.parse(line)) });
  const only = options.features ? { features: options.features } : {};
  const start = async () => {
    const loaded = await loadConfig({ home, env: {} });
    const app = await startApp({ config: loaded.config, homeRoot: home, log, env: {}, terminal: false, ...only });
    await app.connected;
    return app;
  };
  const world: World = {
    ...{ telegram, llm, home, logs, app: await start() },
    async ask(text, chat = ALEX) {
      const before = lastId(telegram, chat);
      telegram.say(chat, text);
      return world.answer(chat, before);
    },
    answer: (chat = ALEX, after = 0) => telegram.wait({ chat, from: 'bot', after }),
    read(file) {
      const full = path.join(home, file);
      return fs.existsSync(full) ? fs.readFileSync(full, 'utf8') : '';
    },
    task() {
      const tasks = fs.readdirSync(path.join(home, 'artifacts'));
      if (tasks.length !== 1) throw new Error(`there are ${tasks.length} tasks`);
      return path.join('artifacts', tasks[0] ?? '');
    },
    async restart() {
      await world.app.stop();
      world.app = await start();
    },
  };
  const removeSpool = watchSpool(home);
  onTestFinished(async () => {
    removeSpool();
    // Nobody waits for what a model that hangs would say.
    await world.app.stop(0);
    await Promise.all([telegram.close(), llm.close()]);
  });
  return world;
}

/** The id of the newest message of the bot in a chat. */
export function lastId(telegram: Telegram, chat: number): number {
  return telegram.chat(chat).messages.findLast((message) => message.from === 'bot')?.id ?? 0;
}
