/** Runs Slack as a separate process with the same functions as in-process, each of which returns a promise. */
import { fileURLToPath } from 'node:url';
import { beyondJson, portable, type Remote, remote, type Spawned, spawnEmulator, withProcess } from './base/remote.ts';
import {
  type ChatMessage,
  type SayOptions,
  type SentFile,
  type SlackControl,
  TEST_APP_TOKEN,
  TEST_BOT_TOKEN,
  TEST_SIGNING_SECRET,
} from './slack.ts';

export type SlackClient = Remote<SlackControl> & ReturnType<typeof beyondJson<ChatMessage>>;

export type SlackProcess = SlackClient & Spawned & { botToken: string; appToken: string; signingSecret: string };

function portableOptions<T extends { files?: SentFile[] }>(options: T): T {
  return options.files ? { ...options, files: options.files.map(portable) } : options;
}

/** Drives an emulator whose control API is at `control`, as printed by it. */
export function connectSlack(control: string): SlackClient {
  const far = remote<SlackControl>(control);
  return withProcess(far, {
    ...beyondJson<ChatMessage>(far),
    say: (channel: string, text: string, options: SayOptions = {}) => far.say(channel, text, portableOptions(options)),
    dm: (user: string, text: string, options: SayOptions = {}) => far.dm(user, text, portableOptions(options)),
    shareFile: (channel: string, files: SentFile[], options: Parameters<SlackControl['shareFile']>[2] = {}) =>
      far.shareFile(channel, files.map(portable), options),
  });
}

/** Starts `slack.ts` as a separate process; `args` is its command line. */
export async function spawnSlack(args: string[] = []): Promise<SlackProcess> {
  const file = fileURLToPath(new URL('./slack.ts', import.meta.url));
  const spawned = await spawnEmulator(file, args);
  const tokens = { botToken: TEST_BOT_TOKEN, appToken: TEST_APP_TOKEN, signingSecret: TEST_SIGNING_SECRET };
  return withProcess(connectSlack(spawned.control), { ...spawned, ...tokens });
}
