/** Messages: list, create, edit, delete, reactions. https://discord.com/developers/docs/resources/message */
import { amend, CREATE_FLAGS, compose } from './compose.ts';
import { invalid, refuse } from './errors.ts';
import { flag, isObject } from './fields.ts';
import { post, react, remove } from './messages.ts';
import { demand, may } from './permissions.ts';
import type { Platform } from './platform.ts';
import { readReference } from './reference.ts';
import { messageObject } from './render-message.ts';
import type { Call, Routes } from './route.ts';
import { compareIds, isSnowflake } from './snowflake.ts';
import { channelOf, DM, messageOf, type StoredChannel, type StoredMessage } from './world.ts';

/** Returns the channel of a call, which must accept messages and be visible to the bot. */
export function textChannel({ platform, params }: Call): StoredChannel {
  const channel = channelOf(platform.world, params.id ?? '');
  demand(platform.world, channel);
  if (channel.type === 4 || channel.type === 15) throw refuse(50_008);
  return channel;
}

/** Throws 50083 in an archived thread, where only deleting is possible. */
function demandOpen(channel: StoredChannel): void {
  if (channel.thread?.archived) throw refuse(50_083);
}

function mayPost(platform: Platform, channel: StoredChannel, uploads: number): void {
  const { world } = platform;
  demand(world, channel, channel.thread ? 'SendMessagesInThreads' : 'SendMessages');
  if (uploads > 0) demand(world, channel, 'AttachFiles');
  if (channel.type === DM && world.users.get(channel.recipientId ?? '')?.isClosed) throw refuse(50_007);
  if (channel.thread?.locked && channel.thread.archived) throw refuse(50_083);
  if (channel.thread?.locked && !may(world, channel, 'ManageThreads')) throw refuse(160_005);
}

/** Returns a message with this nonce that the bot created within the last minutes. */
function sameNonce({ nonces, settings }: Platform, nonce: string): StoredMessage | undefined {
  const known = nonces.get(nonce);
  return known && Date.now() - known.at < settings.nonceMs ? known.message : undefined;
}

function remember({ nonces, settings }: Platform, nonce: string, message: StoredMessage): void {
  nonces.delete(nonce);
  nonces.set(nonce, { message, at: Date.now() });
  for (const [key, { at }] of nonces) {
    if (Date.now() - at < settings.nonceMs) break;
    nonces.delete(key);
  }
}

function create(call: Call): unknown {
  const { platform, body } = call;
  const channel = textChannel(call);
  const isForward = isObject(body.fields.message_reference) && body.fields.message_reference.type === 1;
  const made = isForward ? undefined : compose(platform, channel.id, body, CREATE_FLAGS);
  mayPost(platform, channel, made?.draft.uploads ?? 0);
  const nonce = made?.draft.nonce ?? null;
  if (nonce !== null && flag(body.fields, 'enforce_nonce')) {
    const earlier = sameNonce(platform, String(nonce));
    if (earlier) return messageObject(platform, earlier, true);
  }
  const reference = readReference(platform, channel, body.fields);
  const message = post(platform, channel, { authorId: platform.world.bot.id, ...made?.facts(), ...reference });
  if (nonce !== null) remember(platform, String(nonce), message);
  return messageObject(platform, message, true);
}

