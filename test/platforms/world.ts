/** A whole gateway between the emulated platforms and the emulated model, in this process or in one of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { type App, startApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { createLog } from '../../src/log.ts';
import { type Llm, startLlm } from '../emulators/llm.ts';
import { PROGRAM } from '../helpers/program.ts';
import { tempFolder } from '../helpers/temp.ts';
import { discordPlatform } from './discord.ts';
import type { Platform } from './platform.ts';
import { slackPlatform } from './slack.ts';
import { telegramPlatform } from './telegram.ts';

export const PLATFORMS = { telegram: telegramPlatform, discord: discordPlatform, slack: slackPlatform } as const;
export type PlatformName = keyof typeof PLATFORMS;
export const NAMES = Object.keys(PLATFORMS) as PlatformName[];

export interface PlatformWorld {
  platforms: Readonly<Record<PlatformName, Platform>>;
  llm: Llm;
  home: string;
  /** Log lines, parsed; of the gateway in this process only. */
  logs: Record<string, unknown>[];
  /** A file of the home as text; '' when it is not there. */
  read(file: string): string;
  /** Ids of tasks, oldest first. */
  tasks(): string[];
  /** Hashes of a task's plan and artifacts and of the memory, by path. */
  hashes(taskId: string): Record<string, string>;
  restart(): Promise<void>;
  /** Resolves when the gateway's process has ended by itself; only with `process: true`. */
  ended(): Promise<void>;
  /** Ends the gateway without a word and starts another; only with `process: true`. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface PlatformWorldOptions {
  /** Which platforms; all three unless told. */
  on?: readonly PlatformName[];
  /** Platforms that run already, for those that need options of their own. */
  given?: Partial<Record<PlatformName, Platform>>;
  /** One whose channel comes from outside of the program: its section names the module. */
  plugged?: Platform;
  /** Merged over the defaults. */
  config?: Record<string, unknown>;
  /** Merged into every channel's section. */
  channel?: Record<string, unknown>;
  /** Merged into the section of one channel. */
  sections?: Partial<Record<PlatformName, Record<string, unknown>>>;
  /** The model, whose provider is the emulator; `local/test-model` unless told. */
  model?: string;
  /** Use the built-in model. */
  offline?: boolean;
  /** Run the gateway as a process of its own. */
  process?: boolean;
  /** The two are one person to the gateway unless false. */
  linked?: boolean;
  prepare?: (home: string) => void;
  /** The time by which jobs run; only in this process. */
  clock?: Clock;
  /** For the next start of a gateway in a process of its own. */
  env?: Record<string, string>;
}

