/** The methods that send text, files, albums and drafts. */
import type { Message } from '@grammyjs/types';
import { badRequest } from './errors.ts';
import type { RemoteKind, StoredFile } from './files.ts';
import { checkUpload, mediaContent, typeOfName } from './media.ts';
import { flag, json, list, type Params, requiredInteger, text } from './params.ts';
import type { Method, Platform } from './platform.ts';
import { readRichMessage } from './rich.ts';
import { destination, post, prepare, topicOf } from './send.ts';
import type { ChatState } from './state.ts';
import { formattedText, messageText } from './text.ts';

interface MediaItem {
  type: string;
  media: unknown;
  [field: string]: unknown;
}

const ALBUM_KINDS: Record<string, RemoteKind> = {
  photo: 'photo',
  video: 'video',
  document: 'document',
  audio: 'audio',
};

/** Returns the file that a call names in `field`: uploaded with it, or one that the platform has. */
function fileOf(platform: Platform, params: Params, kind: RemoteKind, value: unknown, field: string): StoredFile {
  const { files } = platform.world;
  const attached = typeof value === 'string' && value.startsWith('attach://') ? value.slice('attach://'.length) : field;
  const upload = params.files.get(attached);
  if (upload) {
    checkUpload(kind, upload);
    // The type that a client declares is ignored; the extension of the name decides.
    return files.add(kind, { ...upload, mimeType: typeOfName(upload.name) });
  }
  if (typeof value !== 'string' || value === '') throw badRequest(`there is no ${kind} in the request`);
  const known = files.get(value);
  if (known && known.kind !== kind) throw badRequest('type of file mismatch');
  if (known) return known;
  if (/^https?:/.test(value)) throw badRequest('failed to get HTTP URL content');
  throw badRequest('wrong file identifier/HTTP URL specified');
}

function captionOf(params: Params): { content: Partial<Message>; droppedEntities: number } {
  const caption = formattedText(params, 'caption', 1024);
  const entities = caption.entities.length > 0 ? { caption_entities: caption.entities } : {};
  return { content: caption.text ? { caption: caption.text, ...entities } : {}, droppedEntities: caption.dropped };
}

/**
 * The texts are TDLib's, `can_send_message_content` in MessagesManager.cpp. Admins and private chats have no such
 * limit.
 */
function demandRight(chat: ChatState, kind: RemoteKind): void {
  if (chat.bot === 'administrator' || !chat.withheld.has(kind)) return;
  throw badRequest(`not enough rights to send ${kind}s to the chat`);
}

function sendFile(kind: RemoteKind): Method {
  return (platform, { params }) => {
    const { to, keyboard } = prepare(platform.world, params);
    demandRight(to.chat, kind);
    const { content, droppedEntities } = captionOf(params);
    const file = fileOf(platform, params, kind, params.values[kind], kind);
    const media = mediaContent(kind, file, platform.world.files);
    return post(platform.world, to, { ...media, ...content }, { files: [file], droppedEntities, keyboard });
  };
}

function checkAlbum(items: MediaItem[]): void {
  if (items.length < 2) throw badRequest('an album must have 2-10 items');
  if (items.length > 10) throw badRequest('too many messages to send as an album');
  const kinds = new Set(items.map((item) => item?.type));
  for (const kind of kinds)
    if (!ALBUM_KINDS[kind]) throw badRequest("can't use the media of the specified type in the album");
  for (const kind of ['document', 'audio']) {
    if (kinds.has(kind) && kinds.size > 1) throw badRequest(`${kind} can't be mixed with other media types`);
  }
}

function sendMediaGroup(platform: Platform, { params }: { params: Params }): Message[] {
  const { world } = platform;
  const to = destination(world, params);
  const items = list<MediaItem>(params, 'media') ?? [];
  checkAlbum(items);
  // Everything is checked before anything is shown, so an album appears completely or not at all.
  const parts = items.map((item) => {
    const kind = ALBUM_KINDS[item.type] ?? 'document';
    demandRight(to.chat, kind);
    const caption = captionOf({ values: item, files: params.files });
    return { kind, caption, file: fileOf(platform, params, kind, item.media, '') };
  });
  const group = String(13_000_000_000 + world.seq());
  return parts.map(({ kind, caption, file }) => {
    const media = mediaContent(kind, file, world.files);
    const content = { media_group_id: group, ...media, ...caption.content };
    return post(world, to, content, { files: [file], droppedEntities: caption.droppedEntities });
  });
}

const sendMessage: Method = ({ world }, { params }) => {
  const { to, keyboard } = prepare(world, params);
  const { content, dropped } = messageText(params);
  return post(world, to, content, { droppedEntities: dropped, keyboard });
};

const sendRichMessage: Method = (platform, { params }) => {
  const { to, keyboard } = prepare(platform.world, params);
  const { message, source } = readRichMessage(json(params, 'rich_message'));
  return post(platform.world, to, { rich_message: message }, { richSource: source, keyboard });
};

/** Drafts are shown in private chats while an answer is being written, and disappear when it arrives. */
const sendMessageDraft: Method = ({ world }, { params }) => {
  const chat = world.botChat(params.values.chat_id);
  world.assertMayWrite(chat);
  if (chat.info.type !== 'private') throw badRequest('message drafts can be sent only to private chats');
  const thread = topicOf(chat, params);
  const id = requiredInteger(params, 'draft_id');
  if (id === 0) throw badRequest('DRAFT_ID_INVALID');
  const topic = thread === undefined ? {} : { thread };
  chat.draft = {
    id,
    text: formattedText(params, 'text', 4096).text,
    canStop: flag(params, 'can_stop'),
    ...topic,
    at: Date.now(),
  };
  return true;
};

const ACTIONS = new Set(
  'typing upload_photo record_video upload_video record_voice upload_voice upload_document choose_sticker find_location record_video_note upload_video_note'.split(
    ' ',
  ),
);

const sendChatAction: Method = ({ world }, { params }) => {
  const chat = world.botChat(params.values.chat_id);
  world.assertMayWrite(chat);
  const action = text(params, 'action') ?? '';
  if (!ACTIONS.has(action)) throw badRequest('wrong parameter action in request');
  if (chat.info.type === 'channel') throw badRequest("chat actions can't be sent to channels");
  const thread = topicOf(chat, params);
  chat.action = { action, ...(thread !== undefined && { thread }), at: Date.now() };
  return true;
};

export const sendMethods: Record<string, Method> = {
  sendMessage,
  sendRichMessage,
  sendMessageDraft,
  sendChatAction,
  sendPhoto: sendFile('photo'),
  sendDocument: sendFile('document'),
  sendAudio: sendFile('audio'),
  sendVoice: sendFile('voice'),
  sendVideo: sendFile('video'),
  sendAnimation: sendFile('animation'),
  sendMediaGroup,
};
