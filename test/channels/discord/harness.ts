/** The adapter before an emulated Discord, with what it hands over written down. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type {
  Address,
  Attachment,
  Channel,
  ChannelCallbacks,
  InboundMessage,
  InboundOutcome,
  OutboundMessage,
  PartLedger,
  Suggestion,
  SuggestQuery,
} from '../../../src/channels/channel.ts';
import { createDiscord, type DiscordOptions, type Timing } from '../../../src/channels/discord/adapter.ts';
import { DeliveryError } from '../../../src/errors.ts';
import { silentLog } from '../../../src/log.ts';
import { type Discord, type DiscordOptions as PlatformOptions, startDiscord } from '../../emulators/discord.ts';
import { eventually } from '../../helpers/eventually.ts';

export { eventually };

export const ALEX = '2002';
export const BEA = '2003';

export const FAST: Partial<Timing> = { backoffMs: { min: 20, max: 200 }, identifyMs: 0, taskStateMs: 20 };

export interface Bench {
  discord: Discord;
  channel: Channel;
  /** What was handed over, in order. */
  got: { message: InboundMessage; raw: unknown }[];
  texts(): string[];
  dropped: string[];
  asked: SuggestQuery[];
  cursors: Map<string, string>;
  states: string[];
  /** Replaces what `onMessage` does after writing down; may reject. */
  storing(action: (message: InboundMessage) => Promise<InboundOutcome>): void;
  suggesting(action: (query: SuggestQuery) => Promise<Suggestion[]>): void;
  connect(): Promise<void>;
  /** The next message handed over that fits; waits at most 5 s. */
  takes(fits: (message: InboundMessage) => boolean): Promise<InboundMessage>;
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
  const got: Bench['got'] = [];
  const dropped: string[] = [];
  const asked: SuggestQuery[] = [];
  const states: string[] = [];
  let store: (message: InboundMessage) => Promise<InboundOutcome> = async ({ command, button, interaction }) =>
    interaction === undefined || command || button ? 'accepted' : 'begun';
  let suggest: (query: SuggestQuery) => Promise<Suggestion[]> = async () => [];
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
  const callbacks: ChannelCallbacks = {
    onMessage: (message, raw) => {
      got.push({ message, raw });
      return store(message);
    },
    onInterrupt: async () => undefined,
    onSuggest: (query) => {
      asked.push(query);
      return suggest(query);
    },
    onDropped: (kind) => void dropped.push(kind),
    onStatus: () => void states.push(channel.status().state),
  };
  onTestFinished(() => channel.disconnect());
  return {
    discord,
    channel,
    got,
    dropped,
    asked,
    cursors,
    states,
    texts: () => got.map(({ message }) => message.text),
    storing: (action) => {
      store = action;
    },
    suggesting: (action) => {
      suggest = action;
    },
    connect: () => channel.connect(callbacks),
    async takes(fits) {
      await eventually(() => got.some(({ message }) => fits(message)), fits.toString());
      const found = got.find(({ message }) => fits(message));
      if (!found) throw new Error('it was there');
      return found.message;
    },
    again: (more = {}) => benchOn(discord, { ...options, ...more }, cursors, cache),
  };
}

/** A ledger that remembers as the real one does. */
export function createLedger(
  key = 'o1',
): PartLedger & { sent: Map<number, string>; calls: number[]; unsure: Map<number, number> } {
  const sent = new Map<number, string>();
  const unsure = new Map<number, number>();
  const calls: number[] = [];
  return {
    sent,
    calls,
    unsure,
    async part(index, post) {
      const known = sent.get(index);
      if (known !== undefined) return known;
      calls.push(index);
      const uncertainSince = unsure.get(index);
      const startedAt = Date.now();
      try {
        const id = await post({ key: `${key}#${index}`, ...(uncertainSince !== undefined && { uncertainSince }) });
        sent.set(index, id);
        return id;
      } catch (error) {
        if (!(error instanceof DeliveryError) || error.ambiguous) unsure.set(index, uncertainSince ?? startedAt);
        throw error;
      }
    },
  };
}

export function answer(
  bench: Bench,
  rest: Partial<OutboundMessage> & { chat?: string; thread?: string } = {},
): OutboundMessage {
  const { discord, channel } = bench;
  const { chat = discord.rooms.general, thread, ...message } = rest;
  const address: Address = {
    channel: 'discord',
    account: channel.account,
    workspace: discord.guildId,
    chat,
    ...(thread !== undefined && { thread }),
  };
  return { id: 'o1', address, text: 'Hello', files: [], ...message };
}

export async function file(name: string, content: string | Buffer, mimeType = 'text/plain'): Promise<Attachment> {
  const stored = path.join(await mkdtemp(path.join(tmpdir(), 'discord-')), 'stored');
  await writeFile(stored, content);
  return { path: stored, name, mimeType, size: Buffer.byteLength(content), sha256: '0'.repeat(64) };
}
