/** The visible messages in the channels, and functions that wait for them. */
import { createWatching, type Watching } from '../base/transcript.ts';
import { until } from '../base/wait.ts';
import { LOADING } from './draft.ts';
import type { Platform } from './platform.ts';
import { compareIds } from './snowflake.ts';
import type { ChannelTranscript, ChannelView, ChatMessage, Ping, Wanted } from './types.ts';
import { viewChannel, viewMessage } from './view.ts';
import { channelOf, messageOf, SAID, type StoredMessage } from './world.ts';

export interface Transcript extends Omit<Watching<ChatMessage>, 'waitForAll'> {
  channel(channelId: string): ChannelTranscript;
  /** Returns every channel, thread and DM. */
  channels(): ChannelView[];
  message(channelId: string, messageId: string): ChatMessage;
  /** Waits by a condition that is plain data, and returns as many messages as were asked for. */
  wait(wanted: Wanted): Promise<ChatMessage[]>;
  /** Returns the bot's messages that notified somebody. */
  pings(): Ping[];
}

export function createTranscript(platform: Platform): Transcript {
  const { world, changes } = platform;
  let seq = 0;
  changes.on('message', (message: StoredMessage) => {
    seq += 1;
    message.seq = seq;
  });

  const view = (message: StoredMessage) => viewMessage(platform, message);

  function* all(channelId?: string): Generator<StoredMessage> {
    if (channelId !== undefined) return yield* world.channels.get(channelId)?.messages ?? [];
    for (const channel of world.channels.values()) yield* channel.messages;
  }

  function matcher(wanted: Wanted): (message: StoredMessage) => boolean {
    const { channel, from, text, pattern, after, deferred, system } = wanted;
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

  /** Describes the current state, for the error of a wait that failed. */
  function describe(channelId?: string): string {
    const last = [...all(channelId)].slice(-5);
    return `last said: ${JSON.stringify(last.map(({ authorId, content, flags }) => ({ authorId, content, flags })))}`;
  }

  const { waitForAll: _, ...watching } = createWatching<StoredMessage, ChatMessage>({
    changes,
    all: () => [...all()],
    view,
    line: ({ channelId, from, text }) => `${channelId} ${from}: ${text}`,
    seq: () => seq,
  });

  return {
    ...watching,
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
        const isLast = (message: StoredMessage) => fits(message) && isEnough();
        await until<StoredMessage>(changes, 'message', isLast, timeoutMs, () => describe(channel));
      }
      return found().slice(0, count).map(view);
    },
    pings() {
      const own = [...all()].filter((each) => each.authorId === world.bot.id && each.seenBy === null);
      const loud = own.filter(({ pinged }) => pinged.everyone || pinged.users.length > 0 || pinged.roles.length > 0);
      return loud.map(({ id, channelId, pinged }) => ({ messageId: id, channelId, ...pinged }));
    },
  };
}
