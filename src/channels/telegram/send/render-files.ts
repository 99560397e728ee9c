/**
 * Groups files into calls. Photos are what Telegram shows as pictures; everything else, SVG and HTML included, is a
 * document. An album holds photos or documents, never both. https://core.telegram.org/bots/api#sendphoto,
 * #sendmediagroup
 */
import type { Messages } from '../../../messages/messages.ts';
import type { Attachment } from '../../channel.ts';

export interface FileGroup {
  kind: 'photo' | 'document' | 'voice';
  /** 1 to 10 files. */
  files: Attachment[];
}

const ALBUM = 10;
const PHOTO_BYTES = 10 * 1024 * 1024;
/** Types that Telegram shows as a voice message. */
const VOICE_TYPES = new Set(['audio/ogg', 'audio/mpeg', 'audio/mp4']);
const PHOTO_TYPES = new Set(['image/jpeg', 'image/png', 'image/webp']);

/** Returns the files in groups of one call each, and a sentence for each file that Telegram would refuse. */
export function groupFiles(
  files: readonly Attachment[],
  maxBytes: number,
  messages: Messages,
): { groups: FileGroup[]; refused: string[] } {
  const groups: FileGroup[] = [];
  const refused: string[] = [];
  const photos: Attachment[] = [];
  const documents: Attachment[] = [];
  for (const file of files) {
    if (file.size > maxBytes) {
      const about = {
        file: shortName(file),
        size: megabytes(file.size),
        platform: 'Telegram',
        max: megabytes(maxBytes),
      };
      refused.push(messages.text('channels.fileTooLarge', about));
    } else if (file.size === 0) refused.push(messages.text('channels.fileEmpty', { file: shortName(file) }));
    else if (file.isVoice && VOICE_TYPES.has(file.mimeType)) groups.push({ kind: 'voice', files: [file] });
    else if (PHOTO_TYPES.has(file.mimeType) && file.size <= PHOTO_BYTES) photos.push(file);
    else documents.push(file);
  }
  for (const [kind, list] of [
    ['photo', photos],
    ['document', documents],
  ] as const) {
    let group: FileGroup | undefined;
    let bytes = 0;
    for (const file of list) {
      // One request carries the whole album, and its size is limited too.
      if (group === undefined || group.files.length === ALBUM || bytes + file.size > maxBytes) {
        group = { kind, files: [] };
        groups.push(group);
        bytes = 0;
      }
      group.files.push(file);
      bytes += file.size;
    }
  }
  return { groups, refused };
}

/** Returns a name from outside on one line, for display. */
export function shortName(file: Attachment): string {
  const name = file.name
    .toWellFormed()
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  return name.length > 80 ? `${name.slice(0, 79).toWellFormed()}…` : name || 'a file';
}

function megabytes(bytes: number): string {
  const size = bytes / (1024 * 1024);
  return `${size < 10 ? size.toFixed(1).replace(/\.0$/, '') : Math.ceil(size)} MB`;
}
