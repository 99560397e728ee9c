/**
 * Accepts given updates unchanged: their chats, people, messages, topics and files become part of the platform, as if
 * the events had happened here, so that a bot can answer, edit, reply and download.
 */
import type { Chat, Message, User } from '@grammyjs/types';
import { DOWNLOAD_LIMIT, type RemoteKind, uploadOf } from './files.ts';
import type { ChatState } from './state.ts';
import type { World } from './world.ts';

const KINDS: RemoteKind[] = ['photo', 'document', 'audio', 'voice', 'video', 'video_note', 'animation', 'sticker'];

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Makes every file of the message available; without stored content, with as many bytes as it declares. */
function absorbFiles(world: World, kind: RemoteKind, value: unknown): void {
  if (Array.isArray(value)) for (const item of value) absorbFiles(world, kind, item);
  if (!isObject(value) || typeof value.file_id !== 'string') return;
  const size = typeof value.file_size === 'number' ? value.file_size : 0;
  if (world.files.get(value.file_id)) return;
  const bytes = Buffer.alloc(size > DOWNLOAD_LIMIT ? 0 : size, 'x');
  const name = typeof value.file_name === 'string' ? value.file_name : '';
  const mimeType = typeof value.mime_type === 'string' ? value.mime_type : 'application/octet-stream';
  world.files.add(kind, uploadOf(name, bytes, mimeType), { size, id: value.file_id });
}

function absorbChat(world: World, chat: unknown): ChatState | undefined {
  if (!isObject(chat) || typeof chat.id !== 'number' || typeof chat.type !== 'string') return undefined;
  const state = world.chats.get(chat.id) ?? world.addChat(chat as unknown as Chat);
  state.started = true;
  return state;
}

function absorbUser(world: World, user: unknown): void {
  if (isObject(user) && typeof user.id === 'number' && !world.users.has(user.id))
    world.addUser(user as unknown as User);
}

function absorbMessage(world: World, value: unknown): void {
  if (!isObject(value) || typeof value.message_id !== 'number') return;
  const chat = absorbChat(world, value.chat);
  // An inaccessible message (date 0) has no content.
  if (!chat || value.date === 0) return;
  const wire = value as unknown as Message;
  absorbUser(world, wire.from);
  absorbMessage(world, wire.reply_to_message);
  if (wire.forum_topic_created) {
    chat.topics.set(wire.message_id, { name: wire.forum_topic_created.name, closed: false, root: wire });
  }
  for (const kind of KINDS) absorbFiles(world, kind, value[kind]);
  const known = chat.messages.get(wire.message_id);
  if (known) {
    known.wire = wire;
    known.edits += wire.edit_date === undefined ? 0 : 1;
    world.changed(known);
    return;
  }
  world.reserveId(chat, wire.message_id);
  world.store(chat, wire, { byBot: wire.from?.id === world.bot.id });
}

/** Accepts everything in an update except memberships. Skips unknown kinds. */
export function absorb(world: World, update: Record<string, unknown>): void {
  for (const [kind, value] of Object.entries(update)) {
    // Chats of business accounts aren't chats with the bot.
    if (!isObject(value) || kind.includes('business')) continue;
    absorbUser(world, value.from);
    if (kind === 'callback_query') absorbMessage(world, value.message);
    else if (value.message_id !== undefined && kind !== 'message_reaction') absorbMessage(world, value);
    else if (kind !== 'chat_join_request') absorbChat(world, value.chat);
    if (kind === 'callback_query' && typeof value.id === 'string' && isObject(value.from)) {
      const query = { id: value.id, from: Number(value.from.id), data: String(value.data ?? ''), at: Date.now() };
      world.queries.set(value.id, query);
    }
  }
}
