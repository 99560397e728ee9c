/** Uploads in three steps (docs.slack.dev/messaging/working-with-files), and information about a file. */
import { type Args, integer, required, structure, text } from './args.ts';
import { checkBlocks } from './blocks.ts';
import { notify, ownDraft } from './compose.ts';
import { target, thread } from './conversation.ts';
import { ApiError, explained } from './errors.ts';
import type { Method } from './methods.ts';
import type { Platform } from './platform.ts';
import { type ChannelState, isRecord, type StoredFile } from './state.ts';
import { wireFile } from './wire.ts';
import { mimeOf } from './world.ts';

const announce: Method['run'] = (platform, args) => {
  const name = required(args, 'filename');
  const length = integer(args, 'length');
  if (length === undefined) throw explained('invalid_arguments', 'missing required field: length');
  if (length < 1) throw explained('invalid_arguments', 'must be greater than 0: length');
  if (platform.withheld !== undefined) throw new ApiError(platform.withheld);
  if (length > platform.uploadLimit) throw new ApiError('file_upload_size_restricted');
  const { world } = platform;
  const file = world.keepFile({ name, mimeType: mimeOf(name), user: world.bot.userId });
  file.size = length;
  return { upload_url: `${world.base}/upload/v1/${file.id}`, file_id: file.id };
};

/**
 * Throws ApiError `invalid_arguments`, or `file_not_found` for a file that is unknown, has no bytes, or was completed
 * before.
 */
function named(platform: Platform, args: Args): StoredFile[] {
  const list = structure(args, 'files');
  if (!Array.isArray(list) || list.length === 0) throw explained('invalid_arguments', 'missing required field: files');
  return list.map((entry: unknown) => {
    const file = isRecord(entry) ? platform.world.files.get(String(entry.id)) : undefined;
    if (file?.state !== 'uploaded' || file.user !== platform.world.bot.userId) {
      throw new ApiError('file_not_found');
    }
    if (isRecord(entry) && typeof entry.title === 'string') file.title = entry.title;
    return file;
  });
}

function share(platform: Platform, channel: ChannelState, args: Args, files: StoredFile[], threadTs?: string): void {
  const { world, events } = platform;
  const words = text(args, 'initial_comment') ?? '';
  const given = words === '' ? structure(args, 'blocks', 'invalid_blocks_format') : undefined;
  const blocks = given === undefined ? [] : checkBlocks(given, () => world.nextId('b'));
  // The platform fails here, although chat.postMessage accepts it.
  if (blocks.some((block) => block.type === 'markdown')) throw new ApiError('internal_error');
  const publish = () => {
    const stored = world.store(channel, {
      ...ownDraft(platform, words),
      blocks,
      files,
      threadTs,
      subtype: 'file_share',
    });
    notify(platform, stored, args);
    events.message(stored);
    for (const file of files) {
      const facts = { channel_id: channel.id, file_id: file.id, user_id: file.user, file: { id: file.id } };
      events.announce({ type: 'file_shared', ...facts, event_ts: world.nextTs() }, 'files:read', channel);
    }
  };
  // A separate job processes files: the message comes after the answer.
  setTimeout(publish, platform.shareDelayMs).unref();
}

const complete: Method['run'] = (platform, args) => {
  const files = named(platform, args);
  const id = text(args, 'channel_id') ?? text(args, 'channels');
  if (id !== undefined) {
    const channel = target(platform, { channel: id });
    share(platform, channel, args, files, thread(channel, args));
  }
  for (const file of files) file.state = 'complete';
  const { base, team } = platform.world;
  return { files: files.map((file) => wireFile(file, base, team.id)) };
};

function fileOf(platform: Platform, args: Args): StoredFile {
  const file = platform.world.files.get(required(args, 'file'));
  if (!file || file.state === 'announced') throw new ApiError('file_not_found');
  return file;
}

export const FILE_METHODS: Record<string, Method> = {
  'files.getUploadURLExternal': { scope: 'files:write', tier: 4, run: announce },
  'files.completeUploadExternal': { scope: 'files:write', tier: 4, run: complete },
  'files.info': {
    scope: 'files:read',
    tier: 4,
    run(platform, args) {
      const file = fileOf(platform, args);
      const { base, team, channels } = platform.world;
      const shares: Record<string, Record<string, object[]>> = { public: {}, private: {} };
      for (const id of file.channels.keys()) {
        const found = [...(channels.get(id)?.messages.values() ?? [])].filter((stored) => stored.files.includes(file));
        const kind = channels.get(id)?.kind === 'channel' ? 'public' : 'private';
        const where = found.map(({ ts, threadTs }) => ({ ts, ...(threadTs && { thread_ts: threadTs }) }));
        shares[kind] = { ...shares[kind], [id]: where };
      }
      return { file: { ...wireFile(file, base, team.id), shares }, comments: [] };
    },
  },
  'files.delete': {
    scope: 'files:write',
    tier: 3,
    run(platform, args) {
      const file = fileOf(platform, args);
      if (file.user !== platform.world.bot.userId) throw new ApiError('cant_delete_file');
      platform.world.files.delete(file.id);
      return {};
    },
  },
};