/** Returns how many of a sorted list come before this ID. */
function countBefore(messages: StoredMessage[], id: string): number {
  let low = 0;
  let high = messages.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareIds(messages[middle]?.id ?? '', id) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function history(call: Call): unknown {
  const { platform, query } = call;
  const channel = textChannel(call);
  const limit = query.limit === undefined ? 50 : Number(query.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    const isLow = limit < 1;
    throw invalid(
      'limit',
      isLow ? 'NUMBER_TYPE_MIN' : 'NUMBER_TYPE_MAX',
      `int value should be ${isLow ? 'greater than or equal to 1' : 'less than or equal to 100'}.`,
    );
  }
  for (const key of ['before', 'after', 'around']) {
    if (query[key] !== undefined && !isSnowflake(query[key])) {
      throw invalid(key, 'NUMBER_TYPE_COERCE', `Value "${query[key]}" is not snowflake.`);
    }
  }
  // Without the right to read history, there is none to see.
  if (!may(platform.world, channel, 'ReadMessageHistory')) return [];
  const { messages } = channel;
  let [from, to] = [Math.max(0, messages.length - limit), messages.length];
  if (query.around !== undefined) {
    const middle = countBefore(messages, query.around);
    from = Math.max(0, middle - (limit >> 1));
    to = Math.min(messages.length, from + limit);
  } else if (query.after !== undefined) {
    from = countBefore(messages, query.after);
    if (messages[from]?.id === query.after) from += 1;
    to = Math.min(messages.length, from + limit);
  } else if (query.before !== undefined) {
    to = countBefore(messages, query.before);
    from = Math.max(0, to - limit);
  }
  const shown = messages.slice(from, to).filter((each) => each.seenBy === null);
  return shown.reverse().map((each) => messageObject(platform, each, platform.settings.messageContent));
}

/** Returns the message of a call. */
function messageIn(call: Call): { channel: StoredChannel; message: StoredMessage } {
  const channel = textChannel(call);
  const message = messageOf(call.platform.world, channel.id, call.params.message ?? '');
  if (message.seenBy !== null) throw refuse(10_008);
  return { channel, message };
}

function reaction(call: Call, isRemoved: boolean): void {
  const { platform, params } = call;
  const { channel, message } = messageIn(call);
  demandOpen(channel);
  if (!isRemoved) demand(platform.world, channel, 'ReadMessageHistory');
  const emoji = params.emoji ?? '';
  if (!/\p{Extended_Pictographic}|\p{Regional_Indicator}|⃣|^\w+:\d+$/u.test(emoji)) throw refuse(10_014);
  if (!isRemoved && !message.reactions.has(emoji)) demand(platform.world, channel, 'AddReactions');
  if (isRemoved && !message.reactions.get(emoji)?.has(platform.world.bot.id)) return;
  react(platform, message, emoji, platform.world.bot.id, isRemoved);
}

export const MESSAGE_ROUTES: Routes = {
  'GET /channels/:id/messages': history,
  'POST /channels/:id/messages': create,
  'GET /channels/:id/messages/:message': (call) => {
    const { channel, message } = messageIn(call);
    if (!may(call.platform.world, channel, 'ReadMessageHistory')) throw refuse(50_001);
    return messageObject(call.platform, message, call.platform.settings.messageContent);
  },
  'PATCH /channels/:id/messages/:message': (call) => {
    const { channel, message } = messageIn(call);
    if (message.authorId !== call.platform.world.bot.id) throw refuse(50_005);
    demandOpen(channel);
    if (call.body.uploads.size > 0) demand(call.platform.world, channel, 'AttachFiles');
    return messageObject(call.platform, amend(call.platform, message, call.body), true);
  },
  'DELETE /channels/:id/messages/:message': (call) => {
    const { channel, message } = messageIn(call);
    const { world } = call.platform;
    if (message.authorId !== world.bot.id) {
      if (channel.type === DM) throw refuse(50_003);
      demand(world, channel, 'ManageMessages');
    }
    remove(call.platform, channel, message.id);
  },
  'PUT /channels/:id/messages/:message/reactions/:emoji/@me': (call) => reaction(call, false),
  'DELETE /channels/:id/messages/:message/reactions/:emoji/@me': (call) => reaction(call, true),
  'POST /channels/:id/typing': (call) => {
    const channel = textChannel(call);
    demandOpen(channel);
    demand(call.platform.world, channel, channel.thread ? 'SendMessagesInThreads' : 'SendMessages');
    call.platform.typing.push({ channelId: channel.id, at: Date.now() });
    if (call.platform.typing.length > 10_000) call.platform.typing.splice(0, 5000);
  },
};