interface Gateway {
  ended: Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export async function openPlatforms(options: PlatformWorldOptions = {}): Promise<PlatformWorld> {
  const llm = await startLlm();
  const home = tempFolder();
  const on = options.on ?? NAMES;
  const opened = await Promise.all(
    on.map(
      async (name): Promise<[PlatformName, Platform]> => [name, options.given?.[name] ?? (await PLATFORMS[name]())],
    ),
  );
  const found = new Map(opened);
  const { plugged } = options;
  const all: [string, Platform][] = [...opened, ...(plugged ? [[plugged.name, plugged] as [string, Platform]] : [])];
  plugged?.startsAt?.(home);
  const platform = (name: PlatformName): Platform => {
    const one = found.get(name);
    if (!one) throw new Error(`${name} is not part of this world`);
    return one;
  };
  const people = (['alex', 'sam'] as const).map((name) => ({
    name,
    role: name === 'alex' ? 'owner' : 'member',
    ids: all.map(([, each]) => each.identity(name)),
  }));
  // Where nobody is linked the owner is somebody else on each platform.
  const apart = all.map(([name, each]) => ({ name: `alex-${name}`, role: 'owner', ids: [each.identity('alex')] }));
  const sections = all.map(([name, each]) => {
    const access = { dm: 'pairing', chats: name === 'discord' ? [] : [each.room.chat] };
    const own = Object.entries(options.sections ?? {}).find(([channel]) => channel === name)?.[1];
    return [name, { ...each.section, access, ...options.channel, ...own }];
  });
  const { model = 'local/test-model' } = options;
  const config = {
    model: options.offline ? 'offline/viber' : model,
    providers: Object.fromEntries(
      ['local', model.slice(0, model.indexOf('/'))].map((name) => [
        name,
        { baseURL: llm.url, apiKey: 'sk-test-model-key-123' },
      ]),
    ),
    channels: Object.fromEntries(sections),
    people: options.linked === false ? apart : people,
    limits: { freeBytes: 0, messagesPerMinute: 1000 },
    http: { port: 0 },
    ...options.config,
  };
  fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify(config));
  options.prepare?.(home);
  const logs: Record<string, unknown>[] = [];
  const env = { ...options.env };
  const start = () => (options.process ? startProcess(home, env) : startHere(home, logs, options));
  let gateway = await start();
  onTestFinished(async () => {
    await gateway.stop('SIGKILL');
    await Promise.all([...opened.map(([, each]) => each.close()), options.plugged?.close(), llm.close()]);
  });
  const restart = async (signal?: NodeJS.Signals) => {
    await gateway.stop(signal);
    gateway = await start();
  };
  return {
    platforms: {
      get telegram() {
        return platform('telegram');
      },
      get discord() {
        return platform('discord');
      },
      get slack() {
        return platform('slack');
      },
    },
    ...{ llm, home, logs },
    read(file) {
      const full = path.join(home, file);
      return fs.existsSync(full) ? fs.readFileSync(full, 'utf8') : '';
    },
    tasks: () => fs.readdirSync(path.join(home, 'artifacts')).sort(),
    hashes: (taskId) => hashesOf(home, taskId),
    restart: () => restart(),
    ended: () => gateway.ended,
    kill: () => restart('SIGKILL'),
    stop: () => gateway.stop(),
  };
}

async function startHere(
  home: string,
  logs: Record<string, unknown>[],
  { clock }: PlatformWorldOptions,
): Promise<Gateway> {
  const log = createLog({ level: 'debug', pretty: false, write: (line) => void logs.push(JSON.parse(line)) });
  const loaded = await loadConfig({ home, env: {} });
  const app: App = await startApp({
    ...{ config: loaded.config, homeRoot: home, log, env: {}, terminal: false },
    ...(clock ? { clock } : {}),
  });
  await app.connected;
  return { ended: new Promise(() => undefined), stop: () => app.stop() };
}

async function startProcess(home: string, env: Record<string, string>): Promise<Gateway> {
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, 'start', '--home', home], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const isToCrash = env.OPENVIBER_CRASH_AT !== undefined;
  for (const name of Object.keys(env)) delete env[name];
  const exited = once(child, 'exit');
  const lines: string[] = [];
  const ready = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      if (line.includes('"msg":"ready"')) ready.resolve();
    });
  }
  await Promise.race([
    ready.promise,
    exited.then(() => {
      // Where it is to crash it may do so before it has said that it is ready.
      if (!isToCrash) throw new Error(`the gateway ended:\n${lines.slice(-20).join('\n')}`);
    }),
  ]);
  return {
    ended: exited.then(() => undefined),
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await exited;
    },
  };
}

function hashesOf(home: string, taskId: string): Record<string, string> {
  const folder = path.join(home, 'artifacts', taskId);
  const files = [
    ...fs.readdirSync(folder).map((name) => path.join('artifacts', taskId, name)),
    path.join('workspace', 'MEMORY.md'),
  ];
  // The record tells states and places, which a switch is meant to change.
  const kept = files.filter((file) => !/task\.json$|artifacts\.jsonl$/.test(file));
  return Object.fromEntries(
    kept.map((file) => [
      file,
      createHash('sha256')
        .update(fs.readFileSync(path.join(home, file)))
        .digest('hex'),
    ]),
  );
}
