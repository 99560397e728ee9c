/** The platform as a process of its own, driven with the same functions as in-process, each giving a promise. */
import { fileURLToPath } from 'node:url';
import type { ChatMessage, PersonFile, SayOptions } from './discord/types.ts';
import type { DiscordControl } from './discord.ts';
import { withProcess } from './llm-client.ts';
import { type Remote, remote, type Spawned, spawnEmulator } from './remote.ts';

export type DiscordClient = Remote<DiscordControl> & {
  bytes(attachmentId: string): Promise<Buffer>;
  /** Resolves with the first message, there already or to come, that fits. */
  waitFor(fits: (message: ChatMessage) => boolean, timeoutMs?: number): Promise<ChatMessage>;
};

export type DiscordProcess = DiscordClient & Spawned & { cdn: string; token: string };

/** Bytes do not survive JSON. */
function portable({ bytes, ...file }: PersonFile): PersonFile {
  return bytes ? { ...file, base64: Buffer.from(bytes).toString('base64') } : file;
}

function portableSaid<T extends Pick<SayOptions, 'attachments'>>(options: T): T {
  return options.attachments ? { ...options, attachments: options.attachments.map(portable) } : options;
}

/** Drives an emulator whose control API is at `control` (from the line it printed). */
export function connectDiscord(control: string): DiscordClient {
  const far = remote<DiscordControl>(control);
  async function waitFor(fits: (message: ChatMessage) => boolean, timeoutMs = 60_000): Promise<ChatMessage> {
    const end = Date.now() + timeoutMs;
    for (let since = 0; ; ) {
      const left = end - Date.now();
      if (left <= 0) throw new Error(`no message that fits within ${timeoutMs} ms`);
      const { seq, messages } = await far.changesSince(since, left);
      const found = messages.find(fits);
      if (found) return found;
      since = seq;
    }
  }
  return withProcess(far, {
    waitFor,
    bytes: async (attachmentId: string) => Buffer.from(await far.file(attachmentId), 'base64'),
    say: (channelId: string, text: string, options: SayOptions = {}) => far.say(channelId, text, portableSaid(options)),
    dm: (userId: string, text: string, options: Omit<SayOptions, 'from'> = {}) =>
      far.dm(userId, text, portableSaid(options)),
  });
}

/** Starts `discord.ts` as its own process; `args` are its command line. */
export async function spawnDiscord(args: string[] = []): Promise<DiscordProcess> {
  const file = fileURLToPath(new URL('./discord.ts', import.meta.url));
  const spawned = await spawnEmulator(file, args);
  const client = connectDiscord(spawned.control);
  const { cdn, token } = await client.facts();
  return withProcess(client, { ...spawned, cdn, token });
}
