/** The platform as a process of its own, driven with the same functions as in-process, each giving a promise. */
import { fileURLToPath } from 'node:url';
import { withProcess } from './llm-client.ts';
import { type Remote, remote, type Spawned, spawnEmulator } from './remote.ts';
import type { ChatMessage } from './telegram/view.ts';
import { type SentFile, TEST_TOKEN, type TelegramControl } from './telegram.ts';

export type TelegramClient = Remote<TelegramControl> & {
  bytes(fileId: string): Promise<Buffer>;
  /** Resolves with the first message, there already or to come, that fits. */
  waitFor(fits: (message: ChatMessage) => boolean, timeoutMs?: number): Promise<ChatMessage>;
};

export type TelegramProcess = TelegramClient & Spawned & { token: string };

/** Bytes do not survive JSON. */
function portable({ bytes, ...file }: SentFile): SentFile {
  return bytes ? { ...file, base64: Buffer.from(bytes).toString('base64') } : file;
}

/** Drives an emulator whose control API is at `control` (from the line it printed). */
export function connectTelegram(control: string): TelegramClient {
  const far = remote<TelegramControl>(control);
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
    bytes: async (fileId: string) => Buffer.from(await far.file(fileId), 'base64'),
    hold: (fileId: string, file: SentFile) => far.hold(fileId, portable(file)),
    sendFile: (chat: number, file: SentFile) => far.sendFile(chat, portable(file)),
    sendAlbum: (chat: number, files: SentFile[], options?: Parameters<TelegramControl['sendAlbum']>[2]) =>
      far.sendAlbum(chat, files.map(portable), options),
  });
}

/** Starts `telegram.ts` as its own process; `args` are its command line. */
export async function spawnTelegram(args: string[] = []): Promise<TelegramProcess> {
  const file = fileURLToPath(new URL('./telegram.ts', import.meta.url));
  const spawned = await spawnEmulator(file, args);
  return withProcess(connectTelegram(spawned.control), { ...spawned, token: TEST_TOKEN });
}
