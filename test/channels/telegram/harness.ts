/** The adapter before an emulated Telegram, with what it hands over written down. */
import { onTestFinished } from 'vitest';
import type { Channel, InboundMessage } from '../../../src/channels/channel.ts';
import { createTelegram, type TelegramOptions } from '../../../src/channels/telegram/adapter.ts';
import { silentLog } from '../../../src/log.ts';
import { type TelegramOptions as PlatformOptions, startTelegram, type Telegram } from '../../emulators/telegram.ts';
import { eventually } from '../../helpers/eventually.ts';
import { type Answer, answerTo, type Heard, hear } from '../bench.ts';

export { attachment, createLedger, file } from '../bench.ts';
export { eventually };

export interface Bench extends Omit<Heard, 'storing'> {
  telegram: Telegram;
  channel: ReturnType<typeof createTelegram>;
  /** Replaces what `onMessage` does after writing down; may reject. */
  storing(action: (message: InboundMessage) => Promise<void>): void;
  /** From now on these count as refused. */
  refusing(which: (message: InboundMessage) => boolean): void;
  connect(): Promise<void>;
  /** Waits until the condition holds; at most 5 s. */
  eventually: typeof eventually;
}

export const ALEX = 1001;

export async function startBench(
  options: Partial<TelegramOptions> = {},
  platform: PlatformOptions = {},
): Promise<Bench> {
  const telegram = await startTelegram(platform);
  let store: (message: InboundMessage) => Promise<void> = async () => undefined;
  let isRefused = (_message: InboundMessage) => false;
  const channel = createTelegram({
    token: telegram.token,
    apiRoot: telegram.url,
    mode: 'polling',
    attachCommands: [],
    log: silentLog(),
    live: 'off',
    pollSeconds: 5,
    ...options,
    timing: { backoffMs: { min: 20, max: 200 }, ...options.timing },
  });
  const { heard, callbacks } = hear(() => channel.status().state);
  heard.storing((message) => store(message).then(() => (isRefused(message) ? 'refused' : 'accepted')));
  onTestFinished(async () => {
    await channel.disconnect();
    await telegram.close();
  });
  telegram.addUser({ id: ALEX, first_name: 'Alex' });
  return {
    ...heard,
    ...{ telegram, channel, eventually },
    storing: (action) => {
      store = action;
    },
    refusing: (which) => {
      isRefused = which;
    },
    connect: () => channel.connect(callbacks),
  };
}

export const answer = (channel: Channel, rest: Answer = {}) =>
  answerTo({ channel: 'telegram', account: channel.account }, rest.chat ?? ALEX, rest);
