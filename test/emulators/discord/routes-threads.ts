/** Threads and the channels they are in. https://discord.com/developers/docs/resources/channel */
import { invalid, refuse, wrongChoice } from './errors.ts';
import { type Fields, flag, integer, text, textBetween } from './fields.ts';
import { join } from './messages.ts';
import { demand, may } from './permissions.ts';
import { emit, type Platform } from './platform.ts';
import { channelObject } from './render.ts';
import { type Call, created, type Routes } from './route.ts';
import { textChannel } from './routes-messages.ts';
import { changeThread, deleteChannel, openThread } from './threads.ts';
import { channelOf, DM, isThread, messageOf, PRIVATE_THREAD, PUBLIC_THREAD, type StoredChannel } from './world.ts';

const DURATIONS = [60, 1440, 4320, 10_080];

function duration(fields: Fields): number | undefined {
  const value = integer(fields, 'auto_archive_duration');
  if (value !== null && !DURATIONS.includes(value)) throw wrongChoice('auto_archive_duration', DURATIONS);
  return value ?? undefined;
}

function threadIn({ platform, params }: Call) {
  const channel = channelOf(platform.world, params.id ?? '');
  demand(platform.world, channel);
  if (!isThread(channel)) throw refuse(50_024);
  return channel;
}

function start(call: Call, messageId: string | undefined): unknown {
  const { platform, body } = call;
  const { world } = platform;
  const parent = textChannel(call);
  if (parent.type === DM) throw refuse(50_024);
  const name = textBetween(body.fields, 'name', 1, 100).trim();
  if (name === '') throw invalid('name', 'BASE_TYPE_REQUIRED', 'This field is required');
  const wanted = integer(body.fields, 'type') ?? PRIVATE_THREAD;
  const type = messageId === undefined ? wanted : PUBLIC_THREAD;
  if (type !== PUBLIC_THREAD && type !== PRIVATE_THREAD) throw wrongChoice('type', [10, 11, 12]);
  demand(world, parent, type === PUBLIC_THREAD ? 'CreatePublicThreads' : 'CreatePrivateThreads');
  const autoArchiveDuration = duration(body.fields);
  const message = messageId === undefined ? undefined : messageOf(world, parent.id, messageId);
  const thread = openThread(platform, parent, {
    name,
    ownerId: world.bot.id,
    type,
    ...(autoArchiveDuration && { autoArchiveDuration }),
    ...(message && { message }),
  });
  return channelObject(platform, thread);
}

function modifyThread(platform: Platform, channel: StoredChannel, fields: Fields): unknown {
  const { world } = platform;
  if (!isThread(channel)) throw refuse(50_024);
  const name = fields.name === undefined ? undefined : textBetween(fields, 'name', 1, 100).trim();
  const archived = flag(fields, 'archived') ?? undefined;
  const locked = flag(fields, 'locked') ?? undefined;
  const autoArchiveDuration = duration(fields);
  const { thread } = channel;
  const isManager = may(world, channel, 'ManageThreads');
  const onlyOpens = archived === false && Object.keys(fields).length === 1;
  // Anybody who may write there can reopen it. Everything else is for its owner, and locked threads are for managers.
  if (onlyOpens && !thread.locked) demand(world, channel, 'SendMessagesInThreads');
  else if (!isManager && (thread.ownerId !== world.bot.id || thread.locked || locked !== undefined))
    throw refuse(50_013);
  if (thread.archived && archived !== false) throw refuse(50_083);
  changeThread(platform, channel, world.bot.id, { name, archived, locked, autoArchiveDuration });
  return channelObject(platform, channel);
}

function modify(call: Call): unknown {
  const { platform, params, body } = call;
  const { world } = platform;
  const channel = channelOf(world, params.id ?? '');
  demand(world, channel);
  if (channel.thread) return modifyThread(platform, channel, body.fields);
  if (channel.type === DM) throw refuse(50_003);
  demand(world, channel, 'ManageChannels');
  if (body.fields.name !== undefined) channel.name = textBetween(body.fields, 'name', 1, 100);
  if (body.fields.topic !== undefined) channel.topic = text(body.fields, 'topic', 1024);
  emit(platform, 'CHANNEL_UPDATE', channelObject(platform, channel), channel);
  return channelObject(platform, channel);
}

function member(call: Call, isAdded: boolean, user: string): void {
  const { platform } = call;
  const channel = threadIn(call);
  if (channel.thread.archived) throw refuse(50_083);
  const userId = user === '@me' ? platform.world.bot.id : user;
  if (!platform.world.users.has(userId)) throw refuse(10_013);
  if (user !== '@me') demand(platform.world, channel, isAdded ? 'SendMessagesInThreads' : 'ManageThreads');
  if (isAdded) join(platform, channel, userId);
  else channel.thread.members.delete(userId);
}

export const THREAD_ROUTES: Routes = {
  'GET /channels/:id': ({ platform, params }) => {
    const channel = channelOf(platform.world, params.id ?? '');
    demand(platform.world, channel);
    return channelObject(platform, channel);
  },
  'PATCH /channels/:id': modify,
  'DELETE /channels/:id': ({ platform, params }) => {
    const channel = channelOf(platform.world, params.id ?? '');
    if (channel.type !== DM) demand(platform.world, channel, channel.thread ? 'ManageThreads' : 'ManageChannels');
    const object = channelObject(platform, channel);
    if (channel.type !== DM) deleteChannel(platform, channel);
    return object;
  },
  'POST /channels/:id/messages/:message/threads': created((call) => start(call, call.params.message)),
  'POST /channels/:id/threads': created((call) => start(call, undefined)),
  'PUT /channels/:id/thread-members/:user': (call) => member(call, true, call.params.user ?? ''),
  'DELETE /channels/:id/thread-members/:user': (call) => member(call, false, call.params.user ?? ''),
};
