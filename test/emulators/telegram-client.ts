/** Runs the platform as a separate process with the same functions as in-process, each of which returns a promise. */
import { fileURLToPath } from 'node:url';
import { beyondJson, portable, type Remote, remote, type Spawned, spawnEmulator, withProcess } from './base/remote.ts';
import type { ChatMessage } from './telegram/view.ts';
import { type SentFile, TEST_TOKEN, type TelegramControl } from './telegram.ts';

export type TelegramClient = Remote<TelegramControl> & ReturnType<typeof beyondJson<ChatMessage>>;

export type TelegramProcess = TelegramClient & Spawned & { token: string };

/** Drives an emulator whose control API is at `control`, as printed by it. */
export function connectTelegram(control: string): TelegramClient {
  const far = remote<TelegramControl>(control);
  return withProcess(far, {
    ...beyondJson<ChatMessage>(far),
    hold: (fileId: string, file: SentFile) => far.hold(fileId, portable(file)),
    sendFile: (chat: number, file: SentFile) => far.sendFile(chat, portable(file)),
    sendAlbum: (chat: number, files: SentFile[], options?: Parameters<TelegramControl['sendAlbum']>[2]) =>
      far.sendAlbum(chat, files.map(portable), options),
  });
}

/** Starts `telegram.ts` as a separate process; `args` is its command line. */
export async function spawnTelegram(args: string[] = []): Promise<TelegramProcess> {
  const file = fileURLToPath(new URL('./telegram.ts', import.meta.url));
  const spawned = await spawnEmulator(file, args);
  return withProcess(connectTelegram(spawned.control), { ...spawned, token: TEST_TOKEN });
}
