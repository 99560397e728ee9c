/** Runs the platform as a separate process with the same functions as in-process, each of which returns a promise. */
import { fileURLToPath } from 'node:url';
import { beyondJson, portable, type Remote, remote, type Spawned, spawnEmulator, withProcess } from './base/remote.ts';
import type { ChatMessage, SayOptions } from './discord/types.ts';
import type { DiscordControl } from './discord.ts';

export type DiscordClient = Remote<DiscordControl> & ReturnType<typeof beyondJson<ChatMessage>>;

export type DiscordProcess = DiscordClient & Spawned & { cdn: string; token: string };

function portableSaid<T extends Pick<SayOptions, 'attachments'>>(options: T): T {
  return options.attachments ? { ...options, attachments: options.attachments.map(portable) } : options;
}

/** Drives an emulator whose control API is at `control`, as printed by it. */
export function connectDiscord(control: string): DiscordClient {
  const far = remote<DiscordControl>(control);
  return withProcess(far, {
    ...beyondJson<ChatMessage>(far),
    say: (channelId: string, text: string, options: SayOptions = {}) => far.say(channelId, text, portableSaid(options)),
    dm: (userId: string, text: string, options: Omit<SayOptions, 'from'> = {}) =>
      far.dm(userId, text, portableSaid(options)),
  });
}

/** Starts `discord.ts` as a separate process; `args` is its command line. */
export async function spawnDiscord(args: string[] = []): Promise<DiscordProcess> {
  const file = fileURLToPath(new URL('./discord.ts', import.meta.url));
  const spawned = await spawnEmulator(file, args);
  const client = connectDiscord(spawned.control);
  const { cdn, token } = await client.facts();
  return withProcess(client, { ...spawned, cdn, token });
}
