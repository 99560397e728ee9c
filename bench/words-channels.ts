/** Connects the real channels to the strict emulators, and returns what people there see of a text. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel, ChannelCallbacks, OutboundMessage, PartLedger } from '../src/channels/channel.ts';
import { createDiscord } from '../src/channels/discord/adapter.ts';
import { parseMarkdown } from '../src/channels/markdown/parse.ts';
import { createSlack } from '../src/channels/slack/adapter.ts';
import { createTelegram } from '../src/channels/telegram/adapter.ts';
import { DeliveryError } from '../src/errors.ts';
import { silentLog } from '../src/log.ts';
import { readDiscord } from '../test/channels/discord/reader.ts';
import { discordPlatform } from '../test/platforms/discord.ts';
import { slackPlatform } from '../test/platforms/slack.ts';
import { telegramPlatform } from '../test/platforms/telegram.ts';
import { richShown } from './words-read.ts';

/** A message as it arrived at the platform. */
export interface Came {
  text: string;
  /** The blocks of a rich message, or of Slack. */
  blocks?: unknown;
  entities?: { type: string; offset: number; length: number; url?: string }[];
}

export interface Shower {
  name: string;
  /** Sends one text and returns the resulting messages, in order. */
  send(text: string): Promise<Came[]>;
  /** Returns its words as a reader sees them. */
  shown(came: Came): Promise<string>;
  /** Calls that the platform has refused because of their form. */
  refused(): number;
  close(): Promise<void>;
}

const KEEP = { keepFiles: false, keepRequests: 10, keepMessages: 100 };
const callbacks: ChannelCallbacks = {
  onMessage: async () => 'accepted',
  onInterrupt: async () => undefined,
  onSuggest: async () => [],
  onDropped: () => undefined,
  onStatus: () => undefined,
};
const BAD = /^4(?!29|09)\d\d$/;
const refusals = (statuses: Record<string, number>) =>
  Object.entries(statuses).reduce((sum, [status, count]) => sum + (BAD.test(status) ? count : 0), 0);

type Listener = (came: Came) => void;

function asDeliveryError(error: unknown): DeliveryError {
  if (error instanceof DeliveryError) return error;
  throw error;
}

/** @param listen calls back for each message of the bot */
async function shower(
  name: string,
  channel: Channel,
  chat: string,
  listen: (listener: Listener) => void,
  rest: Pick<Shower, 'shown' | 'refused'> & { close(): Promise<void> },
): Promise<Shower> {
  await channel.connect(callbacks);
  let came: Came[] = [];
  listen((message) => void came.push(message));
  let count = 0;
  return {
    ...{ name, shown: rest.shown },
    refused: rest.refused,
    async send(text) {
      const id = `words-${++count}`;
      came = [];
      const sent = new Map<number, string>();
      const ledger: PartLedger = {
        async part(index, post) {
          const at = sent.get(index) ?? (await post({ key: `${id}:${index}` }));
          sent.set(index, at);
          return at;
        },
      };
      const message: OutboundMessage = {
        ...{ id, text, files: [] },
        address: { channel: channel.id, account: channel.account, chat },
      };
      for (let tries = 0; ; tries++) {
        const error = await channel.send(message, ledger).then(() => undefined, asDeliveryError);
        if (error === undefined) return came;
        // The library itself counts the calls per second.
        if (error.retryAfterMs === undefined || tries > 100) throw error;
        await sleep(error.retryAfterMs);
      }
    },
    async close() {
      await channel.disconnect();
      await rest.close();
    },
  };
}

/** @param isRich whether the server knows rich messages: then text comes as blocks, otherwise as text with entities */
async function telegram(isRich: boolean): Promise<Shower> {
  const platform = await telegramPlatform(KEEP);
  const { emulator } = platform;
  if (!isRich) emulator.rich(404);
  // A bot can only write to people who have written to it.
  platform.say(platform.dm('alex'), 'hello');
  const channel = createTelegram({
    ...{ token: emulator.token, apiRoot: emulator.url, mode: 'polling', attachCommands: [], live: 'off' },
    ...{ pollSeconds: 5, log: silentLog() },
  });
  const listen = (listener: Listener) => {
    emulator.onMessage(({ from, text, isRich, entities }) => {
      if (from === 'bot') listener(isRich ? { text, blocks: JSON.parse(text) } : { text, entities });
    });
  };
  // A server that doesn't know the method says so once.
  const refused = () =>
    refusals(emulator.counters().statuses) - (isRich ? 0 : (emulator.counters().statuses['404'] ?? 0));
  const shown = async ({ text, blocks }: Came) => (blocks === undefined ? text : richShown(blocks));
  const name = isRich ? 'telegram' : 'telegram, plain';
  return shower(name, channel, platform.dm('alex').chat, listen, { shown, refused, close: () => platform.close() });
}

async function discord(): Promise<Shower> {
  const platform = await discordPlatform(KEEP);
  const { emulator } = platform;
  const channel = createDiscord({
    ...{ token: emulator.token, apiRoot: emulator.url, cdnRoot: emulator.cdn, threads: 'per-task', live: 'off' },
    ...{ archiveMinutes: 0, commands: [], cursors: { all: () => new Map(), set: () => undefined }, log: silentLog() },
  });
  const listen = (listener: Listener) => {
    emulator.onMessage(({ from, text }) => {
      if (from === 'bot') listener({ text });
    });
  };
  return shower('discord', channel, platform.dm('alex').chat, listen, {
    shown: async ({ text }) => readDiscord(text).shown,
    refused: () => refusals(emulator.counters().statuses),
    close: () => platform.close(),
  });
}

async function slack(): Promise<Shower> {
  const platform = await slackPlatform(KEEP);
  const { emulator } = platform;
  const channel = createSlack({
    ...{ botToken: emulator.botToken, appToken: emulator.appToken, mode: 'socket', apiRoot: emulator.url, live: 'off' },
    ...{ command: '/viber', commands: [], cursors: { all: () => new Map(), set: () => undefined }, log: silentLog() },
  });
  const listen = (listener: Listener) => {
    emulator.onMessage(({ from, shown, blocks }) => {
      if (from === 'bot') listener({ text: shown, blocks });
    });
  };
  return shower('slack', channel, platform.dm('alex').chat, listen, {
    shown: async ({ text }) => (await parseMarkdown(text)).text,
    refused: () => refusals(emulator.counters().statuses),
    close: () => platform.close(),
  });
}

export const openShowers = (): Promise<Shower[]> => Promise.all([telegram(true), telegram(false), discord(), slack()]);
