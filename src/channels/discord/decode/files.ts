/** The files of a message, as names and addresses; nothing is fetched here. https://discord.com/developers/docs/resources/message#attachment-object */
import type { RemoteFile } from '../../channel.ts';
import { type Fields, integer, list, oneLine, string } from '../../shared/read.ts';
import { isVoice } from './facts.ts';

const MAX_FILES = 10;

/** The id of a file is its signed address, which works for a day and can be signed anew. */
export function readFiles(message: Fields): RemoteFile[] {
  const isSpoken = isVoice(message);
  const files = list(message, 'attachments').map((body) => remoteFile(body, isSpoken));
  return files.filter((file) => file !== undefined).slice(0, MAX_FILES);
}

function remoteFile(body: Fields, isSpoken: boolean): RemoteFile | undefined {
  const url = string(body, 'url');
  if (!url || url.length > 2000) return undefined;
  const size = integer(body, 'size');
  const mimeType = mediaType(string(body, 'content_type')) ?? 'application/octet-stream';
  return {
    id: url,
    name: fileName(string(body, 'title'), string(body, 'filename')) ?? 'file',
    mimeType,
    ...(size !== undefined && size >= 0 && { size }),
    kind: isSpoken ? 'voice' : kindOf(mimeType),
  };
}

function kindOf(mimeType: string): RemoteFile['kind'] {
  if (mimeType === 'image/gif') return 'animation';
  if (/^image\/(jpeg|png|webp)$/.test(mimeType)) return 'photo';
  if (mimeType.startsWith('audio/')) return 'audio';
  return mimeType.startsWith('video/') ? 'video' : 'document';
}

/**
 * The last component only, on one line: a name from outside is shown, never opened. Discord takes foreign letters out of
 * `filename` and keeps the name as it was, without its ending, in `title`.
 */
function fileName(title: string | undefined, filename: string | undefined): string | undefined {
  const ending = /\.\w{1,10}$/.exec(filename ?? '')?.[0] ?? '';
  const whole =
    title === undefined ? filename : title.toLowerCase().endsWith(ending.toLowerCase()) ? title : title + ending;
  const last = whole?.slice(-1000).split(/[\\/]/).at(-1) ?? '';
  const clean = oneLine(last, 1000);
  if (/^\.*$/.test(clean)) return undefined;
  if (clean.length <= 120) return clean;
  const extension = /\.\w{1,10}$/.exec(clean)?.[0] ?? '';
  return clean.slice(0, 120 - extension.length).toWellFormed() + extension;
}

/** `text/plain; charset=utf-8` is `text/plain`. */
function mediaType(type: string | undefined): string | undefined {
  const plain = type?.split(';', 1)[0]?.trim();
  return plain !== undefined && /^[\w.+-]{1,60}\/[\w.+-]{1,80}$/.test(plain) ? plain.toLowerCase() : undefined;
}
