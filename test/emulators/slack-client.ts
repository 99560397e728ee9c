/** Slack as a process of its own, driven with the same functions as in-process, each giving a promise. */
import { fileURLToPath } from 'node:url';
import { withProcess } from './llm-client.ts';
import { type Remote, remote, type Spawned, spawnEmulator } from './remote.ts';
import {
  type ChatMessage,
  type SayOptions,
  type SentFile,
  type SlackControl,
  TEST_APP_TOKEN,
  TEST_BOT_TOKEN,
  TEST_SIGNING_SECRET,
} from './slack.ts';

export type SlackClient = Remote<SlackControl> & {
  bytes(fileId: string): Promise<Buffer>;
  /** Resolves with the first message, there already or to come, that fits. */
  waitFor(fits: (message: ChatMessage) => boolean, timeoutMs?: number): Promise<ChatMessage>;
};

export type SlackProcess = SlackClient & Spawned & { botToken: string; appToken: string; signingSecret: string };

/** Bytes do not survive JSON. */
function portable({ bytes, ...file }: SentFile): SentFile {
  return bytes ? { ...file, base64: Buffer.from(bytes).toString('base64') } : file;
}

function portableOptions<T extends { files?: SentFile[] }>(options: T): T {
  return options.files ? { ...options, files: options.files.map(portable) } : options;
}

/** Drives an emulator whose control API is at `control` (from the line it printed). */
export function connectSlack(control: string): SlackClient {
  const far = remote<SlackControl>(control);
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
    say: (channel: string, text: string, options: SayOptions = {}) => far.say(channel, text, portableOptions(options)),
    dm: (user: string, text: string, options: SayOptions = {}) => far.dm(user, text, portableOptions(options)),
    shareFile: (channel: string, files: SentFile[], options: Parameters<SlackControl['shareFile']>[2] = {}) =>
      far.shareFile(channel, files.map(portable), options),
  });
}

/** Starts `slack.ts` as its own process; `args` are its command line. */
export async function spawnSlack(args: string[] = []): Promise<SlackProcess> {
  const file = fileURLToPath(new URL('./slack.ts', import.meta.url));
  const spawned = await spawnEmulator(file, args);
  const tokens = { botToken: TEST_BOT_TOKEN, appToken: TEST_APP_TOKEN, signingSecret: TEST_SIGNING_SECRET };
  return withProcess(connectSlack(spawned.control), { ...spawned, ...tokens });
}
