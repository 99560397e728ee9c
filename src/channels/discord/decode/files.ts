/**
 * Reads the files of a message, as names and URLs; it fetches nothing.
 * https://discord.com/developers/docs/resources/message#attachment-object
 */
import type { RemoteFile } from '../../channel.ts';
import { fileName, mediaType } from '../../shared/file-facts.ts';
import { type Fields, fieldsList, integer, string } from '../../shared/read.ts';
import { mediaOf } from './cards.ts';
import { isVoice } from './facts.ts';
import { id } from './read.ts';

const MAX_FILES = 10;

/** Reads the files. A file's ID is its signed URL, which works for a day and can be signed again. */
export function readFiles(message: Fields): RemoteFile[] {
  const isSpoken = isVoice(message);
  const attached = fieldsList(message, 'attachments');
  const shown = mediaOf(message).filter((one) => attached.every((other) => other.id !== one.id));
  const files = [...attached, ...shown].map((body) => remoteFile(body, isSpoken));
  return files.filter((file) => file !== undefined).slice(0, MAX_FILES);
}

function remoteFile(body: Fields, isSpoken: boolean): RemoteFile | undefined {
  const url = string(body, 'url');
  if (!url || url.length > 2000) return undefined;
  const size = integer(body, 'size');
  const key = id(body, 'id');
  const mimeType = mediaType(string(body, 'content_type')) ?? 'application/octet-stream';
  return {
    id: url,
    ...(key !== undefined && { key }),
    name: fileName(wholeName(string(body, 'title'), string(body, 'filename'))) ?? 'file',
    mimeType,
    ...(size !== undefined && size >= 0 && { size }),
    ...lengthOf(body),
    kind: isSpoken ? 'voice' : mediaKind(mimeType),
  };
}

/** Returns the length of voice messages and some other recordings. */
function lengthOf({ duration_secs: seconds }: Fields): { seconds?: number } {
  return typeof seconds === 'number' && seconds >= 0 && Number.isFinite(seconds) ? { seconds } : {};
}

function mediaKind(mimeType: string): RemoteFile['kind'] {
  if (mimeType === 'image/gif') return 'animation';
  if (/^image\/(jpeg|png|webp)$/.test(mimeType)) return 'photo';
  if (mimeType.startsWith('audio/')) return 'audio';
  return mimeType.startsWith('video/') ? 'video' : 'document';
}

/**
 * Returns the original name. Discord removes non-Latin letters from `filename`; `title` has the original without its
 * extension.
 */
function wholeName(title: string | undefined, filename: string | undefined): string | undefined {
  const ending = /\.\w{1,10}$/.exec(filename ?? '')?.[0] ?? '';
  if (title === undefined) return filename;
  return title.toLowerCase().endsWith(ending.toLowerCase()) ? title : title + ending;
}
