/** A gateway in this process between the emulated Telegram and the emulated model, started and stopped on homes that may be damaged. */

import fs from 'node:fs';
import path from 'node:path';
import { type App, startApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { type Llm, startLlm } from '../emulators/llm.ts';
import { startTelegram, type Telegram } from '../emulators/telegram.ts';
import { quiet } from '../kit/quiet.ts';

/** The owner, of the configuration. */
export const ALEX = 1001;
/** Paired. */
export const SAM = 1002;
/** Linked to the owner's account. */
export const KIM = 1003;
/** Asks to be let in. */
export const LEE = 1004;

export interface DamageWorld {
  home: string;
  telegram: Telegram;
  llm: Llm;
  /** Log lines since the last start. */
  logs: Record<string, unknown>[];
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Says something and gives the text of the next answer that fits; rejects after `timeoutMs`. */
  ask(person: number, text: string, fits?: string, timeoutMs?: number): Promise<string>;
  /** Everything the bot has said since the last start. */
  said(): string[];
  /** Nothing is under way. */
  settled(): Promise<void>;
  /** The configuration of its homes. */
  config(): unknown;
  /** Goes on with another home. */
  use(home: string): void;
  close(): Promise<void>;
}

/** `heardBefore`: the platform's numbers go on after a home was filled by another. */
export async function openDamageWorld(firstHome: string, heardBefore = false): Promise<DamageWorld> {
  const telegram = await startTelegram({ keepFiles: false });
  const llm = await startLlm({ keepRequests: 50 });
  if (heardBefore) telegram.burst([ALEX, SAM, KIM, LEE], 100);
  if (heardBefore) telegram.reset();
  let app: App | undefined;
  const before = new Map<number, number>();
  const config = () => ({
    model: 'local/test-model',
    providers: { local: { baseURL: llm.url, apiKey: 'sk-test-model-key-123' } },
    channels: {
      telegram: { token: telegram.token, apiRoot: telegram.url, pollSeconds: 2, live: 'off', injection: 'followup' },
    },
    people: [{ name: 'alex', role: 'owner', ids: [`telegram:${ALEX}`] }],
    limits: { freeBytes: 0, messagesPerMinute: 100_000 },
    http: { port: 0 },
  });
  const world: DamageWorld = {
    ...{ home: firstHome, telegram, llm, logs: [], config },
    use(home) {
      world.home = home;
    },
    async start() {
      const file = path.join(world.home, 'config.json');
      if (!fs.lstatSync(file, { throwIfNoEntry: false })) {
        fs.mkdirSync(world.home, { recursive: true });
        fs.writeFileSync(file, JSON.stringify(config()));
      }
      world.logs = [];
      for (const person of [ALEX, SAM, KIM, LEE]) before.set(person, telegram.chat(person).messages.at(-1)?.id ?? 0);
      const log = createLog({ level: 'debug', pretty: false, write: (line) => void world.logs.push(JSON.parse(line)) });
      const loaded = await loadConfig({ home: world.home, env: {} });
      app = await startApp({ config: loaded.config, homeRoot: world.home, log, env: {}, terminal: false });
      await app.connected;
    },
    async stop() {
      const last = app;
      app = undefined;
      await last?.stop();
    },
    async ask(person, text, fits = '', timeoutMs = 120_000) {
      const after = telegram.chat(person).messages.findLast((message) => message.from === 'bot')?.id ?? 0;
      telegram.say(person, text);
      return (await telegram.wait({ chat: person, from: 'bot', after, text: fits, timeoutMs })).text;
    },
    said: () =>
      [...before].flatMap(([person, last]) =>
        telegram.chat(person).messages.flatMap(({ id, from, text }) => (from === 'bot' && id > last ? [text] : [])),
      ),
    async settled() {
      await quiet();
    },
    async close() {
      await world.stop();
      await Promise.all([telegram.close(), llm.close()]);
    },
  };
  return world;
}
