/** The adapter before an emulated Telegram, with what it hands over written down. */
import { onTestFinished } from 'vitest';
import type {
  Attachment,
  Channel,
  ChannelCallbacks,
  InboundMessage,
  OutboundMessage,
  PartLedger,
} from '../../../src/channels/channel.ts';
import { createTelegram, type TelegramOptions } from '../../../src/channels/telegram/adapter.ts';
import { silentLog } from '../../../src/log.ts';
import { type TelegramOptions as PlatformOptions, startTelegram, type Telegram } from '../../emulators/telegram.ts';
import { eventually } from '../../helpers/eventually.ts';

export { eventually };

export interface Bench {
  telegram: Telegram;
  channel: ReturnType<typeof createTelegram>;
  /** What was handed over, in order. */
  got: { message: InboundMessage; raw: unknown }[];
  texts(): string[];
  dropped: string[];
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
  const got: Bench['got'] = [];
  const dropped: string[] = [];
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
  const callbacks: ChannelCallbacks = {
    onMessage: (message, raw) => {
      got.push({ message, raw });
      return store(message).then(() => (isRefused(message) ? 'refused' : 'accepted'));
    },
    onInterrupt: async () => undefined,
    onDropped: (kind) => void dropped.push(kind),
    onSuggest: async () => [],
    onStatus: () => undefined,
  };
  onTestFinished(async () => {
    await channel.disconnect();
    await telegram.close();
  });
  telegram.addUser({ id: ALEX, first_name: 'Alex' });
  return {
    telegram,
    channel,
    got,
    dropped,
    texts: () => got.map(({ message }) => message.text),
    storing: (action) => {
      store = action;
    },
    refusing: (which) => {
      isRefused = which;
    },
    connect: () => channel.connect(callbacks),
    eventually,
  };
}

/** A ledger that remembers as the real one does. */
export function createLedger(): PartLedger & { sent: Map<number, string>; calls: number[] } {
  const sent = new Map<number, string>();
  const calls: number[] = [];
  return {
    sent,
    calls,
    async part(index, post) {
      const known = sent.get(index);
      if (known !== undefined) return known;
      calls.push(index);
      const id = await post({ key: `k:${index}` });
      sent.set(index, id);
      return id;
    },
  };
}

export function answer(
  channel: Channel,
  rest: Partial<OutboundMessage> & { chat?: number; thread?: string } = {},
): OutboundMessage {
  const { chat = ALEX, thread, ...message } = rest;
  const address = {
    channel: 'telegram',
    account: channel.account,
    chat: String(chat),
    ...(thread !== undefined && { thread }),
  };
  return { id: 'o1', address, text: 'Hello', files: [], ...message };
}

export function attachment(path: string, name: string, mimeType: string, size: number): Attachment {
  return { path, name, mimeType, size, sha256: '0'.repeat(64) };
}
