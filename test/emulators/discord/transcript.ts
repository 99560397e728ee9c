/** What is to be seen in the channels, and waiting for it. */
import { until } from '../wait.ts';
import { LOADING } from './draft.ts';
import type { Platform } from './platform.ts';
import { compareIds } from './snowflake.ts';
import type { ChannelTranscript, ChannelView, ChatMessage, Ping, Wanted } from './types.ts';
import { viewChannel, viewMessage } from './view.ts';
import { channelOf, messageOf, SAID, type StoredMessage } from './world.ts';

export interface Transcript {
  channel(channelId: string): ChannelTranscript;
  channels(): ChannelView[];
  message(channelId: string, messageId: string): ChatMessage;
  wait(wanted: Wanted): Promise<ChatMessage[]>;
  waitFor(fits: (message: ChatMessage) => boolean, timeoutMs?: number): Promise<ChatMessage>;
  changesSince(seq: number, timeoutMs?: number): Promise<{ seq: number; messages: ChatMessage[] }>;
  onMessage(listener: (message: ChatMessage) => void): () => void;
  pings(): Ping[];
}

/** Changes that are remembered for `changesSince`. */
const KEEP = 50_000;

export function createTranscript(platform: Platform): Transcript {
  const { world, changes } = platform;
  let log: { seq: number; message: StoredMessage }[] = [];
  let seq = 0;
  changes.on('message', (message: StoredMessage) => {
    seq += 1;
    log.push({ seq, message });
    if (log.length > KEEP * 1.2) log = log.slice(-KEEP);
  });

  const view = (message: StoredMessage) => viewMessage(platform, message);

  function* all(channelId?: string): Generator<StoredMessage> {
    if (channelId !== undefined) return yield* world.channels.get(channelId)?.messages ?? [];
    for (const channel of world.channels.values()) yield* channel.messages;
  }

  function matcher({
    channel,
    from,
    text,
    pattern,
    after,
    deferred,
    system,
  }: Wanted): (message: StoredMessage) => boolean {
    const expression = pattern === undefined ? undefined : new RegExp(pattern, 'u');
    return (message) => {
      if (channel !== undefined && message.channelId !== channel) return false;
      if (from !== undefined && message.authorId !== (from === 'bot' ? world.bot.id : from)) return false;
      if (after !== undefined && compareIds(message.id, after) <= 0) return false;
      if (!system && !SAID.has(message.type)) return false;
      if (!deferred && (message.flags & LOADING) !== 0) return false;
      return (text === undefined || message.content.includes(text)) && (expression?.test(message.content) ?? true);
    };
  }

  /** What there is, for the error of a wait that ends in vain. */
  function describe(channelId?: string): string {
    const last = [...all(channelId)].slice(-5);
    return `last said: ${JSON.stringify(last.map(({ authorId, content, flags }) => ({ authorId, content, flags })))}`;
  }

  return {
    channel(channelId) {
      const channel = channelOf(world, channelId);
      return { ...viewChannel(channel), messages: channel.messages.map(view), deleted: [...channel.deleted] };
    },
    channels: () => [...world.channels.values()].map(viewChannel),
    message: (channelId, messageId) => view(messageOf(world, channelId, messageId)),
    async wait(wanted) {
      const { channel, count = 1, timeoutMs = 60_000 } = wanted;
      const fits = matcher(wanted);
      const found = () => [...all(channel)].filter(fits);
      const isEnough = () => found().length >= count;
      if (!isEnough()) {
        await until<StoredMessage>(
          changes,
          'message',
          (message) => fits(message) && isEnough(),
          timeoutMs,
          () => describe(channel),
        );
      }
      return found().slice(0, count).map(view);
    },
    async waitFor(fits, timeoutMs = 60_000) {
      for (const message of all()) {
        const shown = view(message);
        if (fits(shown)) return shown;
      }
      const found = await until<StoredMessage>(changes, 'message', (each) => fits(view(each)), timeoutMs, describe);
      return view(found);
    },
    async changesSince(since, timeoutMs = 0) {
      if (seq <= since && timeoutMs > 0) {
        await until(
          changes,
          'message',
          () => true,
          timeoutMs,
          () => '',
        ).catch(() => 'nothing new is an answer as well');
      }
      const fresh = new Set(log.filter((each) => each.seq > since).map((each) => each.message));
      return { seq, messages: [...fresh].map(view) };
    },
    onMessage(listener) {
      const heard = (message: StoredMessage) => listener(view(message));
      changes.on('message', heard);
      return () => void changes.off('message', heard);
    },
    pings() {
      const own = [...all()].filter((each) => each.authorId === world.bot.id && each.seenBy === null);
      const loud = own.filter(({ pinged }) => pinged.everyone || pinged.users.length > 0 || pinged.roles.length > 0);
      return loud.map(({ id, channelId, pinged }) => ({ messageId: id, channelId, ...pinged }));
    },
  };
}
