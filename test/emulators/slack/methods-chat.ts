/** chat.*: posts, edits and removes messages (docs.slack.dev/reference/methods). */
import { flag, required, text } from './args.ts';
import { metadataOf, notify, ownDraft, wordsOf } from './compose.ts';
import { joined, message, target, thread } from './conversation.ts';
import { ApiError } from './errors.ts';
import type { Method } from './methods.ts';
import type { Stored } from './state.ts';

const placeOf = (stored: Stored) => ({ ts: stored.ts, channel: stored.channel });

const postMessage: Method['run'] = (platform, args) => {
  const channel = target(platform, args);
  const words = wordsOf(platform, args);
  const metadata = metadataOf(args);
  const threadTs = thread(channel, args);
  const stored = platform.world.store(channel, {
    ...ownDraft(platform, words.text ?? ''),
    blocks: words.blocks ?? [],
    threadTs,
    metadata,
    broadcast: threadTs !== undefined && flag(args, 'reply_broadcast') === true,
    unfurlLinks: flag(args, 'unfurl_links'),
    unfurlMedia: flag(args, 'unfurl_media'),
  });
  const assistant = threadTs === undefined ? undefined : channel.assistants.get(threadTs);
  if (assistant) assistant.status = '';
  notify(platform, stored, args);
  platform.events.message(stored);
  return { ...placeOf(stored), message: platform.world.wire(stored, true) };
};

const update: Method['run'] = (platform, args) => {
  const channel = joined(platform, args);
  const stored = message(channel, required(args, 'ts'));
  if (!stored.byBot || stored.subtype === 'assistant_app_thread') throw new ApiError('cant_update_message');
  if (stored.streamedAt !== undefined) throw new ApiError('streaming_state_conflict');
  if (channel.archived) throw new ApiError('is_archived');
  const words = wordsOf(platform, args, true);
  const metadata = metadataOf(args);
  const previous = platform.world.wire(stored);
  if (words.text !== undefined) stored.text = words.text;
  // Blocks stay unless the call mentions them.
  stored.before = [...(stored.before ?? []), ...stored.blocks];
  if (words.blocks !== undefined) stored.blocks = words.blocks;
  if (metadata !== undefined) stored.metadata = metadata;
  stored.edited = { user: platform.world.bot.userId, ts: platform.world.nextTs() };
  stored.edits += 1;
  platform.world.changed(stored);
  platform.events.changed(stored, previous);
  return { ...placeOf(stored), text: stored.text, message: platform.world.wire(stored, true) };
};

const remove: Method['run'] = (platform, args) => {
  const channel = joined(platform, args);
  const stored = message(channel, required(args, 'ts'));
  if (!stored.byBot) throw new ApiError('cant_delete_message');
  const previous = platform.world.wire(stored);
  stored.deleted = true;
  platform.world.changed(stored);
  platform.events.removed(stored, previous);
  return placeOf(stored);
};

function change(add: boolean): Method['run'] {
  return (platform, args) => {
    const channel = joined(platform, args);
    const stored = message(channel, required(args, 'timestamp'));
    const name = text(args, 'name');
    if (name === undefined || !/^[a-z0-9_+'-]+(?:::skin-tone-[2-6])?$/.test(name)) throw new ApiError('invalid_name');
    const users = stored.reactions.get(name) ?? new Set<string>();
    const has = users.has(platform.world.bot.userId);
    if (add && has) throw new ApiError('already_reacted');
    if (!add && !has) throw new ApiError('no_reaction');
    if (add) users.add(platform.world.bot.userId);
    else users.delete(platform.world.bot.userId);
    if (users.size > 0) stored.reactions.set(name, users);
    else stored.reactions.delete(name);
    platform.world.changed(stored);
    return {};
  };
}

export const CHAT_METHODS: Record<string, Method> = {
  'chat.postMessage': { scope: 'chat:write', run: postMessage },
  'chat.update': { scope: 'chat:write', tier: 3, run: update },
  'chat.delete': { scope: 'chat:write', tier: 3, run: remove },
  'reactions.add': { scope: 'reactions:write', tier: 3, run: change(true) },
  'reactions.remove': { scope: 'reactions:write', tier: 2, run: change(false) },
};
