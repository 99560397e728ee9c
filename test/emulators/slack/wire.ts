/** Renders the platform's records as the API and the events contain them. */
import type { ChannelState, Json, Stored, StoredFile } from './state.ts';
import type { SlackUser } from './types.ts';

/** Renders a file as in messages and files.info. `base` is the address from which files are downloaded. */
export function wireFile(file: StoredFile, base: string, team: string): Json {
  const path = `${base}/files-pri/${team}-${file.id}`;
  const name = encodeURIComponent(file.name);
  const where = (kind: string) => [...file.channels].filter(([, each]) => each === kind).map(([id]) => id);
  return {
    id: file.id,
    created: file.created,
    timestamp: file.created,
    name: file.name,
    title: file.title,
    mimetype: file.mimeType,
    filetype: /\.(\w+)$/.exec(file.name)?.[1]?.toLowerCase() ?? 'binary',
    user: file.user,
    user_team: team,
    editable: false,
    size: file.size,
    mode: 'hosted',
    is_external: false,
    is_public: [...file.channels.values()].includes('channel'),
    public_url_shared: false,
    url_private: `${path}/${name}`,
    url_private_download: `${path}/download/${name}`,
    permalink: `${base}/files/${file.user}/${file.id}/${name}`,
    has_rich_preview: false,
    file_access: 'visible',
    channels: where('channel'),
    groups: [...where('group'), ...where('mpim')],
    ims: where('im'),
    ...file.extra,
  };
}

/** Returns what a thread's first message says about its replies. */
function threadFields(replies: Stored[], root: Stored): Json {
  const live = replies.filter((reply) => !reply.deleted && reply.ephemeralFor === undefined);
  const newest = live.at(-1);
  if (!newest) return root.subtype === 'assistant_app_thread' ? { thread_ts: root.ts } : {};
  const users = [...new Set(live.map((reply) => reply.user))];
  return {
    thread_ts: root.ts,
    reply_count: live.length,
    reply_users_count: users.length,
    latest_reply: newest.ts,
    reply_users: users.slice(0, 5),
    is_locked: false,
    subscribed: false,
  };
}

export interface WireOptions {
  base: string;
  team: string;
  botName: string;
  metadata?: boolean;
}

/** Renders a message as in the history and in events. */
export function wireMessage(channel: ChannelState, stored: Stored, options: WireOptions): Json {
  const { base, team, botName } = options;
  const subtype = stored.subtype ?? (stored.broadcast ? 'thread_broadcast' : undefined);
  const files = stored.files.map((file) => wireFile(file, base, team));
  return {
    type: 'message',
    ...(subtype && { subtype }),
    user: stored.user,
    ...(stored.botId && {
      bot_id: stored.botId,
      app_id: stored.appId,
      bot_profile: { id: stored.botId, app_id: stored.appId, name: botName, team_id: team, deleted: false },
    }),
    ts: stored.ts,
    ...(!stored.botId && subtype === undefined && { client_msg_id: `client-${stored.ts}` }),
    text: stored.text,
    team,
    ...(stored.blocks.length > 0 && { blocks: stored.blocks }),
    ...(stored.attachments.length > 0 && { attachments: stored.attachments }),
    ...(files.length > 0 && { files, upload: false }),
    ...(stored.edited && { edited: stored.edited }),
    ...(stored.threadTs !== undefined && {
      thread_ts: stored.threadTs,
      parent_user_id: channel.messages.get(stored.threadTs)?.user,
    }),
    ...threadFields(channel.threads.get(stored.ts) ?? [], stored),
    ...(stored.reactions.size > 0 && {
      reactions: [...stored.reactions].map(([name, users]) => ({ name, users: [...users], count: users.size })),
    }),
    ...(options.metadata && stored.metadata && { metadata: stored.metadata }),
  };
}

export function wireChannel(channel: ChannelState, botId: string): Json {
  const common = {
    id: channel.id,
    created: channel.created,
    is_archived: channel.archived,
    ...(channel.readOnly && { is_read_only: true }),
  };
  const other = [...channel.members].find((id) => id !== botId);
  if (channel.kind === 'im') return { ...common, is_im: true, user: other, is_org_shared: false };
  return {
    ...common,
    name: channel.name,
    name_normalized: channel.name,
    is_channel: channel.kind === 'channel',
    is_group: channel.kind === 'group',
    is_im: false,
    is_mpim: channel.kind === 'mpim',
    is_private: channel.kind !== 'channel',
    is_general: channel.name === 'general',
    is_member: channel.members.has(botId),
    is_shared: false,
    is_ext_shared: false,
    num_members: channel.members.size,
  };
}

export function wireUser(user: SlackUser, team: string): Json {
  return {
    id: user.id,
    team_id: team,
    name: user.name,
    deleted: false,
    real_name: user.realName,
    tz: 'Europe/Berlin',
    profile: { real_name: user.realName, display_name: user.name, team },
    is_bot: user.isBot,
    is_app_user: false,
    is_restricted: false,
    is_ultra_restricted: false,
  };
}
