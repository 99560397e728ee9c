/** One message as a person sees it. */
import type { Message, MessageEntity } from '@grammyjs/types';
import type { RemoteKind } from './files.ts';
import type { Stored } from './state.ts';

export interface ShownFile {
  kind: RemoteKind;
  name: string;
  mimeType: string;
  size: number;
  sha256: string;
  fileId: string;
}

export interface ChatMessage {
  id: number;
  chat: number;
  thread?: number;
  /** `bot`, or the ID of the person (or chat) that sent it. */
  from: 'bot' | number;
  /** The text, the caption, or the source of a rich message. */
  text: string;
  entities: MessageEntity[];
  /** Entities that the bot sent and the platform silently left out. */
  droppedEntities: number;
  isRich: boolean;
  /** Whether a link in it is shown with a preview. */
  hasPreview: boolean;
  files: ShownFile[];
  /** Labels and data, row by row. */
  buttons: { text: string; data?: string; url?: string }[][];
  replyTo?: number;
  quote?: string;
  /** The same for all parts of an album. */
  album?: string;
  editedCount: number;
  deleted: boolean;
  reactions: string[];
  /** When it appeared, in milliseconds since the epoch. */
  at: number;
  /** The number of its newest change, across all chats. */
  seq: number;
}

function shownButtons(stored: Stored): ChatMessage['buttons'] {
  return (stored.wire.reply_markup?.inline_keyboard ?? []).map((row) =>
    row.map((button) => ({
      text: button.text,
      ...('callback_data' in button && { data: button.callback_data }),
      ...('url' in button && { url: button.url }),
    })),
  );
}

function hasPreview(wire: Message): boolean {
  const hasLink = wire.entities?.some((entity) => entity.type === 'url' || entity.type === 'text_link') ?? false;
  return hasLink && !wire.link_preview_options?.is_disabled;
}

/** Returns what a person sees of a message. */
export function view(stored: Stored): ChatMessage {
  const { wire, richSource } = stored;
  return {
    id: wire.message_id,
    chat: wire.chat.id,
    ...(wire.message_thread_id !== undefined && { thread: wire.message_thread_id }),
    from: stored.byBot ? 'bot' : (wire.sender_chat?.id ?? wire.from?.id ?? 0),
    text: richSource ?? wire.text ?? wire.caption ?? '',
    entities: wire.entities ?? wire.caption_entities ?? [],
    droppedEntities: stored.droppedEntities,
    isRich: wire.rich_message !== undefined,
    hasPreview: hasPreview(wire),
    files: stored.files.map(({ kind, name, mimeType, size, sha256, id }) => ({
      kind,
      name,
      mimeType,
      size,
      sha256,
      fileId: id,
    })),
    buttons: shownButtons(stored),
    ...(wire.reply_to_message && { replyTo: wire.reply_to_message.message_id }),
    ...(wire.quote && { quote: wire.quote.text }),
    ...(wire.media_group_id && { album: wire.media_group_id }),
    editedCount: stored.edits,
    deleted: stored.deleted,
    reactions: stored.reactions,
    at: stored.at,
    seq: stored.seq,
  };
}
