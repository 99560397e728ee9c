/** A whole gateway between the emulated platforms and the emulated model, in this process or in one of its own. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type App, startApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { createLog } from '../../src/log.ts';
import { type Llm, startLlm } from '../emulators/llm.ts';
import { PROGRAM } from '../helpers/program.ts';
import { tempFolder } from '../helpers/temp.ts';
import { loopbackPlatform } from '../kit/loopback.ts';
import { watchSpool } from '../kit/sources.ts';
import { baseConfig } from './config.ts';
import { discordPlatform } from './discord.ts';
import type { Platform } from './platform.ts';
import { type Gateway, startProcess } from './process.ts';
import { slackPlatform } from './slack.ts';
import { telegramPlatform } from './telegram.ts';

export const PLATFORMS = { telegram: telegramPlatform, discord: discordPlatform, slack: slackPlatform } as const;
export type PlatformName = keyof typeof PLATFORMS;
export const NAMES = Object.keys(PLATFORMS) as PlatformName[];
const OPENERS = { ...PLATFORMS, loopback: loopbackPlatform };
/** A platform, or the channel without one, which is there only when asked for. */
export type ChannelName = keyof typeof OPENERS;

export interface PlatformWorld {
  platforms: Readonly<Record<ChannelName, Platform>>;
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
  /** Runs may take `graceMs` to end, if the gateway runs in this process. */
  restart(graceMs?: number): Promise<void>;
  /** Resolves when the gateway's process has ended by itself; only with `process: true`. */
  ended(): Promise<void>;
  /** Ends the gateway without a word and starts another; only with `process: true`. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface PlatformWorldOptions {
  /** Which platforms; all three unless told. */
  on?: readonly ChannelName[];
  /** Platforms that run already, for those that need options of their own. */
  given?: Partial<Record<ChannelName, Platform>>;
  /** One whose channel comes from outside of the program: its section names the module. */
  plugged?: Platform;
  /** Merged over the defaults. */
  config?: Record<string, unknown>;
  /** Merged into every channel's section. */
  channel?: Record<string, unknown>;
  /** Merged into the section of one channel. */
  sections?: Partial<Record<ChannelName, Record<string, unknown>>>;
  /** The model, whose provider is the emulator; `local/test-model` unless told. */
  model?: string;
  /** Beside that of the model. */
  providers?: Record<string, object>;
  /** Use the built-in model. */
  offline?: boolean;
  /** Run the gateway as a process of its own. */
  process?: boolean;
  /** The two are one person to the gateway unless false. */
  linked?: boolean;
  /** What stands in the home before the first start, by path. */
  files?: Readonly<Record<string, string>>;
  prepare?: (home: string) => void;
  /** The time by which jobs run; only in this process. */
  clock?: Clock;
  /** For the next start of a gateway in a process of its own. */
  env?: Record<string, string>;
}

export function putFiles(home: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
    fs.writeFileSync(path.join(home, name), text);
  }
}

/** The configuration of a gateway between these platforms and a model. */
function settingsOf(
  all: [string, Platform][],
  modelUrl: string,
  options: PlatformWorldOptions,
  model: string,
): Record<string, unknown> {
  // Where nobody is linked the owner is somebody else on each platform.
  const apart = all.map(([name, each]) => ({ name: `alex-${name}`, role: 'owner', ids: [each.identity('alex')] }));
  const own = (name: string) => Object.entries(options.sections ?? {}).find(([channel]) => channel === name)?.[1];
  const base = baseConfig(
    all.map(([name, platform]) => ({ platform, section: { ...options.channel, ...own(name) } })),
    modelUrl,
  );
  const providers = { [model.slice(0, model.indexOf('/'))]: base.providers.local, ...options.providers };
  return {
    ...base,
    model: options.offline ? 'offline/viber' : model,
    providers: { ...base.providers, ...providers },
    ...(options.linked === false && { people: apart }),
  };
}

export async function openPlatforms(options: PlatformWorldOptions = {}): Promise<PlatformWorld> {
  const llm = await startLlm();
  const home = tempFolder();
  const on = options.on ?? NAMES;
  const opened = await Promise.all(
    on.map(async (name): Promise<[ChannelName, Platform]> => [name, options.given?.[name] ?? (await OPENERS[name]())]),
  );
  const found = new Map(opened);
  const { plugged } = options;
  const all: [string, Platform][] = [...opened, ...(plugged ? [[plugged.name, plugged] as [string, Platform]] : [])];
  plugged?.startsAt?.(home);
  const platform = (name: ChannelName): Platform => {
    const one = found.get(name);
    if (!one) throw new Error(`${name} is not part of this world`);
    return one;
  };
  const { model = 'local/test-model' } = options;
  const config = { ...settingsOf(all, llm.url, options, model), ...options.config };
  fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify(config));
  putFiles(home, options.files ?? {});
  options.prepare?.(home);
  const logs: Record<string, unknown>[] = [];
  const env = { ...options.env };
  const start = () =>
    options.process ? startProcess({ program: PROGRAM, home, env }) : startHere(home, logs, options);
  const removeSpool = watchSpool(home);
  let gateway = await start();
  onTestFinished(async () => {
    removeSpool();
    // Nobody waits for what a model that hangs would say.
    await gateway.stop('SIGKILL', 0);
    await Promise.all([...opened.map(([, each]) => each.close()), options.plugged?.close(), llm.close()]);
  });
  const restart = async (signal?: NodeJS.Signals, graceMs?: number) => {
    await gateway.stop(signal, graceMs);
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
      get loopback() {
        return platform('loopback');
      },
    },
    ...{ llm, home, logs },
    read(file) {
      const full = path.join(home, file);
      return fs.existsSync(full) ? fs.readFileSync(full, 'utf8') : '';
    },
    tasks: () => fs.readdirSync(path.join(home, 'artifacts')).sort(),
    hashes: (taskId) => hashesOf(home, taskId),
    restart: (graceMs) => restart(undefined, graceMs),
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
  return { ended: new Promise(() => undefined), stop: (_signal, graceMs) => app.stop(graceMs) };
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
