/** The methods that return information about the bot, its chats, commands and files. */
import fs from 'node:fs';
import path from 'node:path';
import type { BotCommand, BotCommandScope } from '@grammyjs/types';
import { badRequest } from './errors.ts';
import { DOWNLOAD_LIMIT } from './files.ts';
import { json, list, type Params, requiredInteger, text } from './params.ts';
import type { Method } from './platform.ts';

const getMe: Method = ({ world, privacy }) => ({
  ...world.bot,
  can_join_groups: true,
  can_read_all_group_messages: !privacy,
  supports_guest_queries: false,
  supports_inline_queries: false,
  can_connect_to_business: false,
  has_main_web_app: false,
  has_topics_enabled: false,
  allows_users_to_create_topics: false,
  can_manage_bots: false,
  supports_join_request_queries: false,
});

const getChat: Method = ({ world }, { params }) => {
  const { info } = world.botChat(params.values.chat_id);
  const gifts = { unlimited_gifts: true, limited_gifts: true, unique_gifts: true, premium_subscription: true };
  return {
    ...info,
    accent_color_id: 0,
    max_reaction_count: 11,
    accepted_gift_types: { ...gifts, gifts_from_channels: true },
    ...(info.type !== 'private' && { permissions: { can_send_messages: true, can_send_documents: true } }),
  };
};

const getChatMember: Method = ({ world }, { params }) => {
  const chat = world.botChat(params.values.chat_id);
  const id = requiredInteger(params, 'user_id');
  const user = world.users.get(id);
  if (!user) throw badRequest('user not found');
  if (id === world.bot.id && chat.muted)
    return { status: 'restricted', user, is_member: true, can_send_messages: false, until_date: 0 };
  if (id === world.bot.id) return { status: chat.bot, user };
  if (chat.info.type === 'private') {
    if (id !== chat.info.id) throw badRequest('PARTICIPANT_ID_INVALID');
    return { status: 'member', user };
  }
  const status = chat.members.get(id);
  if (!status) throw badRequest('PARTICIPANT_ID_INVALID');
  return { status, user };
};

const getFile: Method = ({ world }, { params }) => {
  const id = text(params, 'file_id');
  if (!id) throw badRequest('file_id not specified');
  const file = world.files.get(id);
  if (!file) throw badRequest('wrong file_id or the file is temporarily unavailable');
  if (world.localFolder !== undefined) {
    const kept = path.join(world.localFolder, file.path);
    fs.mkdirSync(path.dirname(kept), { recursive: true });
    fs.writeFileSync(kept, file.bytes ?? Buffer.alloc(file.size));
    return { file_id: file.id, file_unique_id: file.uniqueId, file_size: file.size, file_path: kept };
  }
  if (file.size > DOWNLOAD_LIMIT) throw badRequest('file is too big');
  return { file_id: file.id, file_unique_id: file.uniqueId, file_size: file.size, file_path: file.path };
};

/** Commands are stored for each pair of scope and language. */
function commandsKey(params: Params): string {
  const scope = json<BotCommandScope>(params, 'scope') ?? { type: 'default' };
  return `${JSON.stringify(scope)} ${text(params, 'language_code') ?? ''}`;
}

const setMyCommands: Method = ({ commands }, { params }) => {
  const given = list<BotCommand>(params, 'commands') ?? [];
  if (given.length > 100) throw badRequest('BOT_COMMANDS_TOO_MUCH');
  for (const { command, description } of given) {
    if (!/^[a-z0-9_]{1,32}$/.test(command ?? '')) throw badRequest('BOT_COMMAND_INVALID');
    const length = description?.length ?? 0;
    if (length < 1 || length > 256) throw badRequest('BOT_COMMAND_DESCRIPTION_INVALID');
  }
  commands.set(
    commandsKey(params),
    given.map(({ command, description }) => ({ command, description })),
  );
  return true;
};

export const infoMethods: Record<string, Method> = {
  getMe,
  getChat,
  getChatMember,
  getFile,
  setMyCommands,
  getMyCommands: ({ commands }, { params }) => commands.get(commandsKey(params)) ?? [],
  getUpdates: ({ updates, webhook }, { params, gone }) => {
    webhook.refusePolling();
    return updates.poll(params, gone);
  },
  setWebhook: ({ webhook }, { params }) => webhook.set(params),
  deleteWebhook: ({ webhook }, { params }) => webhook.remove(params),
  getWebhookInfo: ({ webhook }) => webhook.info(),
};
