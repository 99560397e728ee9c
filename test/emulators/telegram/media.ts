/** The kinds of files in a message: the name and content of each kind's field. */
import type { Message } from '@grammyjs/types';
import type { Upload } from '../base/multipart.ts';
import { badRequest } from './errors.ts';
import { type FileStore, type RemoteKind, type StoredFile, uploadOf } from './files.ts';
import { imageSize } from './image.ts';

const PHOTO_BYTES = 10 * 1024 * 1024;
const TYPES: Record<string, string> = {
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
  pdf: 'application/pdf',
  zip: 'application/zip',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  mp4: 'video/mp4',
};

/** Returns the type that the platform derives from a file's name. */
export function typeOfName(name: string): string {
  return TYPES[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'application/octet-stream';
}

function base(file: StoredFile) {
  return { file_id: file.id, file_unique_id: file.uniqueId, file_size: file.size };
}

function named(file: StoredFile) {
  return { ...(file.name && { file_name: file.name }), mime_type: file.mimeType, ...base(file) };
}

// biome-ignore format: a row is a line
const CONTENT: Record<Exclude<RemoteKind, 'photo'>, (file: StoredFile) => Partial<Message>> = {
  document: (file) => ({ document: named(file) }),
  audio: (file) => ({ audio: { duration: 12, ...named(file) } }),
  voice: (file) => ({ voice: { duration: 3, mime_type: file.mimeType, ...base(file) } }),
  video: (file) => ({ video: { duration: 5, width: 640, height: 360, ...named(file) } }),
  video_note: (file) => ({ video_note: { duration: 5, length: 240, ...base(file) } }),
  // For backward compatibility, an animation also includes the same file as a document.
  animation: (file) => ({ animation: { duration: 2, width: 320, height: 240, ...named(file) }, document: named(file) }),
  sticker: (file) => ({ sticker: { width: 512, height: 512, emoji: '👍', type: 'regular', is_animated: false, is_video: false,...base(file) } }),
};

/** A photo comes in several sizes, the largest last; the smaller ones have other bytes than the original. */
function photoSizes(file: StoredFile, store: FileStore): Partial<Message> {
  const { width, height } = imageSize(file.head) ?? { width: 1280, height: 960 };
  const small = [90, 320].filter((side) => side < Math.max(width, height));
  const thumbnails = small.map((side) => {
    const scale = side / Math.max(width, height);
    const thumbnail = store.add('photo', uploadOf('', Buffer.from(`thumbnail ${side} of ${file.id}`), 'image/jpeg'));
    return { ...base(thumbnail), width: Math.ceil(width * scale), height: Math.ceil(height * scale) };
  });
  return { photo: [...thumbnails, { ...base(file), width, height }] };
}

/** Returns the fields of a message that contains `file` as `kind`. */
export function mediaContent(kind: RemoteKind, file: StoredFile, store: FileStore): Partial<Message> {
  return kind === 'photo' ? photoSizes(file, store) : CONTENT[kind](file);
}

/** Refuses files that can't be sent as `kind`. */
export function checkUpload(kind: RemoteKind, upload: Upload): void {
  if (upload.size === 0) throw badRequest('file must be non-empty');
  if (kind !== 'photo') return;
  if (upload.size > PHOTO_BYTES) {
    throw badRequest(
      `file of size ${upload.size} bytes is too big for a photo; the maximum size is ${PHOTO_BYTES} bytes`,
    );
  }
  const size = imageSize(upload.head);
  if (!size) throw badRequest('IMAGE_PROCESS_FAILED');
  const { width, height } = size;
  const isBad = width + height > 10_000 || Math.max(width, height) > 20 * Math.min(width, height);
  if (isBad) throw badRequest('PHOTO_INVALID_DIMENSIONS');
}
