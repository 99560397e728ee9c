/** Files that people send, alone or as an album. */
import type { Message } from '@grammyjs/types';
import { DOWNLOAD_LIMIT, type RemoteKind, uploadOf } from './files.ts';
import { mediaContent, typeOfName } from './media.ts';
import { captionContent, type Said, type Voice } from './voice.ts';
import type { World } from './world.ts';

export interface SentFile extends Omit<Said, 'text' | 'entities'> {
  name?: string;
  /** `document` by default. */
  kind?: RemoteKind;
  mimeType?: string;
  caption?: string;
  /** The content as bytes, as text, or as base64. */
  bytes?: Uint8Array;
  text?: string;
  base64?: string;
  /** The size that is declared to the bot. Without content, that many zero bytes are served. */
  size?: number;
}

export interface PeopleFiles {
  /** Sets the content of the file with that ID, as an update sent by `sendUpdate` names it. */
  hold(fileId: string, file: SentFile): void;
  sendFile(chat: number, file: SentFile): Message;
  /** Sends two to ten files as one album: one message each, with a common `media_group_id`. */
  sendAlbum(
    chat: number,
    files: SentFile[],
    options?: Pick<SentFile, 'from' | 'thread' | 'caption' | 'replyTo'>,
  ): Message[];
}

function contentOf(file: SentFile): Buffer {
  if (file.bytes) return Buffer.from(file.bytes);
  if (file.text !== undefined) return Buffer.from(file.text);
  if (file.base64 !== undefined) return Buffer.from(file.base64, 'base64');
  // A file that is too large to be fetched needs no bytes.
  const size = file.size ?? 0;
  return Buffer.alloc(size > DOWNLOAD_LIMIT ? 0 : size);
}

const DEFAULT_NAMES: Partial<Record<RemoteKind, string>> = {
  document: 'file.txt',
  photo: '',
  voice: '',
  video_note: '',
};

export function createPeopleFiles(world: World, voice: Voice): PeopleFiles {
  function send(chat: number, file: SentFile, extra: Partial<Message>): Message {
    const kind = file.kind ?? 'document';
    const name = file.name ?? DEFAULT_NAMES[kind] ?? '';
    const mimeType = file.mimeType ?? (kind === 'voice' ? 'audio/ogg' : typeOfName(name));
    const stored = world.files.add(kind, uploadOf(name, contentOf(file), mimeType), { size: file.size });
    const media = mediaContent(kind, stored, world.files);
    const content = { ...extra, ...media, ...captionContent(file.caption) };
    return voice.put(world.openChat(chat), content, file, { files: [stored] });
  }
  return {
    hold(fileId, file) {
      const name = file.name ?? '';
      const upload = uploadOf(name, contentOf(file), file.mimeType ?? typeOfName(name));
      world.files.add(file.kind ?? 'document', upload, { size: file.size, id: fileId });
    },
    sendFile: (chat, file) => send(chat, file, {}),
    sendAlbum(chat, files, options = {}) {
      const { caption, ...common } = options;
      const group = { media_group_id: String(13_900_000_000 + world.seq()) };
      // An album's caption belongs to its first part.
      return files.map((file, index) => {
        const own = index === 0 && caption !== undefined ? { caption } : {};
        return send(chat, { ...common, ...own, ...file }, group);
      });
    },
  };
}
