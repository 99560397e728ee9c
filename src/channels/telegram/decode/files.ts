/** Reads the files of a message, as names and IDs; it fetches nothing. https://core.telegram.org/bots/api#message */
import type { RemoteFile } from '../../channel.ts';
import { fileName, mediaType } from '../../shared/file-facts.ts';
import { type Fields, fields, fieldsList, integer, string } from '../../shared/read.ts';
import { readRichMedia } from './rich.ts';

interface FileKind {
  kind: RemoteFile['kind'];
  /** The name for files that have none of their own. */
  name: string;
  mimeType: string;
}

/**
 * The fields of a message, or of a block of a rich one, that hold a file; the most specific first, because an animation
 * is also under `document`.
 */
const KINDS = new Map<string, FileKind>([
  ['animation', { kind: 'animation', name: 'animation.mp4', mimeType: 'video/mp4' }],
  ['document', { kind: 'document', name: 'document', mimeType: 'application/octet-stream' }],
  ['audio', { kind: 'audio', name: 'audio.mp3', mimeType: 'audio/mpeg' }],
  ['voice', { kind: 'voice', name: 'voice.ogg', mimeType: 'audio/ogg' }],
  ['voice_note', { kind: 'voice', name: 'voice.ogg', mimeType: 'audio/ogg' }],
  ['video', { kind: 'video', name: 'video.mp4', mimeType: 'video/mp4' }],
  // A round video is spoken, not filmed: its words count.
  ['video_note', { kind: 'voice', name: 'video-message.mp4', mimeType: 'video/mp4' }],
]);

/** Returns at most one file, since the parts of an album are separate messages; a rich message may hold several. */
export function readFiles(message: Fields): RemoteFile[] {
  return [message, ...readRichMedia(message)].flatMap(readFile);
}

function readFile(holder: Fields): RemoteFile[] {
  for (const [key, kind] of KINDS) {
    const body = fields(holder, key);
    const file = body && remoteFile(body, kind);
    if (file) return [file];
  }
  const photo = largest(fieldsList(holder, 'photo'));
  const sticker = fields(holder, 'sticker');
  const file =
    (photo && remoteFile(photo, { kind: 'photo', name: 'photo.jpg', mimeType: 'image/jpeg' })) ??
    (sticker && remoteFile(sticker, stickerKind(sticker)));
  return file ? [file] : [];
}

function remoteFile(body: Fields, { kind, name, mimeType }: FileKind): RemoteFile | undefined {
  const id = string(body, 'file_id');
  if (!id) return undefined;
  const size = integer(body, 'file_size');
  const seconds = integer(body, 'duration');
  const key = string(body, 'file_unique_id');
  return {
    id,
    ...(key && { key }),
    name: fileName(string(body, 'file_name')) ?? name,
    mimeType: mediaType(string(body, 'mime_type')) ?? mimeType,
    ...(size !== undefined && size >= 0 && { size }),
    ...((kind === 'voice' || kind === 'audio') && seconds !== undefined && seconds >= 0 && { seconds }),
    kind,
  };
}

function largest(sizes: Fields[]): Fields | undefined {
  const area = (size: Fields) => (integer(size, 'width') ?? 0) * (integer(size, 'height') ?? 0);
  return sizes.reduce<Fields | undefined>((best, size) => (best && area(best) > area(size) ? best : size), undefined);
}

function stickerKind(sticker: Fields): FileKind {
  if (sticker.is_video === true) return { kind: 'sticker', name: 'sticker.webm', mimeType: 'video/webm' };
  if (sticker.is_animated === true)
    return { kind: 'sticker', name: 'sticker.tgs', mimeType: 'application/x-tgsticker' };
  return { kind: 'sticker', name: 'sticker.webp', mimeType: 'image/webp' };
}
