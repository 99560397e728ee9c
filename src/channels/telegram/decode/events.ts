/**
 * Decodes events without text: a pressed button, members joining and leaving, a group that moved.
 * https://core.telegram.org/bots/api#callbackquery, #chatmemberupdated
 */

import type { Address, EntryKind, InboundMessage } from '../../channel.ts';
import { emptyMessage } from '../../channel.ts';
import { type Fields, fields, fieldsList, integer, string } from '../../shared/read.ts';
import { type Context, type DecodedUpdate, dropped, personName, readAddress, readUser } from './text.ts';

export function decodeButton(query: Fields, { bot, now }: Context): DecodedUpdate {
  const id = string(query, 'id');
  const user = fields(query, 'from');
  const sender = user && readUser(user);
  const data = string(query, 'data');
  const shown = fields(query, 'message');
  const chat = shown && fields(shown, 'chat');
  const chatId = chat && integer(chat, 'id');
  const messageId = shown && integer(shown, 'message_id');
  if (!id || !sender) return dropped('malformed');
  if (data === undefined) return dropped('callback_query.game');
  if (!shown || chatId === undefined || messageId === undefined) return dropped('callback_query.inline');
  const message: InboundMessage = {
    ...emptyMessage(),
    id: `c${id}`,
    kind: 'button',
    address: readAddress(shown, chatId, bot),
    sender,
    button: { id: data },
    messageId: String(messageId),
    isDirect: chat?.type === 'private',
    isMention: true,
    sentAt: now,
  };
  return { kind: 'message', message };
}

/**
 * Decodes a press of the stop button under a draft. It happens in a private chat, so the sender is the chat's person;
 * the thread it names is a topic.
 */
export function decodeStop(stopped: Fields, { bot, updateId, now }: Context): DecodedUpdate {
  const chat = fields(stopped, 'chat');
  const chatId = chat && integer(chat, 'id');
  const sender = chat && readUser({ ...chat, is_bot: false });
  if (chatId === undefined || chat?.type !== 'private' || !sender) return dropped('malformed');
  const message: InboundMessage = {
    ...emptyMessage(),
    id: `u${updateId}`,
    kind: 'command',
    address: readAddress({ ...stopped, is_topic_message: true }, chatId, bot),
    sender,
    text: '/stop',
    command: { name: 'stop', args: '' },
    messageId: '',
    isDirect: true,
    isMention: true,
    sentAt: now,
  };
  return { kind: 'message', message };
}

export function decodeMembership(change: Fields, { bot, updateId, now }: Context): DecodedUpdate {
  const chat = fields(change, 'chat');
  const chatId = chat && integer(chat, 'id');
  const user = fields(change, 'from');
  const sender = user && readUser(user);
  if (chatId === undefined || !sender) return dropped('malformed');
  const status = (key: string) =>
    /^[a-z_]{1,20}$/.exec(string(fields(change, key) ?? {}, 'status') ?? '')?.[0] ?? 'unknown';
  const date = integer(change, 'date');
  const message: InboundMessage = {
    ...emptyMessage(),
    id: `u${updateId}`,
    kind: 'membership',
    address: readAddress({}, chatId, bot),
    sender,
    facts: [`This bot: ${status('old_chat_member')} -> ${status('new_chat_member')}`],
    messageId: '',
    isDirect: chat?.type === 'private',
    sentAt: date ? date * 1000 : now,
  };
  return { kind: 'message', message };
}

/** Decodes membership and migration events inside messages; returns undefined for any other message. */
export function decodeService(body: Fields, base: InboundMessage, context: Context): DecodedUpdate | undefined {
  const joined = fieldsList(body, 'new_chat_members').map(member);
  if (joined.length > 0) return service(base, 'membership', `Joined: ${joined.slice(0, 50).join(', ')}`);
  const left = fields(body, 'left_chat_member');
  if (left) return service(base, 'membership', `Left: ${member(left)}`);
  const to = integer(body, 'migrate_to_chat_id');
  if (to !== undefined) return migration(base, base.address, { ...base.address, chat: String(to) });
  const from = integer(body, 'migrate_from_chat_id');
  if (from === undefined) return undefined;
  // Message IDs of the new chat are meaningless in the old one, where this event belongs.
  return migration({ ...base, id: `u${context.updateId}` }, { ...base.address, chat: String(from) }, base.address);
}

function service(base: InboundMessage, kind: EntryKind, fact: string): DecodedUpdate {
  return { kind: 'message', message: { ...base, kind, facts: [fact] } };
}

function migration(base: InboundMessage, from: Address, to: Address): DecodedUpdate {
  const { thread: _from, ...address } = from;
  const { thread: _to, ...movedTo } = to;
  const facts = [`The group ${address.chat} has become ${movedTo.chat}`];
  return { kind: 'message', message: { ...base, kind: 'migration', address, movedTo, facts } };
}

function member(user: Fields): string {
  return `${personName(user)} (${integer(user, 'id') ?? '?'})`;
}
