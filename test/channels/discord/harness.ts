/** The adapter before an emulated Discord, with what it hands over written down. */
import { onTestFinished } from 'vitest';
import type { Channel } from '../../../src/channels/channel.ts';
import { createDiscord, type DiscordOptions, type Timing } from '../../../src/channels/discord/adapter.ts';
import { silentLog } from '../../../src/log.ts';
import { type Discord, type DiscordOptions as PlatformOptions, startDiscord } from '../../emulators/discord.ts';
import { eventually } from '../../helpers/eventually.ts';
import { type Answer, answerTo, type Heard, hear } from '../bench.ts';

export { createLedger, file } from '../bench.ts';
export { eventually };

export const ALEX = '2002';
export const BEA = '2003';

export const FAST: Partial<Timing> = { backoffMs: { min: 20, max: 200 }, identifyMs: 0, taskStateMs: 20 };

export interface Bench extends Heard {
  discord: Discord;
  channel: Channel;
  cursors: Map<string, string>;
  connect(): Promise<void>;
  /** Another adapter on the same platform, as after a restart: with the same marks and cache. */
  again(options?: Partial<DiscordOptions>): Bench;
}

export async function startBench(
  options: Partial<DiscordOptions> = {},
  platform: PlatformOptions = {},
): Promise<Bench> {
  const discord = await startDiscord(platform);
  onTestFinished(() => discord.close());
  return benchOn(discord, options, new Map(), new Map());
}

function benchOn(
  discord: Discord,
  options: Partial<DiscordOptions>,
  cursors: Map<string, string>,
  cache: Map<string, string>,
): Bench {
  let marks = new Map(cursors);
  const channel = createDiscord({
    token: discord.token,
    apiRoot: discord.url,
    cdnRoot: discord.cdn,
    threads: 'per-task',
    live: 'off',
    archiveMinutes: 60,
    commands: [
      { name: 'status', description: 'How it stands' },
      {
        name: 'open',
        description: 'Go on with a task',
        argument: { name: 'id', description: 'The task', suggests: true },
      },
    ],
    cursors: {
      all: () => marks,
      set: (chat, mark) => void cursors.set(chat, mark),
      async reread() {
        marks = new Map(cursors);
      },
    },
    cache: { get: async (key) => cache.get(key), set: async (key, value) => void cache.set(key, value) },
    log: silentLog(),
    ...options,
    timing: { ...FAST, ...options.timing },
  });
  const { heard, callbacks } = hear(() => channel.status().state);
  onTestFinished(() => channel.disconnect());
  return {
    ...heard,
    ...{ discord, channel, cursors },
    connect: () => channel.connect(callbacks),
    again: (more = {}) => benchOn(discord, { ...options, ...more }, cursors, cache),
  };
}

export function answer({ discord, channel }: Bench, rest: Answer = {}) {
  const place = { channel: 'discord', account: channel.account, workspace: discord.guildId };
  return answerTo(place, rest.chat ?? discord.rooms.general, rest);
}
